import type { App } from './app';

/** Sends mail through the deployment's transport: Amazon SES, or any SMTP server. */

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Waits in ms before a mail server counts as out of reach. */
const TIMEOUT_MS = 8000;

/** The transport refused the mail or could not be reached. The message is fit to be shown: no secret is in it. */
export class MailFailed extends Error {}

async function throughSes(from: string, { to, subject, text }: Mail): Promise<string> {
  const { SendEmailCommand, SESClient } = await import('@aws-sdk/client-ses');
  const client = new SESClient({ requestHandler: { connectionTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, throwOnRequestTimeout: true }, maxAttempts: 2 });
  try {
    const { MessageId } = await client.send(
      new SendEmailCommand({
        Source: from,
        Destination: { ToAddresses: [to] },
        Message: { Subject: { Data: subject, Charset: 'UTF-8' }, Body: { Text: { Data: text, Charset: 'UTF-8' } } },
      }),
    );
    return MessageId ?? '';
  } catch (error) {
    throw new MailFailed(`Amazon SES: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    client.destroy();
  }
}

/** Takes out of a server's words what must not be shown: the credentials, also as SMTP encodes them. */
function withoutSecrets(text: string, url: URL): string {
  const secrets = [url.password, url.username].map(decodeURIComponent).filter((secret) => secret !== '');
  const encoded = secrets.map((secret) => Buffer.from(secret).toString('base64'));
  return [...secrets, ...encoded].reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
}

async function throughSmtp(smtpUrl: string, from: string, mail: Mail): Promise<string> {
  let url: URL;
  try {
    url = new URL(smtpUrl);
  } catch {
    throw new MailFailed('SMTP: the secret with the SMTP URL does not hold a URL such as smtps://user:password@host:465');
  }
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { messageId } = await transport.sendMail({ from, to: { name: '', address: mail.to }, subject: mail.subject, text: mail.text });
    return messageId;
  } catch (error) {
    throw new MailFailed(`SMTP: ${withoutSecrets(error instanceof Error ? error.message : String(error), url)}`);
  } finally {
    transport.close();
  }
}

/** The address that mails come from; null where mail is not configured. */
export const mailFrom = ({ config: { mail } }: App): string | null => (mail.transport === 'none' ? null : mail.from);

/**
 * Sends a mail and gives its id.
 *
 * @throws MailFailed with a reason to show
 */
export async function sendMail(app: App, from: string, mail: Mail): Promise<string> {
  return app.config.mail.transport === 'ses' ? throughSes(from, mail) : throughSmtp(await app.secrets.smtpUrl(), from, mail);
}
