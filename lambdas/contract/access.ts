/**
 * The parts of the DynamoDB table that a function may read and write. Each endpoint of the contract and each worker declares these parts.
 * From the declaration, `infra` generates the IAM statement of the function. The statement limits each action to prefixes of partition
 * keys. `store/keys.ts` builds its keys from the same prefixes, so that permissions and keys always agree.
 */

/** The prefixes of partition keys. Every partition key of the table starts with one of these prefixes. */
export const partitions = {
  product: 'PRODUCT#',
  signingKey: 'SIGNING_KEY#',
  license: 'LICENSE#',
  licenseId: 'LICENSE_ID#',
  /** What was consumed from the meters of each license, by the license's key. */
  meter: 'METER#',
  /** The ids of consumptions, by license. */
  meterId: 'METER_ID#',
  release: 'RELEASE#',
  releaseId: 'RELEASE_ID#',
  metadata: 'METADATA#',
  freedDevices: 'FREED_DEVICES#',
  payment: 'PAYMENT#',
  /** Notes that operators wrote about licenses. */
  note: 'NOTE#',
  /** The members of each license, by the license's id. */
  member: 'MEMBER#',
  /** Refused requests of apps. */
  refusal: 'REFUSAL#',
  unique: 'UNIQUE#',
  event: 'EVENT#',
  idempotency: 'IDEMPOTENCY#',
  counter: 'COUNTER#',
  stats: 'STATS#',
  redelivery: 'REDELIVERY#',
  audit: 'AUDIT#',
  /** Admin tokens by their hashes, to authenticate requests. */
  token: 'TOKEN#',
  /** Admin tokens in the order in which they are listed, each with the day of its last use. */
  tokenList: 'TOKENS#',
  erasure: 'ERASURE#',
  /** Licenses by the hashes of the e-mail addresses that they had before. */
  previousAddress: 'PREVIOUS_ADDRESS#',
  /** The latest times of an action whose number is limited, such as mailing a key. A row expires when none of its times counts anymore. */
  limit: 'LIMIT#',
  /** Products with reminders, each with the progress of the worker that looks for due reminders. */
  reminder: 'REMINDER#',
  /** Reminders that were sent. */
  reminded: 'REMINDED#',
  /** Hashes of the e-mail addresses that unsubscribed from the reminders of a product. */
  unsubscribed: 'UNSUBSCRIBED#',
  /** Hashes of the e-mail addresses to which a product sends no mails, because a mail bounced. */
  suppressed: 'SUPPRESSED#',
  /** The settings of each product's portal for buyers, by the product's slug. */
  portal: 'PORTAL#',
  /** The valid sign-in codes of each buyer of a product, and the hashes of the buyer's valid links and sessions. */
  portalBuyer: 'PORTAL_BUYER#',
  /** Requests of apps to be activated by a buyer who signs in. Each request is found by its product and device, and by its code. */
  activationRequest: 'ACTIVATION_REQUEST#',
  /** The hashes of device keys. A row leads to the license and the device of its key. */
  deviceKey: 'DEVICE_KEY#',
  portalLink: 'PORTAL_LINK#',
  portalSession: 'PORTAL_SESSION#',
} as const;
export type Partition = keyof typeof partitions;

/**
 * The secondary indexes. Each index has its own key attributes and contains only the rows that have these attributes. Besides the rows that
 * are described below, each index contains rows with one kind of search term for licenses, such as the buyers' names. With these rows, a
 * search finds a license by the beginning of a term (`store/licenses/pointer.ts`).
 */
export const indexes = {
  /** All rows that are listed in order: products, licenses with their devices, the events of a product, and the audit log. */
  list: { partitionKey: 'list_pk', sortKey: 'list_sk' },
  /**
   * Licenses of a product, and payments of a connection, by the buyer's e-mail address. Trials with an unverified address have separate
   * keys, and so have members by their addresses.
   */
  email: { partitionKey: 'email_pk', sortKey: 'email_sk' },
  /**
   * Licenses by their expiry and by the end of their updates; devices by fingerprint; payments by order; audit entries by license;
   * stored responses of idempotent requests by license; and trials by the time of their removal. An activation writes one entry of this
   * index, and a further one if it starts the license's term. A validation writes none.
   */
  lookup: { partitionKey: 'lookup_pk', sortKey: 'lookup_sk' },
  /**
   * What is still to be done in the background, such as undelivered events by the time at which they are due, distributed over several
   * shards, and orders that are not in the statistics yet.
   */
  pending: { partitionKey: 'pending_pk', sortKey: 'pending_sk' },
} as const;
export type Index = keyof typeof indexes;

export type ItemAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem' | 'Query';

/** The actions that change the table, or that belong to a transaction that changes it. */
export const writeActions: readonly ItemAction[] = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

/**
 * The partitions for which an action is allowed. Entries of the audit log can only be created and read, because nothing may change or
 * remove an entry before its time to live ends.
 */
type PartitionFor<A extends ItemAction> = A extends 'UpdateItem' | 'DeleteItem' ? Exclude<Partition, 'audit'> : Partition;

/** The partitions of the table for which each DynamoDB action is allowed, and the indexes that may be queried. */
export type StoreAccess = { readonly [A in ItemAction]?: readonly PartitionFor<A>[] } & {
  readonly indexes?: readonly Index[];
};

/**
 * The secrets that a function may read. Every endpoint with the admin credential may read `adminToken`. Every endpoint that records the IP
 * addresses of its callers may read `originSecret`. This secret proves that the CloudFront distribution sent the header with the IP
 * address. `signingKey` encrypts the keys that sign offline tokens. `portalKey` is the key of hashes that nobody else may compute: of the
 * portal's sign-in codes, and of devices (their `ref`). `encryptionKey` encrypts all other secrets in the table.
 */
export type SecretName = 'adminToken' | 'originSecret' | 'signingKey' | 'encryptionKey' | 'portalKey' | 'smtpUrl';

/** The settings of the deployment that a function may read from its environment. */
export type SettingName =
  | 'deviceTokenDays'
  | 'offlineTokenDays'
  | 'expiringDays'
  | 'webhookAllowPrivate'
  | 'publicUrl'
  | 'processorApis'
  | 'mailsPerSecond';

/**
 * The folders of the bucket with files. An operator uploads a logo into `logoUploads`. If it is a valid image, the service stores it in
 * `logos`, from which the pages' origin serves it to everybody.
 */
export const fileFolders = { releases: 'releases', logoUploads: 'logo-uploads', logos: 'logos' } as const;

/**
 * The actions on files for which a function can have a permission. Of files of releases, `upload` signs upload URLs, `download` signs
 * download URLs, `check` reads a file's size and hash, and `delete` deletes files. Of logos, `uploadLogo` signs upload URLs, and `changeLogo`
 * reads an upload, stores it as a logo and deletes logos. A function that signs a URL needs the permission for the action that the URL
 * allows.
 */
export type FileAccess = 'upload' | 'download' | 'check' | 'delete' | 'uploadLogo' | 'changeLogo';

/** All permissions of a function, as the contract declares them in the row of its endpoint or worker. */
export interface FunctionAccess {
  readonly store: StoreAccess;
  readonly secrets?: readonly SecretName[];
  readonly settings?: readonly SettingName[];
  /** Whether the function may send to the event queue. By default, only endpoints that record events may send. */
  readonly queue?: boolean;
  /** `status`: the function may read the mail setup. `send`: the function may also use the mail transport and its credentials. */
  readonly mail?: 'status' | 'send';
  readonly files?: readonly FileAccess[];
}
