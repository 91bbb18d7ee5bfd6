import { simpleParser, type ParsedMail } from 'mailparser';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A real SMTP server that stores all accepted mails. */
export interface MailServer {
  /** The server's URL, in the format of the setting `SMTP_URL`. */
  readonly url: string;
  /** The accepted mails. A test may remove mails from the list. */
  readonly inbox: { readonly to: readonly string[]; readonly mail: ParsedMail }[];
  /** The SMTP reply code with which the server refuses mails. With 0 it accepts them. */
  refusal: number;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const inbox: MailServer['inbox'] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { envelope }, callback) => {
      void simpleParser(stream).then((mail) => {
        if (running.refusal !== 0) {
          // Many mail servers repeat the recipient's address in lower case.
          const [to] = envelope.rcptTo.map(({ address }) => address.toLowerCase());
          return callback(Object.assign(new Error(`<${to}> refused by the test`), { responseCode: running.refusal }));
        }
        inbox.push({ to: envelope.rcptTo.map(({ address }) => address), mail });
        callback();
      }, callback);
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const running: MailServer = {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    inbox,
    refusal: 0,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return running;
}
