/** What carrying out a notification needs of the table. */
export const carryOutStore = {
  GetItem: ['payment', 'licenseId', 'license'],
  BatchGetItem: ['payment', 'product', 'license', 'licenseId', 'metadata'],
  UpdateItem: ['license', 'licenseId', 'payment', 'counter'],
  DeleteItem: ['payment'],
  // The orders of a customer, in pages.
  Query: ['payment'],
  PutItem: ['license', 'licenseId', 'payment', 'event', 'audit'],
} as const;
