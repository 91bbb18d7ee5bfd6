import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { RUN_TOKEN, TOKEN_HEADER } from '../../../infra/local/aws';
import * as door from '../../../infra/local/door';
import * as dynamodb from '../../../infra/local/dynamodb';
import * as dynoxide from '../../../infra/local/dynoxide';
import * as emulator from '../../../infra/local/emulator';
import type { Endpoints } from '../../../infra/local/lambda';
import * as secretsManager from '../../../infra/local/secrets-manager';
import * as ses from '../../../infra/local/ses';
import * as sqs from '../../../infra/local/sqs';
import { openTab, startBrowser } from '../../support/browser';
import { adminToken, baseUrl, get, mailboxUrl, send } from '../../support/http';
import { rawExchange, templateOf } from './support';

/** Only this run may use its local AWS services. Other programs on the computer and pages in a browser must be refused. */

const secrets = templateOf({ Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'known', SecretString: 'given' } } });

interface Door {
  readonly start: () => Promise<{ readonly endpoint: string; stop(): Promise<void> }>;
  readonly call: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  };
}

const json = (target: string, type = '1.0') => ({ 'content-type': `application/x-amz-json-${type}`, 'x-amz-target': target });

/** The emulator requires a signature, but accepts the signature of any key. */
const signed = {
  'x-amz-date': '20260101T000000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/any/aws4_request, SignedHeaders=host, Signature=0',
};
const listTables: Door['call'] = { method: 'POST', path: '/', headers: { ...json('DynamoDB_20120810.ListTables'), ...signed }, body: '{}' };

const doors: Readonly<Record<string, Door>> = {
  'Secrets Manager': {
    start: () => secretsManager.start(secrets, {}),
    call: { method: 'POST', path: '/', headers: json('secretsmanager.GetSecretValue', '1.1'), body: '{"SecretId":"known"}' },
  },
  SQS: { start: () => sqs.start(), call: { method: 'POST', path: '/', headers: json('AmazonSQS.ListQueues'), body: '{}' } },
  'the queues’ own pages': { start: () => sqs.start(), call: { method: 'GET', path: '/_fauxqs/queues', headers: {} } },
  'SES’s mailbox': { start: () => ses.start(), call: { method: 'GET', path: '/store', headers: {} } },
  DynamoDB: { start: () => emulator.start(dynoxide.program(undefined)), call: listTables },
  'DynamoDB in the host network': { start: () => emulator.start(dynoxide.program(undefined), undefined, false), call: listTables },
};

describe.each(Object.entries(doors))('the local service %s', (_name, { start, call: { method, path, headers, body } }) => {
  let service: Awaited<ReturnType<Door['start']>>;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());

  const statusWith = async (more: Record<string, string>): Promise<number> =>
    (await send(path, { method, body, headers: { ...headers, ...more }, baseUrl: service.endpoint, alone: true })).status;

  test("the service refuses callers without the run's credential, from a web page, or with another host name", async () => {
    const credential = { [TOKEN_HEADER]: RUN_TOKEN };
    expect(await statusWith(credential)).toBe(200);
    const strangers: Record<string, string>[] = [
      {},
      { [TOKEN_HEADER]: 'guessed' },
      { [TOKEN_HEADER]: RUN_TOKEN.slice(1) },
      { ...credential, Origin: 'https://evil.example' },
      { ...credential, Origin: service.endpoint },
      { ...credential, Origin: 'null' },
      { ...credential, Host: `evil.example:${new URL(service.endpoint).port}` },
      { ...credential, Host: new URL(service.endpoint).hostname },
    ];
    const statuses = await Promise.all(strangers.map(statusWith));
    expect(statuses.map((status) => (status >= 400 ? 'refused' : status))).toEqual(strangers.map(() => 'refused'));
  });
});

describe('the protected database', () => {
  /** The address that a child process of the proxy listens on. Every user of this computer can read it from /proc. */
  const listensAt = (pid: number): string => {
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    const [, host = '', port = ''] = /--host\0([^\0]+)\0--port\0(\d+)/.exec(readFileSync(`/proc/${child}/cmdline`, 'utf8')) ?? [];
    return `http://${host}:${port}`;
  };
  const statusAt = ({ pid }: emulator.Emulator): Promise<number> => {
    const { path, method, headers, body } = listTables;
    return send(path, { method, headers, body, baseUrl: listensAt(pid), alone: true }).then(({ status }) => status);
  };

  test('no other program can connect to the database directly, if the system lets users create network namespaces', async () => {
    const behind = await emulator.start(dynoxide.program(undefined));
    expect(behind.isAlone).toBe(emulator.canBeAlone());
    if (behind.isAlone) await expect(statusAt(behind)).rejects.toThrow('ECONNREFUSED');
    await behind.stop();
  });

  test('without a separate network, other programs can connect to the database directly, and the run says so', async () => {
    const behind = await emulator.start(dynoxide.program(undefined), undefined, false);
    expect([behind.isAlone, await statusAt(behind)]).toEqual([false, 200]);
    await behind.stop();
    expect(dynamodb.nameOf('dynoxide', false)).toMatch(/^dynoxide, .*other users of this computer can connect to it/);
    expect(dynamodb.nameOf('dynoxide', true)).toBe('dynoxide');
  });

  test('a caller with incomplete or endless headers does not delay other callers', async () => {
    const behind = await emulator.start(dynoxide.program(undefined));
    const { hostname, port } = new URL(behind.endpoint);
    const silent = connect(Number(port), hostname).on('error', () => undefined);
    silent.write('POST / HTTP/1.1\r\n');
    expect(await rawExchange(behind.endpoint, 'POST / HTTP/1.1\r\n', `x-long: ${'x'.repeat(20_000)}`)).toMatch(
      /^HTTP\/1\.1 400 .*The headers of the request are too long/s,
    );
    const headers = Object.entries(listTables.headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n');
    // A request that arrives in several parts must be served, too.
    expect(
      await rawExchange(
        behind.endpoint,
        'POST / HTTP/1.1\r\nHost: ',
        `${hostname}:${port}\r\n${TOKEN_HEADER}: ${RUN_TOKEN}\r\n`,
        `${headers}\r\ncontent-length: 2\r\nconnection: close\r\n\r`,
        '\n{}',
      ),
    ).toMatch(/^HTTP\/1\.1 200 .*"TableNames":\[\]/s);
    silent.destroy();
    await behind.stop();
  });
});

describe('the routes that only the local run has', () => {
  const folder = 'infra/local';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const paths = files.flatMap((file) => readFileSync(`${folder}/${file}`, 'utf8').match(/(?<=')\/_local\/\w+(?=')/g) ?? []);

  test('only callers with the admin token may use the local routes', async () => {
    expect(paths).toContain('/_local/mail');
    for (const path of paths) {
      for (const headers of [{}, { 'X-Svc-Admin-Token': 'wrong' }, { Accept: 'text/html' }]) {
        const { status, headers: received } = await send(path, { headers });
        expect([path, status, received['x-svc-error-code']]).toEqual([path, 401, 'unauthorized']);
      }
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
  });

  test("the mailbox also opens by this run's link, which is not revealed to pages that are opened from a mail", async () => {
    const { origin, pathname, search } = new URL(mailboxUrl());
    expect(origin).toBe(baseUrl());
    const { status, headers } = await send(pathname + search, { headers: { Accept: 'text/html' } });
    expect([status, headers['referrer-policy'], headers['cache-control']]).toEqual([200, 'no-referrer', 'no-store']);
    for (const guess of ['?key=', '?key=wrong', `?${search.slice(1).replace('key', 'other')}`, search.slice(0, -1)])
      expect((await send(pathname + guess)).status).toBe(401);
    expect((await send(pathname, { headers: { Accept: 'text/html' } })).text).toContain('opens with the link that npm start printed');
  });
});

test('on Linux the address of a service is a random loopback address, and on other systems 127.0.0.1', () => {
  const addresses = Array.from({ length: 200 }, () => door.loopbackAddress('linux'));
  expect(addresses.every((address) => /^127(\.\d{1,3}){3}$/.test(address) && !address.startsWith('127.0.'))).toBe(true);
  expect(new Set(addresses).size).toBeGreaterThan(190);
  expect(door.loopbackAddress('darwin')).toBe('127.0.0.1');
});

interface PageRequest {
  readonly method?: string;
  readonly mode?: 'no-cors';
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

describe('a page of another origin in a browser', () => {
  let site: Server;
  let browser: Browser;
  let page: Page;
  let origin: string;
  const { port } = new URL(baseUrl());
  const endpoints = JSON.parse(process.env['LKS_ENDPOINTS'] ?? '{}') as Endpoints;

  beforeAll(async () => {
    site = createServer((_request, response) =>
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Somebody’s page</title>'),
    ).listen(0, '127.0.0.1');
    await once(site, 'listening');
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    // This host name simulates an attacker's domain whose name server returns this computer's address (DNS rebinding).
    browser = await startBrowser('--host-resolver-rules=MAP rebound.example 127.0.0.1');
    ({ page } = await openTab(browser));
    await page.goto(origin);
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
  });

  /** The part of a response that the page can read: the status and the text, or `nothing`. */
  const fetchFrom = (url: string, init: PageRequest = {}): Promise<string> =>
    page.evaluate(
      ([to, how]) =>
        fetch(to, how).then(
          async (response) => (response.type === 'opaque' ? 'nothing' : `${response.status} ${await response.text()}`),
          () => 'nothing',
        ),
      [url, init] as const,
    );
  const post = (body: string, headers: Record<string, string> = {}): PageRequest => ({ method: 'POST', body, headers });

  test('the page finds no local service at the usual loopback addresses', async () => {
    const ports = new Set(Object.values(endpoints).map((endpoint: string) => new URL(endpoint).port));
    // A service at another address can have the same port as the page's own site.
    ports.delete(new URL(origin).port);
    for (const at of ports) {
      for (const host of ['127.0.0.1', 'localhost']) {
        expect([host, await fetchFrom(`http://${host}:${at}/`)]).toEqual([host, 'nothing']);
        expect([host, await fetchFrom(`http://${host}:${at}/`, post('{}', json('DynamoDB_20120810.ListTables')))]).toEqual([
          host,
          'nothing',
        ]);
      }
    }
  });

  test('the page can neither read from a local service nor use it, even if it knows the address', async () => {
    const secret = post('{"SecretId":"known"}', json('secretsmanager.GetSecretValue', '1.1'));
    expect(await fetchFrom(endpoints.secretsManager, secret)).toBe('nothing');
    expect(await fetchFrom(endpoints.sqs, post('{}', json('AmazonSQS.ListQueues')))).toBe('nothing');
    expect(await fetchFrom(`${endpoints.sqs}/_fauxqs/queues`)).toBe('nothing');
    // A browser sends a form like this one without a preflight, so the local service itself must refuse the request.
    const form = new URLSearchParams({
      Action: 'SendEmail',
      Source: 'licenses@example.com',
      'Destination.ToAddresses.member.1': 'page@example.com',
      'Message.Subject.Data': 'x',
      'Message.Body.Text.Data': 'x',
    });
    await fetchFrom(endpoints.ses ?? '', {
      ...post(form.toString(), { 'content-type': 'application/x-www-form-urlencoded' }),
      mode: 'no-cors',
    });
    expect((await get('/_local/mail')).text).not.toContain('page@example.com');
  });

  test('the page can read neither the mailbox, the clock nor admin routes through the gateway', async () => {
    const withToken = { headers: { 'X-Svc-Admin-Token': adminToken() } };
    for (const path of ['/_local/mail', '/_local/clock', '/v1/products']) {
      expect([path, await fetchFrom(`${baseUrl()}${path}`)]).toEqual([path, 'nothing']);
      expect([path, await fetchFrom(`${baseUrl()}${path}`, withToken)]).toEqual([path, 'nothing']);
    }
  });

  test('a request with a foreign host name that resolves to this computer is refused', async () => {
    for (const path of ['/_local/mail', '/_local/clock', '/', '/admin', '/v1/products']) {
      const response = await page.goto(`http://rebound.example:${port}${path}`);
      expect([path, response?.status(), await response?.json()]).toEqual([path, 421, { detail: expect.any(String) as string }]);
    }
  });
});
