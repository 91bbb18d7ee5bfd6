import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod/mini';
import { endpoints } from '../../lambdas/contract';
import { isDestructive, type Endpoint } from '../../lambdas/contract/endpoint';
import { permits, scopes, type Scope } from '../../lambdas/contract/scopes';
import { tableName } from '../support/harness';
import { adminToken, baseUrl, newAdminToken, newShop, post, send } from '../support/http';
import { serveInProcess } from '../support/in-process';
import { copyLicense } from '../support/many-licenses';
import { startMcp, startMcpHere, textOf, type McpProcess, type McpSession } from '../support/mcp';
import { bodyOf, namesOf, newTarget, pathValues, queryOf, type Target } from '../support/routes';

/**
 * Tests `npm run mcp` as an assistant uses it (docs/mcp.md): with the client of the official MCP library. The server of most calls runs in
 * a separate process. The sessions for which only the tools or the errors matter have a server in this process.
 */

serveInProcess();

const admin = endpoints.filter(({ credential }) => credential === 'admin');
const sessions: McpSession[] = [];
afterAll(() => Promise.all(sessions.map(({ close }) => close())));

async function closedLater<Session extends McpSession>(starting: Promise<Session>): Promise<Session> {
  const started = await starting;
  sessions.push(started);
  return started;
}
const session = (token: string, { isReadOnly = false, url = baseUrl() } = {}): Promise<McpSession> =>
  closedLater(startMcpHere({ adminToken: token, baseUrl: url, isReadOnly }));
const toolsOf = async ({ client }: McpSession): Promise<readonly Tool[]> => (await client.listTools()).tools;
const namesOfTools = async (of: McpSession): Promise<readonly string[]> => (await toolsOf(of)).map(({ name }) => name).sort();
const namesOfRows = (rows: readonly Endpoint[]): readonly string[] => rows.map(({ name }) => name).sort();

/** The arguments for a valid request: the parts of its path, query and body in one flat object. */
const argumentsOf = (row: Endpoint, target: Target): Record<string, unknown> => ({
  ...pathValues(row, namesOf(target)),
  ...(row.name === 'consumeForLicense' && { license_id: target.license.id }),
  ...Object.fromEntries(new URLSearchParams(queryOf(row, namesOf(target)))),
  ...(row.body && bodyOf(row, namesOf(target))),
});

let main: McpProcess;
let tools: ReadonlyMap<string, Tool>;
beforeAll(async () => {
  main = await closedLater(startMcp(adminToken(), ['--base-url', baseUrl()]));
  tools = new Map((await toolsOf(main)).map((tool) => [tool.name, tool]));
});

describe('the tools that are listed', () => {
  test("are all admin routes for the deployment's token", async () => expect([...tools.keys()].sort()).toEqual(namesOfRows(admin)));

  const allowedTo = (scope: Scope): readonly Endpoint[] => admin.filter((row) => row.scope !== undefined && permits([scope], row.scope));
  const expectNoTool = async (of: McpSession, row: Endpoint | undefined): Promise<void> => {
    if (row) expect(textOf(await of.call(row.name))).toBe(`There is no tool ${row.name}, or this token may not use it`);
  };

  test.each(scopes.map((scope) => [scope]))('are those that the scope %s allows, and no others', async (scope: Scope) => {
    const unbound = await session(await newAdminToken({ scopes: [scope] }));
    expect(await namesOfTools(unbound)).toEqual(namesOfRows(allowedTo(scope)));
    // A tool that isn't listed can't be called either.
    await expectNoTool(
      unbound,
      admin.find((row) => !allowedTo(scope).includes(row)),
    );
  });

  test('are only those that the scope allows and that change nothing, if the session is read-only', async () => {
    const readOnly = await session(await newAdminToken({ scopes: ['licenses'] }), { isReadOnly: true });
    expect(await namesOfTools(readOnly)).toEqual(namesOfRows(allowedTo('licenses').filter(({ method }) => method === 'GET')));
    await expectNoTool(
      readOnly,
      allowedTo('licenses').find(({ method }) => method !== 'GET'),
    );
  });

  test('omit routes that belong to no product if the token is bound to a product', async () => {
    const { product } = await newShop();
    const bound = await session(await newAdminToken({ scopes: ['admin'], product_id: product.id }));
    expect(await namesOfTools(bound)).toEqual(namesOfRows(admin.filter(({ subject }) => subject !== 'deployment')));
  });
});

describe('a tool', () => {
  test.each(admin.map((row) => [row.name, row] as const))('%s takes flat arguments, and describes its effect', (_name, row) => {
    const tool = tools.get(row.name);
    const [path = [], query = [], body = []] = [row.params, row.query, row.body].map((part) =>
      part instanceof z.ZodMiniObject ? Object.keys(part.shape) : [],
    );
    const parts = [path.map((name) => (body.includes(name) ? `${row.subject}_${name}` : name)), query, body];
    // Two parts of a request must not have arguments of the same name.
    expect(Object.keys(tool?.inputSchema.properties ?? {}).sort()).toEqual(parts.flat().sort());
    expect(tool).toMatchObject({
      title: row.summary,
      description: row.description,
      inputSchema: { type: 'object', additionalProperties: false },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: row.method === 'GET' },
    });
    expect(tool?.inputSchema.required ?? []).toEqual(expect.arrayContaining(parts[0] ?? []));
  });

  test('that removes something is marked as destructive, and a tool that only adds something is not', () => {
    const marked = [...tools.values()].flatMap(({ name, annotations }) => (annotations?.destructiveHint ? [name] : []));
    expect(marked).toEqual(
      expect.arrayContaining([
        'revokeLicense',
        'suspendLicense',
        'resetLicense',
        'reissueLicense',
        'updateLicense',
        'deleteActivation',
        'deleteRelease',
        'deleteArtifact',
        'yankRelease',
        'deleteSigningKey',
        'rotateApiKey',
        'rotateWebhookSecret',
        'revokeToken',
        'eraseCustomer',
        'setWebhook',
      ]),
    );
    for (const { name, method, status } of admin)
      if (method === 'GET' || status === 201) expect([name, marked.includes(name)]).toEqual([name, false]);
    for (const { name, method } of admin) if (method === 'DELETE') expect([name, marked.includes(name)]).toEqual([name, true]);
    for (const name of ['renewLicense', 'renewUpdates']) expect(marked).not.toContain(name);
  });

  test('that may be repeated is marked as idempotent, and a tool that has an effect each time is not', () => {
    const hint = (name: string): boolean | undefined => tools.get(name)?.annotations?.idempotentHint;
    for (const name of ['getLicense', 'revokeLicense', 'deleteRelease', 'updateLicense']) expect([name, hint(name)]).toEqual([name, true]);
    // Each reset sends an event, and frees the seats that were taken since the previous reset.
    for (const name of ['createLicense', 'renewLicense', 'resetLicense', 'reissueLicense', 'sendTestMail', 'rotateApiKey'])
      expect([name, hint(name)]).toEqual([name, false]);
  });
});

describe('a call', () => {
  let shared: Target;
  beforeAll(async () => {
    shared = await newTarget();
  });

  // The client checks each result with the tool's output schema.
  test.each(admin.map((row) => [row.name, row] as const))('of %s does what the route does', async (_name, row) => {
    // The routes that only read or add something share a product, because they don't change what other routes need. Publishing and
    // unyanking need a release in another state.
    const isSharing = !isDestructive(row) && row.name !== 'publishRelease' && row.name !== 'unyankRelease';
    const target = row.method === 'GET' || isSharing ? shared : await newTarget(row);
    const result = await main.call(row.name, argumentsOf(row, target));
    if (row.name === 'createSigningKey' || row.name === 'reconcilePayments')
      return expect(result).toMatchObject({ isError: true, _meta: { status: row.name === 'createSigningKey' ? 409 : 422 } });
    expect({ error: result.isError, text: textOf(result) }).toEqual({ error: undefined, text: expect.anything() });
    expect(JSON.parse(textOf(result).split('\n')[0] ?? '')).toEqual(result.structuredContent);
    if (row.response instanceof z.ZodMiniArray) expect(result.structuredContent).toMatchObject({ items: expect.any(Array) });
  });

  test("shows no secret that the token's scope must not see", async () => {
    const target = await newTarget();
    const read = await session(await newAdminToken({ scopes: ['read'] }));
    const webhook = await main.call('getWebhook', { id: target.product.id });
    const connection = await main.call('getPaymentConnection', { id: target.connectionId });
    const secrets = [target.product.api_key, webhook.structuredContent?.['secret'], connection.structuredContent?.['url']].map(String);
    for (const name of await namesOfTools(read)) {
      const row = admin.find((candidate) => candidate.name === name);
      if (!row) throw new Error(`There is no row ${name}`);
      const result = JSON.stringify(await read.call(name, argumentsOf(row, target)));
      for (const secret of secrets) expect([name, result.includes(secret)]).toEqual([name, false]);
    }
    expect(textOf(webhook)).toContain(String(webhook.structuredContent?.['secret']));
  });

  test('of a list returns at most 100 items, and says how to get the next page', async () => {
    const { product, license } = await newShop();
    await copyLicense(license, 100, tableName());
    const idsOf = (result: { structuredContent?: Record<string, unknown> }): number[] =>
      (result.structuredContent!['items'] as { id: number }[]).map(({ id }) => id);

    const first = await main.call('listLicenses', { id: product.id, limit: 1000 });
    const cursor = first.structuredContent?.['next_cursor'];
    expect(idsOf(first)).toHaveLength(100);
    expect(textOf(first)).toContain(`call listLicenses again with the same arguments and "cursor": "${String(cursor)}"`);
    const second = await main.call('listLicenses', { id: product.id, cursor });
    expect(second.structuredContent?.['next_cursor']).toBeNull();
    expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(101);
    expect(idsOf(await main.call('listLicenses', { id: product.id, limit: 2 }))).toHaveLength(2);
  });
});

describe('a tool reports an error with a readable message', () => {
  const sentence = async (name: string, args: Record<string, unknown>, of = main): Promise<string> => {
    const result = await of.call(name, args);
    expect(result.isError).toBe(true);
    return textOf(result);
  };

  test('of the service', async () => {
    const { product } = await newShop();
    expect(await main.call('getLicense', { id: 999_999_999 })).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'There is no such license' }],
      _meta: { status: 404, code: 'not_found', request_id: expect.any(String) },
    });
    expect(await sentence('createLicense', { id: product.id, customer_email: 'nobody' })).toMatch(
      /license_type_id is required.*customer_email|customer_email.*license_type_id is required/,
    );
    expect(await sentence('listLicenses', { id: product.id, limit: 0 })).toMatch(/^limit must be/);
    expect(await sentence('listLicenses', { id: product.id, limit: 'ten' })).toMatch(/^limit must be/);
  });

  test('with an argument that no request can contain', async () => {
    expect(await sentence('getLicense', {})).toBe('id is required');
    expect(await sentence('getLicense', { id: { a: 1 } })).toBe('id must be a string, a number or a boolean');
    expect(await sentence('getLicense', { id: 1, license: 2 })).toBe('getLicense has no argument license; it has id');
    expect(await sentence('noSuchTool', {})).toBe('There is no tool noSuchTool, or this token may not use it');
  });

  test('with a name that would lead to another route deletes nothing else', async () => {
    const { releaseId } = await newTarget(admin.find(({ name }) => name === 'deleteArtifact'));
    for (const filename of ['.', '..', ''])
      expect(await sentence('deleteArtifact', { id: releaseId, filename })).toBe('filename must not be empty, "." or ".."');
    expect((await main.call('getRelease', { id: releaseId })).structuredContent).toMatchObject({ id: releaseId });
  });

  test('with a token that was revoked during the session, or was never valid', async () => {
    const { body } = await post<{ id: number; token: string }>('/v1/tokens', { name: 'soon revoked', scopes: ['read'] });
    const soon = await session(body.token);
    expect((await soon.call('listProducts')).isError).toBeUndefined();
    await send(`/v1/tokens/${body.id}`, { method: 'DELETE', headers: { 'X-Svc-Admin-Token': adminToken() } });
    await expect(session('wrong').then(({ client }) => client.listTools())).rejects.toThrow(
      'The service does not accept this admin token.',
    );
  });

  test('with a URL at which there is no service', async () => {
    const page = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(page, 'listening');
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    const elsewhere = await session('any', { url });
    await expect(elsewhere.client.listTools()).rejects.toThrow(`The response from ${url} is not JSON`);
    page.close();
  });

  test('before the assistant stops waiting, which many assistants do after 60 s', async () => {
    const seconds = { 'Retry-After': '25' };
    const busy = createServer((_request, response) => response.writeHead(503, seconds).end('{"detail":"The service is busy"}'));
    await once(busy.listen(0, '127.0.0.1'), 'listening');
    const waiting = await session('any', { url: `http://127.0.0.1:${(busy.address() as AddressInfo).port}` });
    const listed = await waiting.client.listTools(undefined, { timeout: 20_000 }).catch(String);
    busy.close();
    expect(listed).toContain('The service is busy');
  });
});

test('a conversation of 30 calls works, some of them at the same time', async () => {
  const { product, type } = await newShop();
  const before = ((await main.call('listLicenses', { id: product.id })).structuredContent!['items'] as unknown[]).length;
  for (let round = 0; round < 3; round += 1) {
    const issued = await main.call('createLicense', { id: product.id, license_type_id: type.id, mail: false });
    const id = issued.structuredContent?.['id'];
    const results = await Promise.all([
      main.call('getLicense', { id }),
      main.call('renewLicense', { id, days: 0 }),
      ...Array.from({ length: 7 }, () => main.call('listLicenseEvents', { id })),
      main.call('getProduct', { id: product.id }),
    ]);
    // A refused call does not end the session.
    expect(results.map(({ isError }) => isError === true)).toEqual(results.map((_, index) => index === 1));
    expect(results[0]?.structuredContent).toMatchObject({ id });
  }
  const after = (await main.call('listLicenses', { id: product.id })).structuredContent?.['items'] as unknown[];
  expect(after).toHaveLength(before + 3);
  expect(main.errors()).toBe('');
});

// Without `--silent`, npm prints lines of its own, which the client skips.
test('npm run mcp starts the same server, and its option --read-only offers only tools that change nothing', async () => {
  const started = await closedLater(startMcp(adminToken(), ['--base-url', baseUrl(), '--read-only'], ['npm', 'run', 'mcp', '--']));
  expect(await namesOfTools(started)).toEqual(namesOfRows(admin.filter(({ method }) => method === 'GET')));
});
