import { SendEmailCommand, SendRawEmailCommand, SESClient } from '@aws-sdk/client-ses';
import { EVENT_TAG } from '../../domain/mail-feedback';
import { MailFailed, messageOf, reasonOf, type Mail } from '../mail/mail';

/** A mail as raw MIME text, because the simple SES request supports neither additional headers nor a sender's name outside of ASCII. */
async function rawMessage(from: string, mail: Mail): Promise<Buffer> {
  const { createTransport } = await import('nodemailer');
  const { message } = await createTransport({ streamTransport: true, buffer: true }).sendMail(messageOf(from, mail));
  if (!Buffer.isBuffer(message)) throw new Error('The message was not written to a buffer');
  return message;
}

/**
 * Sends a mail through Amazon SES, and returns its message id.
 *
 * @throws MailFailed
 */
export async function sendThroughSes(from: string, mail: Mail, timeoutMs: number): Promise<string> {
  const { to, subject, text, html, replyTo } = mail;
  const client = new SESClient({ maxAttempts: 2 });
  const common = {
    Source: from,
    ConfigurationSetName: mail.configurationSet,
    ...(mail.eventId !== undefined && { Tags: [{ Name: EVENT_TAG, Value: mail.eventId }] }),
  };
  const options = { abortSignal: AbortSignal.timeout(timeoutMs) };
  try {
    if (mail.headers || mail.fromName !== undefined) {
      const raw = new SendRawEmailCommand({ ...common, Destinations: [to], RawMessage: { Data: await rawMessage(from, mail) } });
      return (await client.send(raw, options)).MessageId ?? '';
    }
    const { MessageId } = await client.send(
      new SendEmailCommand({
        ...common,
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
