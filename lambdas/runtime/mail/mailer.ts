import { SendEmailCommand, SendRawEmailCommand, SESClient } from '@aws-sdk/client-ses';
import type { App } from '../app';
import { isLoopback } from '../webhooks/public-address';

/** Sends mail through the deployment's transport, which is Amazon SES or any SMTP server. */

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** The e-mail address for replies. If it is null or undefined, replies go to the from-address. */
  readonly replyTo?: string | null;
  /** Additional headers of the mail, by their names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Maximum time, in ms, to wait for a mail server. This time is shorter than the maximum time of a request. */
const TIMEOUT_MS = 15_000;

/** The transport refused the mail or could not be reached. The error message contains no secret, so the operator may see it. */
export class MailFailed extends Error {
  /**
   * @param code the reply code of an SMTP server; null if the server sent none
   * @param isFinal true if the transport refused the mail permanently
   */
  constructor(
    message: string,
    readonly code: number | null = null,
    readonly isFinal = false,
  ) {
    super(message);
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message || error.name : String(error));

/** The mail in the format of nodemailer. */
const messageOf = (from: string, { to, subject, text, html, replyTo, headers }: Mail) => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  html,
  replyTo: replyTo ?? undefined,
  ...(headers && { headers }),
});

/** A mail with additional headers as raw MIME text, because the simple SES request does not support additional headers. */
async function rawMessage(from: string, mail: Mail): Promise<Buffer> {
  const { createTransport } = await import('nodemailer');
  const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail(messageOf(from, mail));
  if (!Buffer.isBuffer(message)) throw new Error('The message was not written to a buffer');
  return message;
}

async function throughSes(from: string, mail: Mail, timeoutMs: number): Promise<string> {
  const { to, subject, text, html, replyTo } = mail;
  const client = new SESClient({ maxAttempts: 2 });
  const options = { abortSignal: AbortSignal.timeout(timeoutMs) };
  try {
    if (mail.headers) {
      const raw = new SendRawEmailCommand({ Source: from, Destinations: [to], RawMessage: { Data: await rawMessage(from, mail) } });
      return (await client.send(raw, options)).MessageId ?? '';
    }
    const { MessageId } = await client.send(
      new SendEmailCommand({
        Source: from,
        Destination: { ToAddresses: [to] },
        Message: {
          Subject: { Data: subject, Charset: 'UTF-8' },
          Body: { Text: { Data: text, Charset: 'UTF-8' }, ...(html !== undefined && { Html: { Data: html, Charset: 'UTF-8' } }) },
        },
        ...(replyTo != null && { ReplyToAddresses: [replyTo] }),
      }),
      options,
    );
    return MessageId ?? '';
  } catch (error) {
    // Only a rejected message is a permanent failure. SES also rejects a message if the account is in the sandbox or the from-address is not
    // verified; an operator corrects this and then sends the mail again. All other errors can be temporary, for example a sending limit.
    throw new MailFailed(`Amazon SES: ${reasonOf(error)}`, null, error instanceof Error && error.name === 'MessageRejected');
  } finally {
    client.destroy();
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** An SMTP server and its credentials. */
interface SmtpServer {
  readonly url: string;
  /** Whether the server runs on the same host, so that the connection uses no network. */
  readonly isLocal: boolean;
  /** All texts that an error message must not contain: the credentials, plain and in the encodings of SMTP. */
  readonly secrets: readonly string[];
}

/** Parses the SMTP URL; throws {@link MailFailed} if it is invalid. */
function smtpServer(url: string): SmtpServer {
  try {
    const { protocol, hostname, username, password } = new URL(url);
    if (!/^smtps?:$/.test(protocol) || hostname === '') throw new Error('not SMTP');
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
    const isLocal = isLoopback(hostname);
    if (user === '' && pass === '') return { url, isLocal, secrets: [] };
    const secrets = [`\0${user}\0${pass}`, `${user}\0${user}\0${pass}`, pass, user].map(base64).concat(password, pass, username, user);
    return { url, isLocal, secrets: secrets.filter((secret) => secret !== '') };
  } catch {
    throw new MailFailed(
      'SMTP: the secret with the SMTP URL does not contain a URL such as smtps://user:password@host:465, with special characters percent-encoded',
    );
  }
}

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text);

async function throughSmtp({ url, isLocal, secrets }: SmtpServer, from: string, mail: Mail, timeoutMs: number): Promise<string> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url,
    // TLS is required before the credentials are sent: otherwise an attacker on the network could hide that the server supports TLS, and
    // read the password. `?requireTLS=false` in the SMTP URL turns this check off.
    requireTLS: secrets.length > 0 && !isLocal,
    tls: { rejectUnauthorized: !isLocal },
    // These timeouts only close the socket of a server that sends nothing. The function stops waiting earlier, when the timer below ends.
    connectionTimeout: 2 * timeoutMs,
    greetingTimeout: 2 * timeoutMs,
    socketTimeout: 2 * timeoutMs,
    dnsTimeout: 2 * timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let timer: NodeJS.Timeout | undefined;
  // This timer limits the total time. The timeouts of the transport limit only the time without any data, so a server that sends data
  // slowly could keep the connection open indefinitely.
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    const sent = transport.sendMail(messageOf(from, mail));
    const { messageId } = await Promise.race([sent, end]);
    return messageId;
  } catch (error) {
    const code = error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : null;
    throw new MailFailed(`SMTP: ${withoutSecrets(reasonOf(error), secrets)}`, code, code !== null && code >= 500);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

/**
 * Sends a mail and returns its message id.
 *
 * @param timeoutMs maximum time, in ms
 * @throws MailFailed with a reason that the operator may see
 */
export async function sendMail(app: App, from: string, mail: Mail, timeoutMs = TIMEOUT_MS): Promise<string> {
  if (app.config.mail.transport === 'ses') return throughSes(from, mail, timeoutMs);
  const url = await app.secrets.smtpUrl().catch((error: unknown) => {
    throw new MailFailed(`the secret with the SMTP URL could not be read: ${reasonOf(error)}`);
  });
  return throughSmtp(smtpServer(url), from, mail, timeoutMs);
}
