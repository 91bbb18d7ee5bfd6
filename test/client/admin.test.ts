import { AdminApiError, createAdminClient, dataOf, verifyWebhook, WebhookVerificationError } from '../../client/admin/src';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { deliveryHeaders } from '../../lambdas/domain/webhook-signature';
import { adminToken, baseUrl, newProduct, newShop, newType } from '../support/http';
import { serveInProcess } from '../support/in-process';

/** Tests `@license-key-service/admin` in the way a vendor's backend uses it (docs/admin-client.md). */

serveInProcess();
const connect = () => createAdminClient({ baseUrl: `${baseUrl()}/`, token: adminToken() });

describe('the client with the real service', () => {
  test('the client calls a route with typed parameters, a typed body and a typed response', async () => {
    const { product, type } = await newShop();
    const client = connect();
    const { data, error } = await client.POST('/v1/products/{id}/licenses', {
      params: { path: { id: product.id } },
      body: { license_type_id: type.id, customer_email: 'ada@example.com' },
    });
    expect([data?.status, data?.customer_email, error]).toEqual(['active', 'ada@example.com', undefined]);
    const found = dataOf(await client.GET('/v1/licenses/{id}', { params: { path: { id: data?.id ?? 0 } } }));
    expect(found.key).toBe(data?.key);
  });

  test("a refusal is a value, or an exception with the service's message, the error code and the id of the request", async () => {
    const result = await connect().GET('/v1/licenses/{id}', { params: { path: { id: 999_999_999 } } });
    expect(result.error).toEqual({ detail: 'There is no such license' });
    let thrown: unknown;
    try {
      dataOf(result);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AdminApiError);
    expect(thrown).toMatchObject({
      message: 'There is no such license',
      status: 404,
      code: 'not_found',
      requestId: result.response.headers.get('x-request-id'),
    });
  });

  test('a list can be iterated by rows or by pages, and every request has the same filters', async () => {
    const product = await newProduct();
    for (let made = 0; made < 5; made += 1) await newType(product);
    const path = { path: { id: product.id } };
    const client = connect();
    const all: number[] = [];
    for await (const { id } of client.rows('/v1/products/{id}/license-types', { params: { ...path, query: { limit: 2 } } })) all.push(id);
    expect(all).toEqual([...all].sort((a, b) => a - b));
    expect(all).toHaveLength(5);
    const pages: number[] = [];
    for await (const { data } of client.pages('/v1/products/{id}/license-types', { params: { ...path, query: { limit: 2 } } }))
      pages.push(data.length);
    expect(pages).toEqual([2, 2, 1]);
  });

  test('a refused list throws an error, and so does an empty or dotted name, which would lead to another route', async () => {
    const client = connect();
    const rows = client.rows('/v1/products/{id}/license-types', { params: { path: { id: 999_999_999 } } });
    await expect(rows.next()).rejects.toMatchObject({ name: 'AdminApiError', code: 'not_found' });
    for (const filename of ['', '.', '..'])
      await expect(client.DELETE('/v1/releases/{id}/artifacts/{filename}', { params: { path: { id: 1, filename } } })).rejects.toThrow(
        `The path parameter filename must not be "${filename}"`,
      );
  });
});

describe('retries of the client', () => {
  type Respond = (request: IncomingMessage, response: ServerResponse, attempt: number) => void;
  /**
   * Runs a client against a server that responds with `respond`. Returns the requests of all attempts, with their bodies and idempotency
   * keys.
   */
  async function against(respond: Respond, use: (client: ReturnType<typeof createAdminClient>) => Promise<void>) {
    const seen: IncomingMessage[] = [];
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push(request);
        bodies.push(body);
        respond(request, response, seen.length);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await use(createAdminClient({ baseUrl: url, token: 'token' }));
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    return { seen, bodies, keys: seen.map(({ headers }) => headers['idempotency-key']) };
  }
  const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void =>
    void response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0', ...headers }).end(JSON.stringify(body));
  const busy = { detail: 'The service is busy, try again' };
  const issue = { params: { path: { id: 1 } }, body: { license_type_id: 1 } };

  test('retries have the same Idempotency-Key and body, so nothing is issued twice', async () => {
    const { keys, bodies, seen } = await against(
      (request, response, attempt) =>
        attempt === 1 ? request.socket.destroy() : attempt < 4 ? json(response, 503, busy) : json(response, 201, { id: 7 }),
      async (client) => {
        expect(dataOf(await client.POST('/v1/products/{id}/licenses', issue)).id).toBe(7);
        await client.POST('/v1/products/{id}/licenses', {
          ...issue,
          params: { ...issue.params, header: { 'Idempotency-Key': 'order-1' } },
        });
      },
    );
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[4]).toBe('order-1');
    expect(new Set(bodies)).toEqual(new Set(['{"license_type_id":1}']));
    expect(seen[3]?.headers['x-svc-admin-token']).toBe('token');
  });

  test('a POST without idempotency is retried only if the service reports that it did nothing', async () => {
    const sendMail = (client: ReturnType<typeof createAdminClient>) => client.POST('/v1/mail/test', { body: { to: 'ada@example.com' } });
    const faulty = await against(
      (_request, response) => json(response, 503, busy),
      async (client) => expect((await sendMail(client)).response.status).toBe(503),
    );
    expect(faulty.seen).toHaveLength(1);
    const broken = await against(
      (request) => void request.socket.destroy(),
      async (client) => expect(sendMail(client)).rejects.toThrow(),
    );
    expect(broken.seen).toHaveLength(1);
    const throttled = await against(
      (_request, response, attempt) => json(response, attempt === 1 ? 429 : 200, {}, { 'X-Svc-Error-Code': 'rate_limited' }),
      async (client) => expect((await sendMail(client)).response.status).toBe(200),
    );
    expect(throttled.seen).toHaveLength(2);
  });

  test('a refusal such as 429 `no_seats` is not retried', async () => {
    const { seen } = await against(
      (_request, response) =>
        json(response, 429, { detail: 'No seats are available on this license' }, { 'X-Svc-Error-Code': 'no_seats', 'Retry-After': '0' }),
      async (client) => {
        const result = await client.POST('/v1/licenses/{id}/offline', { params: { path: { id: 1 } }, body: { fingerprint: 'device-1' } });
        expect(result.error?.detail).toBe('No seats are available on this license');
      },
    );
    expect(seen).toHaveLength(1);
  });

  test('retries end when their time is over, and the last response is returned', async () => {
    const { seen } = await against(
      (_request, response) => json(response, 503, busy, { 'Retry-After': '3600' }),
      async (client) => expect((await client.GET('/v1/products')).error?.detail).toBe(busy.detail),
    );
    expect(seen).toHaveLength(1);
  });

  test('a server that asks for no wait at all is not flooded with requests', async () => {
    let attempts = 0;
    const fetch = (): Promise<Response> => {
      attempts += 1;
      return Promise.resolve(Response.json(busy, { status: 503, headers: { 'Retry-After': '0' } }));
    };
    const client = createAdminClient({ baseUrl: 'http://127.0.0.1', token: 'token', fetch, retryForMs: 350 });
    expect((await client.GET('/v1/products')).response.status).toBe(503);
    expect(attempts).toBeLessThanOrEqual(4);
  });

  test('an interrupted response counts as a failed attempt and is retried', async () => {
    const { seen } = await against(
      (_request, response, attempt) => {
        if (attempt > 1) return json(response, 200, []);
        response.writeHead(200, { 'Content-Length': '100' }).write('[');
        setImmediate(() => response.destroy());
      },
      async (client) => expect((await client.GET('/v1/products')).data).toEqual([]),
    );
    expect(seen).toHaveLength(2);
  });

  test('a redirect is not followed, because the other server would receive the token', async () => {
    const { seen } = await against(
      (_request, response) => void response.writeHead(302, { Location: '/elsewhere' }).end(),
      async (client) => expect((await client.GET('/v1/products')).response.status).toBe(302),
    );
    expect(seen.map(({ url }) => url)).toEqual(['/v1/products']);
  });
});

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
  const previous = `whsec_${Buffer.from('another one, which it has replaced').toString('base64')}`;
  const now = Date.parse('2026-11-20T14:00:00Z');
  const body = JSON.stringify({
    id: 'f'.repeat(32),
    event: 'webhook.test',
    timestamp: '2026-11-20 14:00:00.000+00:00',
    data: { product: 'é' },
  });
  const delivery = (...secrets: readonly [string, ...string[]]) =>
    deliveryHeaders({ id: 'f'.repeat(32), event: 'webhook.test', body }, secrets, now);
  const headers = delivery(secret);
  const refused = (sentence: RegExp, use: () => unknown): void => {
    expect(use).toThrow(WebhookVerificationError);
    expect(use).toThrow(sentence);
  };

  test('verifyWebhook returns the event of a delivery, for a body as text or bytes and for all kinds of headers', () => {
    const event = JSON.parse(body) as unknown;
    expect(verifyWebhook(body, headers, secret, now)).toEqual(event);
    expect(verifyWebhook(Buffer.from(body), headers, secret, now)).toEqual(event);
    expect(verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret, now)).toEqual(event);
    const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
    expect(verifyWebhook(body, lowerCase, secret, now)).toEqual(event);
    const { 'X-Svc-Signature': _, ...standard } = headers;
    expect(verifyWebhook(body, standard, secret, now)).toEqual(event);
  });

  test('verifyWebhook accepts a signature of the Standard Webhooks library, and uses the real time by default', () => {
    const at = new Date();
    const signed = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('msg_1', at, body),
    };
    expect(verifyWebhook(body, signed, secret)).toEqual(JSON.parse(body));
  });

  test('during a rotation verifyWebhook accepts both secrets, and it ignores signatures of unknown schemes', () => {
    const both = delivery(secret, previous);
    expect(verifyWebhook(body, both, secret, now).event).toBe('webhook.test');
    expect(verifyWebhook(body, both, previous, now).event).toBe('webhook.test');
    expect(verifyWebhook(body, { ...headers, 'webhook-signature': `v1a,AAAA ${headers['webhook-signature']}` }, secret, now).event).toBe(
      'webhook.test',
    );
    refused(/No signature is valid/, () => verifyWebhook(body, delivery(previous), secret, now));
  });

  test('verifyWebhook refuses a delivery whose body, id, time or signature was changed', () => {
    refused(/No signature is valid/, () => verifyWebhook(`${body} `, headers, secret, now));
    refused(/No signature is valid/, () => verifyWebhook(body, { ...headers, 'webhook-id': 'e'.repeat(32) }, secret, now));
    refused(/No signature is valid/, () => verifyWebhook(body, { ...headers, 'webhook-timestamp': String(now / 1000 + 1) }, secret, now));
    for (const signature of ['v1,', 'v1,AAAA', 'v2,' + String(headers['webhook-signature']).slice(3), 'x'])
      refused(/No signature is valid/, () => verifyWebhook(body, { ...headers, 'webhook-signature': signature }, secret, now));
  });

  test('verifyWebhook refuses a delivery whose time differs by more than 5 minutes', () => {
    for (const seconds of [300, -300]) expect(verifyWebhook(body, headers, secret, now + seconds * 1000).event).toBe('webhook.test');
    for (const seconds of [301, -301]) refused(/more than 5 minutes/, () => verifyWebhook(body, headers, secret, now + seconds * 1000));
    for (const timestamp of ['soon', '1e9', '-1', 'NaN'])
      refused(/not a time/, () => verifyWebhook(body, { ...headers, 'webhook-timestamp': timestamp }, secret, now));
  });

  test('verifyWebhook refuses a delivery that has only X-Svc-Signature, because that signature would never expire', () => {
    for (const missing of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      refused(new RegExp(`${missing} is missing`), () => verifyWebhook(body, { ...headers, [missing]: undefined }, secret, now));
  });

  test('verifyWebhook refuses every delivery if the secret is empty, because anybody could sign with an empty secret', () => {
    for (const empty of ['', 'whsec_', 'whsec_!']) refused(/secret is missing/, () => verifyWebhook(body, delivery('whsec_'), empty, now));
  });

  test('verifyWebhook refuses a signed body that is not JSON', () => {
    const signed = deliveryHeaders({ id: '1', event: 'webhook.test', body: 'no JSON' }, [secret], now);
    refused(/not JSON/, () => verifyWebhook('no JSON', signed, secret, now));
  });
});
