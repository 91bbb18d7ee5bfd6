/**
 * What an endpoint may read and write in the table. Its contract row declares it. `infra` turns it into the IAM
 * statement of the function (actions limited to leading keys), and `store/keys.ts` builds its keys from the same
 * prefixes, so that permissions and keys always agree.
 */

/** Leading-key prefixes: every partition key of the table starts with one of these. */
export const partitions = {
  product: 'PRODUCT#',
  signingKey: 'SIGNING_KEY#',
  license: 'LICENSE#',
  licenseId: 'LICENSE_ID#',
  release: 'RELEASE#',
  releaseId: 'RELEASE_ID#',
  metadata: 'METADATA#',
  freedDevices: 'FREED_DEVICES#',
  payment: 'PAYMENT#',
  /** Notes of operators on licenses. */
  note: 'NOTE#',
  /** Refused requests of apps. */
  refusal: 'REFUSAL#',
  unique: 'UNIQUE#',
  event: 'EVENT#',
  idempotency: 'IDEMPOTENCY#',
  counter: 'COUNTER#',
  stats: 'STATS#',
  redelivery: 'REDELIVERY#',
  audit: 'AUDIT#',
  /** Admin tokens by their hash, to authenticate requests. */
  token: 'TOKEN#',
  /** Admin tokens in the order of the list, each with the day of its last use. */
  tokenList: 'TOKENS#',
  erasure: 'ERASURE#',
  /** When a limited action was last done; kept as long as the limit counts it. */
  limit: 'LIMIT#',
  /** Products with reminders, each with how far the worker has come; and reminders that were sent. */
  reminder: 'REMINDER#',
  reminded: 'REMINDED#',
  /** Addresses that want no reminders of a product, as hashes. */
  unsubscribed: 'UNSUBSCRIBED#',
  /** Settings of the buyer's portal of each product, by its slug. */
  portal: 'PORTAL#',
  /** Live sign-in codes, and hashes of live links and sessions, of each buyer of a product. */
  portalBuyer: 'PORTAL_BUYER#',
  portalLink: 'PORTAL_LINK#',
  portalSession: 'PORTAL_SESSION#',
} as const;
export type Partition = keyof typeof partitions;

/**
 * Secondary indexes, each with its own key attributes; all sparse. Each also has one kind of term by whose beginning a
 * license is found (`store/licenses/pointer.ts`).
 */
export const indexes = {
  /** All rows that are listed in order: products, licenses with their devices, events of a product, the audit log. */
  list: { partitionKey: 'list_pk', sortKey: 'list_sk' },
  /**
   * Licenses of a product, and payments of a connection, by the buyer's e-mail address. Trials whose address nobody has
   * verified have keys of a separate kind.
   */
  email: { partitionKey: 'email_pk', sortKey: 'email_sk' },
  /**
   * Licenses by expiry and by the end of their updates, devices by fingerprint, payments by order, audit entries and stored responses by license. An
   * activation writes one entry, a validation none.
   */
  lookup: { partitionKey: 'lookup_pk', sortKey: 'lookup_sk' },
  /** Undelivered events by the time at which they are due; sharded. */
  pending: { partitionKey: 'pending_pk', sortKey: 'pending_sk' },
} as const;
export type Index = keyof typeof indexes;

export type ItemAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem' | 'Query';

/** The actions that change the table or are part of a transaction that does. */
export const writeActions: readonly ItemAction[] = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

/** Entries of the audit log can only be created and read: nothing changes or removes one before its time to live ends. */
type PartitionFor<A extends ItemAction> = A extends 'UpdateItem' | 'DeleteItem' ? Exclude<Partition, 'audit'> : Partition;

/** DynamoDB actions on the base table by partition, and the indexes that are queried. */
export type StoreAccess = { readonly [A in ItemAction]?: readonly PartitionFor<A>[] } & {
  readonly indexes?: readonly Index[];
};

/**
 * Secrets that a function may read. Every endpoint with the admin credential may read `adminToken`. Every endpoint that
 * records its callers' addresses may read `originSecret`, which proves that the address in a header was set by the
 * distribution. `signingKey` encrypts the keys that sign offline tokens; `encryptionKey` encrypts all other secrets in
 * the table. `portalKey` is for the hashes of the portal's sign-in codes only.
 */
export type SecretName = 'adminToken' | 'originSecret' | 'signingKey' | 'encryptionKey' | 'portalKey' | 'smtpUrl';

/** Settings of the deployment that a function may read from its environment. */
export type SettingName =
  | 'deviceTokenDays'
  | 'offlineTokenDays'
  | 'expiringDays'
  | 'webhookAllowPrivate'
  | 'publicUrl'
  | 'processorApis'
  | 'mailsPerSecond';

/**
 * What a function may do with the files of releases: `upload` signs upload URLs, `download` signs download URLs,
 * `check` reads a file's size and hash, `delete` deletes files. To sign a URL, a function needs the permission for what
 * the URL does.
 */
export type FileAccess = 'upload' | 'download' | 'check' | 'delete';

/** All permissions of a function, as the row of its endpoint or worker declares them. */
export interface FunctionAccess {
  readonly store: StoreAccess;
  readonly secrets?: readonly SecretName[];
  readonly settings?: readonly SettingName[];
  /** Whether it may send to the event queue. An endpoint may without this if it records events; a worker may only if this is true. */
  readonly queue?: boolean;
  /** `status`: it reads the mail setup. `send`: it may also use the transport and its credentials. */
  readonly mail?: 'status' | 'send';
  readonly files?: readonly FileAccess[];
}
