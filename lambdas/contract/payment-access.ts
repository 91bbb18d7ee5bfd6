/** What carrying out what a notification reports for an order needs of the table. */
export const commitPaymentStore = {
  GetItem: ['payment', 'licenseId', 'license'],
  BatchGetItem: ['payment', 'product', 'license', 'licenseId', 'metadata'],
  UpdateItem: ['license', 'licenseId', 'payment', 'counter'],
  DeleteItem: ['payment'],
  PutItem: ['license', 'licenseId', 'payment', 'event', 'audit'],
} as const;

/** The same for a notification that may concern all orders of a customer, which are read in pages. */
export const commitOrdersStore = { ...commitPaymentStore, Query: ['payment'] } as const;
