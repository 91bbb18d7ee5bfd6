import type { Processor } from '../contract/processors';

import type { SecretName } from '../contract/access';

/**
 * A function's configuration, parsed once from its environment. The stack in `infra` sets exactly the variables that each function needs.
 */
export interface Config {
  /** The table's name; undefined in a function that does not use the table. */
  readonly tableName: string | undefined;
  readonly eventQueueUrl: string | undefined;
  /** The bucket that stores the files of releases. */
  readonly fileBucket: string | undefined;
  /** The deployment's public URL, without a slash at its end. The pages and the API are served at this URL. */
  readonly publicUrl: string | undefined;
  readonly secretArns: Readonly<Record<SecretName, string | undefined>>;
  /** Lifetime, in days, of the offline tokens that apps receive with validations and activations. */
  readonly deviceTokenDays: number;
  /** Default lifetime, in days, of the offline tokens that operators and buyers create. */
  readonly offlineTokenDays: number;
  /**
   * If a license is checked within this number of days before its expiry, the first such check sends `license.expiring`. The same period
   * applies to the end of updates and `license.updates_expiring`. If the number is 0, neither event is sent.
   */
  readonly expiringDays: number;
  /** The base URLs of payment processors' APIs, if they differ from the default. */
  readonly processorApis: Readonly<Partial<Record<Processor, string>>>;
  /** Maximum number of reminders that are sent per second. */
  readonly mailsPerSecond: number;
  /** Whether webhooks may use `http:` and private IP addresses. */
  readonly webhookAllowPrivate: boolean;
  readonly mail:
    | { readonly transport: 'none' }
    | {
        readonly transport: 'ses' | 'smtp';
        readonly from: string;
        /** The configuration set of Amazon SES that reports bounces. */
        readonly configurationSet?: string | undefined;
      };
}

const days = (environment: NodeJS.ProcessEnv, name: string, fallback: number, least = 1): number => {
  const text = environment[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) throw new Error(`${name} must be a whole number of days, not "${text}"`);
  return value;
};

const rate = (environment: NodeJS.ProcessEnv, name: string, fallback: number): number => {
  const value = Number(environment[name] ?? fallback);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} must be a number above 0, not "${environment[name]}"`);
  return value;
};

/** Mail is sent only if both a transport and a from-address are configured. */
const mail = (transport: string | undefined, from: string | undefined, configurationSet: string | undefined): Config['mail'] =>
  (transport === 'ses' || transport === 'smtp') && from
    ? { transport, from, ...(configurationSet !== undefined && { configurationSet }) }
    : { transport: 'none' };

export const parseConfig = (environment: NodeJS.ProcessEnv): Config => ({
  tableName: environment['TABLE_NAME'],
  eventQueueUrl: environment['EVENT_QUEUE_URL'],
  fileBucket: environment['FILE_BUCKET'],
  publicUrl: environment['PUBLIC_URL'],
  secretArns: {
    adminToken: environment['ADMIN_TOKEN_SECRET_ARN'],
    originSecret: environment['ORIGIN_SECRET_ARN'],
    signingKey: environment['SIGNING_KEY_SECRET_ARN'],
    encryptionKey: environment['ENCRYPTION_KEY_SECRET_ARN'],
    portalKey: environment['PORTAL_KEY_SECRET_ARN'],
    smtpUrl: environment['SMTP_URL_SECRET_ARN'],
  },
  deviceTokenDays: days(environment, 'DEVICE_TOKEN_DAYS', 7),
  offlineTokenDays: days(environment, 'OFFLINE_TOKEN_DAYS', 30),
  expiringDays: days(environment, 'EXPIRING_DAYS', 14, 0),
  processorApis: JSON.parse(environment['PROCESSOR_APIS'] ?? '{}') as Config['processorApis'],
  mailsPerSecond: rate(environment, 'MAILS_PER_SECOND', 5),
  webhookAllowPrivate: environment['WEBHOOK_ALLOW_PRIVATE'] === 'true',
  mail: mail(environment['MAIL_TRANSPORT'], environment['MAIL_FROM'], environment['MAIL_CONFIGURATION_SET']),
});
