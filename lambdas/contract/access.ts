/**
 * What an endpoint may touch in the table. The contract row declares it; `infra` turns it into the
 * function's IAM statement (actions limited to leading keys), and `store/keys.ts` builds its keys
 * from the same prefixes, so a grant and a key cannot drift apart.
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
  unique: 'UNIQUE#',
  event: 'EVENT#',
  idempotency: 'IDEMPOTENCY#',
  counter: 'COUNTER#',
  stats: 'STATS#',
  redelivery: 'REDELIVERY#',
  audit: 'AUDIT#',
  /** Admin tokens, by their hash: what a request is judged by. */
  token: 'TOKEN#',
  /** Admin tokens as they are listed, with the day of their last use. */
  tokenList: 'TOKENS#',
  erasure: 'ERASURE#',
  /** When something that is limited was done last, for as long as that counts. */
  limit: 'LIMIT#',
} as const;
export type Partition = keyof typeof partitions;

/** Secondary indexes, each with its own key attributes; all sparse. */
export const indexes = {
  /** Everything that is listed in order: products, licenses with their devices, events of a product, the audit log. */
  list: { partitionKey: 'list_pk', sortKey: 'list_sk' },
  /**
   * Licenses of a product, and payments of a connection, by the buyer's e-mail; apart from them, trials by an address that nobody has
   * verified.
   */
  email: { partitionKey: 'email_pk', sortKey: 'email_sk' },
  /**
   * Licenses by when they expire, devices by their fingerprint, payments by their order, and audit entries and stored responses by their
   * license. Activating writes one entry, validating none.
   */
  lookup: { partitionKey: 'lookup_pk', sortKey: 'lookup_sk' },
  /** Events not yet delivered, by when they are due; sharded. */
  pending: { partitionKey: 'pending_pk', sortKey: 'pending_sk' },
} as const;
export type Index = keyof typeof indexes;

export type ItemAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem' | 'Query';

/** The actions that change the table or are part of a transaction that does. */
export const writeActions: readonly ItemAction[] = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

/** Entries of the audit log are put and read. Nothing changes or removes one before its time to live ends. */
type PartitionFor<A extends ItemAction> = A extends 'UpdateItem' | 'DeleteItem' ? Exclude<Partition, 'audit'> : Partition;

/** DynamoDB actions on the base table by partition, and the indexes that are queried. */
export type StoreAccess = { readonly [A in ItemAction]?: readonly PartitionFor<A>[] } & {
  readonly indexes?: readonly Index[];
};

/**
 * Secrets that a function may read. Every endpoint with the admin credential may read the admin token, and every one
 * that records where its callers are may read `originSecret`, which proves what the distribution says of them.
 * `signingKey` seals what signs offline tokens, `encryptionKey` everything else that is sealed in the table.
 */
export type SecretName = 'adminToken' | 'originSecret' | 'signingKey' | 'encryptionKey' | 'smtpUrl';

/** Settings of the deployment that a function may read from its environment. */
export type SettingName = 'deviceTokenDays' | 'offlineTokenDays' | 'expiringDays' | 'webhookAllowPrivate' | 'publicUrl' | 'processorApis';

/**
 * What a function may do with the files of releases: `upload` signs uploads, `download` signs downloads, `check` sees whether a file is
 * there and what it is, `delete` deletes files. Whoever signs a URL may do what the URL does.
 */
export type FileAccess = 'upload' | 'download' | 'check' | 'delete';

/** Everything a function may use beyond its own code, as an endpoint's or a worker's row declares it. */
export interface FunctionAccess {
  readonly store: StoreAccess;
  readonly secrets?: readonly SecretName[];
  readonly settings?: readonly SettingName[];
  /** Whether it may send to the event queue. An endpoint may if it records events; a worker may not, unless this is true. */
  readonly queue?: boolean;
  /** Whether it reads the mail setup (`status`), or may also use the transport and its credentials (`send`). */
  readonly mail?: 'status' | 'send';
  readonly files?: readonly FileAccess[];
}
