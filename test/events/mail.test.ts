import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { parseConfig } from '../../lambdas/runtime/config';
import { sendMail } from '../../lambdas/runtime/mail/mailer';
import { selfSigned, type Certificate } from '../support/certificate';
import { startHarness, tableName, type CallResult, type Harness } from '../support/harness';
import { captureLogs } from '../support/logs';
import { startTcp } from '../support/receiver';

/** Tests mail as an operator configures it: with a real SMTP server with passwords and TLS, and with SES. */

const logged = captureLogs();
const USER = 'mailer@example.com';
const PASSWORD = 'pa/ss:w%rd-🔑 42';
const FROM = 'licenses@example.com';
const TO = 'ada@example.com';

/** Every encoding in which a password could appear. */
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const SECRETS = [
  PASSWORD,
  encodeURIComponent(PASSWORD),
  base64(PASSWORD),
  base64(`\0${USER}\0${PASSWORD}`),
  base64(`${USER}\0${USER}\0${PASSWORD}`),
];

interface Accepted {
  readonly from: string;
  readonly to: string[];
  readonly source: string;
  readonly secure: boolean;
  readonly user: unknown;
}
interface MailServer {
  readonly port: number;
  readonly accepted: Accepted[];
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startSmtp(options: SMTPServerOptions = {}, certificate: Certificate = selfSigned(['127.0.0.1'])): Promise<MailServer> {
  const accepted: Accepted[] = [];
  const server = new SMTPServer({
    ...certificate,
    authMethods: ['PLAIN', 'LOGIN'],
    onAuth: ({ username, password }, _session, callback) =>
      username === USER && password === PASSWORD ? callback(null, { user: username }) : callback(new Error('Invalid username or password')),
    onData: (stream, { envelope, secure, user }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        accepted.push({ from, to: envelope.rcptTo.map(({ address }) => address), source: Buffer.concat(chunks).toString(), secure, user });
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  closers.push(() => new Promise<void>((resolve) => server.close(resolve)));
  return { port: (server.server.address() as AddressInfo).port, accepted };
}

const trusting = ({ cert }: Certificate): string => `?tls.ca=${encodeURIComponent(cert)}`;
const smtpUrl = (port: number, { scheme = 'smtp', host = '127.0.0.1', password = PASSWORD, query = '' } = {}): string =>
  `${scheme}://${encodeURIComponent(USER)}:${encodeURIComponent(password)}@${host}:${port}/${query}`;
/**
 * This IP address also leads to this machine. The service treats it like the address of another machine, because it is not a loopback
 * address.
 */
const ELSEWHERE = '0.0.0.0';

function serviceWith(url: string, transport: 'smtp' | 'ses' = 'smtp'): Harness {
  const service = startHarness({
    config: { ...parseConfig({}), tableName: tableName(), mail: { transport, from: FROM } },
    fetchSecret: (name) => Promise.resolve(name === 'adminToken' ? 'test-admin-token' : url),
  });
  closers.push(() => service.close());
  return service;
}
const testMail = (url: string, to: unknown = TO): Promise<CallResult> => serviceWith(url).call('sendTestMail', { body: { to } });

/** Checks that a failed mail reports its reason and not its password. */
function expectFailure({ status, headers, body }: CallResult, reason: RegExp): void {
  expect({ status, code: headers['X-Svc-Error-Code'], fields: Object.keys(body) }).toEqual({
    status: 502,
    code: 'mail_failed',
    fields: ['detail'],
  });
  expect(body['detail']).toMatch(reason);
  for (const secret of SECRETS) expect(`${String(body['detail'])} ${logged().join()}`).not.toContain(secret);
}

describe('an operator’s test mail arrives unchanged', () => {
  test.each([
    ['over STARTTLS', 'smtp', false],
    ['over TLS from the start', 'smtps', true],
  ])('%s, with the password', async (_, scheme, secure) => {
    const certificate = selfSigned(['127.0.0.1']);
    const { port, accepted } = await startSmtp({ secure }, certificate);
    const { status, body } = await testMail(smtpUrl(port, { scheme, query: trusting(certificate) }));
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'sent', to: TO, message_id: expect.stringMatching(/^<.+@.+>$/) as string },
    });
    expect(accepted).toMatchObject([{ from: FROM, to: [TO], secure: true, user: USER }]);
    const [head, text] = accepted[0]!.source.split('\r\n\r\n', 2);
    const headers = Object.fromEntries(head!.split('\r\n').map((line) => line.split(': ', 2)));
    expect(headers).toMatchObject({
      From: FROM,
      To: TO,
      'Message-ID': body['message_id'],
      Subject: expect.stringContaining('Test mail') as string,
    });
    expect(text).toContain('sent by the license key service');
  });

  test('through a server that requires no password', async () => {
    const { port, accepted } = await startSmtp({ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] });
    expect(await testMail(`smtp://127.0.0.1:${port}`)).toMatchObject({ status: 200 });
    expect(accepted).toMatchObject([{ to: [TO] }]);
  });

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
    'through a server on this machine (%s) without a certificate, with the password',
    async (host) => {
      for (const options of [{ disabledCommands: ['STARTTLS'] }, {}]) {
        const { port, accepted } = await startSmtp({ ...options, allowInsecureAuth: true });
        expect(await testMail(smtpUrl(port, { host }))).toMatchObject({ status: 200 });
        expect(accepted).toMatchObject([{ to: [TO], user: USER }]);
      }
    },
  );

  test('to one address with a plus, an apostrophe or capitals', async () => {
    const { port, accepted } = await startSmtp({ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] });
    const addresses = ["o'hara+licenses@example.com", 'Ada.Lovelace@Example.COM'];
    for (const address of addresses) expect(await testMail(`smtp://127.0.0.1:${port}`, address)).toMatchObject({ status: 200 });
    expect(accepted.map(({ to: [address] }) => address?.toLowerCase())).toEqual(addresses.map((address) => address.toLowerCase()));
  });
});

describe('a mail that cannot be sent is a 502 with the reason, and never with the password', () => {
  const certificate = selfSigned(['127.0.0.1']);
  const query = trusting(certificate);

  test('a wrong password', async () => {
    const { port } = await startSmtp({}, certificate);
    expectFailure(await testMail(smtpUrl(port, { password: 'wrong', query })), /535|Invalid/);
  });

  test('a server that repeats the password in its refusal', async () => {
    const { port } = await startSmtp(
      { onAuth: (_credentials, _session, callback) => callback(new Error(`No: ${SECRETS.join(' ')}`)) },
      certificate,
    );
    expectFailure(await testMail(smtpUrl(port, { query })), /535/);
  });

  test('a server, or an attacker in between, that hides TLS: the password is not sent unencrypted', async () => {
    let asked = 0;
    const onAuth: SMTPServerOptions['onAuth'] = ({ username = '' }, _session, callback) => {
      asked += 1;
      callback(null, { user: username ?? '' });
    };
    const { port, accepted } = await startSmtp({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true, onAuth });
    expectFailure(await testMail(smtpUrl(port, { host: ELSEWHERE })), /STARTTLS|TLS/);
    expect({ asked, accepted }).toEqual({ asked: 0, accepted: [] });
    expect(await testMail(smtpUrl(port, { host: ELSEWHERE, query: '?requireTLS=false' }))).toMatchObject({ status: 200 });
  });

  test('a refused recipient', async () => {
    const { port } = await startSmtp(
      { onRcptTo: (_address, _session, callback) => callback(Object.assign(new Error('No such user here'), { responseCode: 550 })) },
      certificate,
    );
    expectFailure(await testMail(smtpUrl(port, { query })), /550.*No such user here/);
  });

  test('a refused message', async () => {
    const onData: SMTPServerOptions['onData'] = (stream, _session, callback) => {
      stream.resume();
      stream.on('end', () => callback(Object.assign(new Error('Spam'), { responseCode: 554 })));
    };
    const { port } = await startSmtp({ onData }, certificate);
    expectFailure(await testMail(smtpUrl(port, { query })), /554.*Spam/);
  });

  test('an untrusted certificate, over STARTTLS and over TLS from the start', async () => {
    for (const [scheme, secure] of [
      ['smtp', false],
      ['smtps', true],
    ] as const) {
      const { port, accepted } = await startSmtp({ secure });
      expectFailure(await testMail(smtpUrl(port, { scheme, host: ELSEWHERE })), /self-signed/);
      expect(accepted).toEqual([]);
    }
  });

  test('a certificate of another name', async () => {
    const other = selfSigned(['mail.example']);
    const { port } = await startSmtp({ secure: true }, other);
    expectFailure(await testMail(smtpUrl(port, { scheme: 'smtps', host: ELSEWHERE, query: trusting(other) })), /altnames/);
  });

  test('nobody listens', async () => {
    const gone = await startTcp(() => undefined);
    await gone.close();
    expectFailure(await testMail(smtpUrl(gone.port)), /ECONNREFUSED/);
  });

  test.each([
    ['that is malformed', 'h3xjU0generated0secret'],
    ['of the web', `https://${USER.replace('@', '%40')}:secret-of-the-web@127.0.0.1/`],
    ['without a host', 'smtp:///'],
  ])('an SMTP URL %s', async (_, url) => {
    const result = await testMail(url);
    expectFailure(result, /SMTP/);
    expect(result.body['detail']).not.toMatch(/h3xjU0|secret-of-the-web/);
  });

  test('a password with an invalid percent encoding', async () => {
    const { port } = await startSmtp({}, certificate);
    const result = await testMail(`smtp://user:100%sure@127.0.0.1:${port}/${query}`);
    expectFailure(result, /SMTP/);
    expect(result.body['detail']).not.toContain('100%sure');
  });

  test('the secret cannot be read', async () => {
    const service = startHarness({
      config: { ...parseConfig({}), tableName: tableName(), mail: { transport: 'smtp', from: FROM } },
      fetchSecret: (name) => (name === 'adminToken' ? Promise.resolve('test-admin-token') : Promise.reject(new Error('AccessDenied'))),
    });
    closers.push(() => service.close());
    expectFailure(await service.call('sendTestMail', { body: { to: TO } }), /secret/);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['never greets', () => undefined],
    ['greets for ever', (socket) => void setInterval(() => socket.write('220-wait\r\n'), 20).unref()],
    ['goes silent after its greeting', (socket) => void socket.write('220 hello\r\n')],
    ['drips its answer', (socket) => (socket.write('220 hello\r\n'), void setInterval(() => socket.write('2'), 20).unref())],
  ])('a server that %s delays the request only for a limited time', async (_, behave) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      behave(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const service = serviceWith(smtpUrl(port));
    await expect(sendMail(service.app, FROM, { to: TO, subject: 's', text: 't' }, 300)).rejects.toThrow('no response within 0.3 s');
    server.close();
    for (const socket of sockets) socket.destroy();
  });
});

describe('a request can only send one mail to one address', () => {
  test.each([
    ['ada@example.com\r\nBcc: eve@example.com'],
    ['ada@example.com\nBcc: eve@example.com'],
    ['ada@example.com\rBcc: eve@example.com'],
    ['ada@example.com\u0000'],
    ['ada@example.com\u2028Bcc: eve@example.com'],
    ['ada@example.com%0d%0aBcc: eve@example.com'],
    ['ada@example.com, eve@example.com'],
    ['ada@example.com;eve@example.com'],
    ['ada@example.com eve@example.com'],
    ['Ada <ada@example.com>'],
    ['<ada@example.com>'],
    ['"ada@example.com\r\nDATA"@example.com'],
    ['"ada eve"@example.com'],
    ['ada@example.com> SIZE=1 <eve@example.com'],
    ['ada@[127.0.0.1]'],
    ['ada'],
    ['@example.com'],
    [''],
    [['ada@example.com', 'eve@example.com']],
    [{ address: 'ada@example.com' }],
    [null],
    [7],
  ])('%j is refused', async (to) => {
    const { port, accepted } = await startSmtp({ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'] });
    expect(await testMail(`smtp://127.0.0.1:${port}`, to)).toMatchObject({
      status: 422,
      headers: { 'X-Svc-Error-Code': 'invalid_request' },
    });
    expect(accepted).toEqual([]);
  });
});

describe('the operator sees whether mail is set up', () => {
  test('without a mail setup, the status says so, and a test mail is refused', async () => {
    const service = startHarness();
    closers.push(() => service.close());
    expect(await service.call('getMailStatus')).toMatchObject({ status: 200, body: { configured: false, from: null } });
    expect(await service.call('sendTestMail', { body: { to: TO } })).toMatchObject({
      status: 422,
      headers: { 'X-Svc-Error-Code': 'mail_not_configured' },
    });
  });

  test('with a mail setup, the status names the sender and nothing else', async () => {
    const { status, body } = await serviceWith(smtpUrl(1)).call('getMailStatus');
    expect({ status, body }).toEqual({ status: 200, body: { configured: true, from: FROM } });
  });

  test.each([
    [{ MAIL_TRANSPORT: 'smtp' }],
    [{ MAIL_FROM: FROM }],
    [{ MAIL_TRANSPORT: 'none', MAIL_FROM: FROM }],
    [{ MAIL_TRANSPORT: 'pigeon', MAIL_FROM: FROM }],
  ])('the settings %j are not enough to send mail', (environment) => expect(parseConfig(environment).mail).toEqual({ transport: 'none' }));
});

describe('through Amazon SES', () => {
  const environment = { ...process.env };
  afterEach(() => {
    process.env = { ...environment };
  });
  const useSes = (endpoint: string): void => {
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_SES: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'ses-secret-key',
    });
  };

  test('a test mail appears in the mailbox unchanged', async () => {
    const { default: startSes } = await import('aws-ses-v2-local');
    const ses = await startSes({ host: '127.0.0.1', port: 0 });
    closers.push(() => ses.close());
    const endpoint = `http://127.0.0.1:${(ses.address() as AddressInfo).port}`;
    useSes(endpoint);
    const { status, body } = await serviceWith('', 'ses').call('sendTestMail', { body: { to: TO } });
    expect({ status, body }).toEqual({ status: 200, body: { status: 'sent', to: TO, message_id: expect.stringMatching(/\S/) as string } });
    const { emails } = (await (await fetch(`${endpoint}/store`)).json()) as { emails: unknown[] };
    expect(emails).toMatchObject([
      { messageId: body['message_id'], from: FROM, destination: { to: [TO] }, subject: expect.stringContaining('Test mail') as string },
    ]);
  });

  test('SES gets every domain in ASCII, because it refuses others', async () => {
    const sent: unknown[] = [];
    const service = startHarness({
      config: { ...parseConfig({}), tableName: tableName(), mail: { transport: 'ses', from: FROM } },
      sendMail: (from, { to, replyTo }) => Promise.resolve(String(sent.push([from, to, replyTo]))),
    });
    closers.push(() => service.close());
    const mail = { to: 'info@müller.example', subject: 'Hi', text: 'Hello', replyTo: 'help@müller.example' };
    await sendMail(service.app, 'shop@müller.example', mail);
    expect(sent).toEqual([['shop', 'info', 'help'].map((name) => `${name}@xn--mller-kva.example`)]);
  });

  test('a refusal of SES is a 502 with its reason', async () => {
    const refusing = createServer((socket) => {
      const error =
        '<ErrorResponse><Error><Type>Sender</Type><Code>MessageRejected</Code><Message>Email address is not verified.</Message></Error></ErrorResponse>';
      socket
        .on('error', () => undefined)
        .once('data', () =>
          socket.end(`HTTP/1.1 400 Bad Request\r\ncontent-type: text/xml\r\ncontent-length: ${error.length}\r\n\r\n${error}`),
        );
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    closers.push(() => refusing.close());
    useSes(`http://127.0.0.1:${(refusing.address() as AddressInfo).port}`);
    const result = await serviceWith('', 'ses').call('sendTestMail', { body: { to: TO } });
    expectFailure(result, /Amazon SES: .*not verified/);
    expect(result.body['detail']).not.toContain('ses-secret-key');
  });

  test('an unreachable SES is a 502', async () => {
    const gone = await startTcp(() => undefined);
    await gone.close();
    useSes(`http://127.0.0.1:${gone.port}`);
    expectFailure(await serviceWith('', 'ses').call('sendTestMail', { body: { to: TO } }), /Amazon SES/);
  });
});
