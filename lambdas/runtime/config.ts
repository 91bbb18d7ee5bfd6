/** What a function is told by its environment, parsed once; `infra` sets exactly the names that a function needs. */
export interface Config {
  readonly tableName: string;
  readonly eventQueueUrl: string | undefined;
  readonly secretArns: { readonly adminToken: string | undefined; readonly encryptionKey: string | undefined };
  /** Lifetime in days of tokens bound to a device, and the default of tokens that the operator mints. */
  readonly deviceTokenDays: number;
  readonly offlineTokenDays: number;
}

const days = (environment: NodeJS.ProcessEnv, name: string, fallback: number): number => {
  const text = environment[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} must be a whole number of days, not "${text}"`);
  return value;
};

export const parseConfig = (environment: NodeJS.ProcessEnv): Config => ({
  tableName: environment['TABLE_NAME'] ?? '',
  eventQueueUrl: environment['EVENT_QUEUE_URL'],
  secretArns: {
    adminToken: environment['ADMIN_TOKEN_SECRET_ARN'],
    encryptionKey: environment['ENCRYPTION_KEY_SECRET_ARN'],
  },
  deviceTokenDays: days(environment, 'DEVICE_TOKEN_DAYS', 7),
  offlineTokenDays: days(environment, 'OFFLINE_TOKEN_DAYS', 30),
});
