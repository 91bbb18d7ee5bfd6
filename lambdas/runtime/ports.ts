import type { Table } from '../store/table';
import type { Config } from './config';
import type { FileStore } from './file-store';
import type { Mail } from './mail/mail';
import type { FetchSecret } from './secrets';

/** A message of the event queue. */
export interface QueueMessage {
  readonly body: string;
  readonly delaySeconds: number;
  /**
   * The group id of the message. SQS serves groups fairly: a large number of messages of one group does not delay the messages of another
   * group.
   */
  readonly group: string;
}

/** Sends messages to the event queue within `timeoutMs`. Throws if SQS refused any message. */
export type SendMessages = (messages: readonly QueueMessage[], timeoutMs?: number) => Promise<void>;

/**
 * Sends a mail from an address through the mail service within `timeoutMs`, and returns the mail's message id. Throws MailFailed if the mail
 * was not sent.
 */
export type SendMail = (from: string, mail: Mail, timeoutMs: number) => Promise<string>;

/**
 * Everything outside of a function that its handler uses. In a Lambda function, the files in `aws` implement the ports with the AWS SDK. In a
 * local run, the files in `infra/local` implement them in one process.
 *
 * Requests to webhooks and payment processors have no port, because both use Node's HTTP client in the same way.
 */
export interface Ports {
  readonly config: Config;
  /** The client of the table. */
  readonly client: Table['client'];
  readonly fetchSecret: FetchSecret;
  /**
   * Sends messages to the event queue. If this port, `files` or `sendMail` is undefined, the code that uses it calls AWS. A common object
   * with all implementations would put the clients of all AWS services into the bundle of every function.
   */
  readonly send?: SendMessages | undefined;
  readonly files?: FileStore | undefined;
  readonly sendMail?: SendMail | undefined;
  /** Returns the time, in epoch ms, that decides for example whether a license has expired. A tester can move it in a local run. */
  readonly clock: () => number;
  /**
   * Returns the real time in epoch ms. Time limits, and the delays, leases and signatures of deliveries use it. In a Lambda function it equals
   * `clock`.
   */
  readonly realClock: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly sleep: (ms: number) => Promise<void>;
}
