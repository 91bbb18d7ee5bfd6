import { asciiAddress } from '../../contract/mail-address';
import type { App } from '../app';
import { sendThroughSes } from '../aws/mail';
import { isLoopback } from '../webhooks/public-address';
import { MailFailed, messageOf, reasonOf, type Mail } from './mail';

/** Sends mail through the deployment's transport, which is Amazon SES or any SMTP server. */

/** Maximum time, in ms, to wait for a mail server. This time is shorter than the maximum time of a request. */
const TIMEOUT_MS = 15_000;

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
  const { to, replyTo } = mail;
  // Amazon SES and many mail servers accept only domains in ASCII.
  return send(app, asciiAddress(from), { ...mail, to: asciiAddress(to), replyTo: replyTo && asciiAddress(replyTo) }, timeoutMs);
}

async function send(app: App, from: string, mail: Mail, timeoutMs: number): Promise<string> {
  const { mail: setup } = app.config;
  if (setup.transport === 'ses')
    return (app.sendMail ?? sendThroughSes)(from, { ...mail, configurationSet: setup.configurationSet }, timeoutMs);
  const url = await app.secrets.smtpUrl().catch((error: unknown) => {
    throw new MailFailed(`the secret with the SMTP URL could not be read: ${reasonOf(error)}`);
  });
  return throughSmtp(smtpServer(url), from, mail, timeoutMs);
}
