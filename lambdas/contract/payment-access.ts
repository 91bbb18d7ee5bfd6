/** The table access that is needed to process a notification about one order. */
export const commitPaymentStore = {
  GetItem: ['payment', 'licenseId', 'license'],
  BatchGetItem: ['payment', 'product', 'license', 'licenseId', 'metadata'],
  UpdateItem: ['license', 'licenseId', 'meter', 'payment', 'counter'],
  DeleteItem: ['payment'],
  PutItem: ['license', 'licenseId', 'payment', 'event', 'audit'],
} as const;

/** The table access that is needed to process a notification about all orders of a customer, which are read in pages. */
export const commitOrdersStore = { ...commitPaymentStore, Query: ['payment'] } as const;
