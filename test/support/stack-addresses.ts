import type { SecretName } from '../../lambdas/contract/access';

/** What another process needs to use a local run. */
export interface StackAddresses {
  readonly baseUrl: string;
  readonly adminToken: string;
  /** The URL that opens the mailbox in a browser. */
  readonly mailboxUrl: string;
  /** The URL of the database emulator. */
  readonly dynamodb: string;
  readonly table: string;
  readonly secrets: Readonly<Partial<Record<SecretName, string>>>;
  /** The id of the process that runs the service. The database emulator is a child of this process. */
  readonly pid: number;
}
