import type { AuditEntryView } from '../../lambdas/contract/audit';
import { endpoints } from '../../lambdas/contract';
import { addressHash } from '../../lambdas/domain/audit';
import { writeOfflineRequest } from '../../client/src/offline-request';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import type { MailServer } from '../support/mail-server';
import { startFiles } from '../support/files';
import { declare, upload, type Upload } from '../support/releases';
import type { Product } from '../support/event-harness';
import { allActions, freshPortals, newPortalToken, startPortalHarness, toCodeMail, type PortalHarness } from '../support/portal';
import { newTarget, validRequest } from '../support/valid-requests';

/** Tests what a signed-in buyer can see and do, and which data and actions the portal must refuse. */

captureLogs();
const MINUTE = 60_000;
const DAY = 86_400_000;
let mail: MailServer;
let table: string;
let service: PortalHarness;
let product: Product;
let ada: string;
let session: string;
let license: { id: number; key: string };

freshPortals(async (fresh) => {
  ({ table, mail, service, product, ada } = fresh);
  license = await product.license({ customer_email: ada, metadata: { note: 'secret-note' } });
  session = await signInByLink();
});

/** Signs a buyer in, by default Ada, with a link that the vendor creates. This needs no mail, unlike `service.session`. */
async function signInByLink(email = ada): Promise<string> {
  return String((await service.signIn(product, { token: await newPortalToken(service.ok, product.id, email) })).body['session']);
}
const refs = async (): Promise<readonly string[]> => (await service.licenses(product, session))[0]!.devices.map(({ ref }) => ref);
const free = (ref: string, id = license.id) => service.as(product, session, 'freePortalDevice', { params: { id, ref } });
const audit = async (): Promise<AuditEntryView[]> =>
  (await service.ok<AuditEntryView[]>('listAudit', { query: { product_id: String(product.id) } })).filter(({ actor }) => actor === 'buyer');

describe('the list of licenses', () => {
  test('shows what a buyer needs, and no data of the vendor', async () => {
    await product.activate(license.key, 'fingerprint-1');
    await service.ok('suspendLicense', { params: { id: license.id }, body: { reason: 'secret-reason' } });
    const [shown, ...more] = await service.licenses(product, session);
    expect(more).toEqual([]);
    expect(Object.keys(shown!).sort()).toEqual(
      [
        'id',
        'limits',
        'meters',
        'key',
        'label',
        'status',
        'expires_at',
        'license_type',
        'features',
        'seats',
        'updates',
        'order',
        'created_at',
        'devices',
        'member_id',
        'members',
        'role',
        'frees_left',
        'renew_url',
      ].sort(),
    );
    expect(shown).toMatchObject({ key: license.key, status: 'suspended', seats: { used: 1 }, frees_left: 5, order: null });
    expect(Object.keys(shown!.devices[0]!).sort()).toEqual(['activated_at', 'last_seen_on', 'member', 'name', 'platform', 'ref']);
    expect(JSON.stringify(shown)).not.toMatch(/secret-|fingerprint|metadata|@example/);
  });

  test('has the renewal page of each license that has an end and can be renewed', async () => {
    await service.ok('setMailSettings', { params: { id: product.id }, body: { renew_url: 'https://example.com/renew?id={{license_id}}' } });
    const renewUrl = async (): Promise<unknown> => (await service.licenses(product, session))[0]?.renew_url;
    await service.ok('updateLicense', { params: { id: license.id }, body: { expires_at: null } });
    expect(await renewUrl()).toBeNull();
    await service.ok('updateLicense', { params: { id: license.id }, body: { expires_at: new Date(service.now() + DAY).toISOString() } });
    expect(await renewUrl()).toBe(`https://example.com/renew?id=${license.id}`);
    await service.ok('suspendLicense', { params: { id: license.id }, body: {} });
    expect(await renewUrl()).toBeNull();
  });

  test('has the newest first, in pages', async () => {
    const second = await product.license({ customer_email: ada.toUpperCase() });
    const page = await service.as(product, session, 'listPortalLicenses', { query: { limit: '1' } });
    expect((page.body as unknown as { id: number }[]).map(({ id }) => id)).toEqual([second.id]);
    const [, cursor = ''] = /cursor=([\w-]+)/.exec(page.headers['Link'] ?? '') ?? [];
    const next = await service.as(product, session, 'listPortalLicenses', { query: { limit: '1', cursor } });
    expect((next.body as unknown as { id: number }[]).map(({ id }) => id)).toEqual([license.id]);
  });

  test('no longer shows a license that the operator moves to another address', async () => {
    await service.ok('updateLicense', { params: { id: license.id }, body: { customer_email: 'new@example.com' } });
    expect(await service.licenses(product, session)).toEqual([]);
    expect((await service.as(product, session, 'mailPortalLicense', { params: { id: license.id } })).status).toBe(404);
  });

  test('has no trial whose address is not verified', async () => {
    await service.ok('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Trial', kind: 'trial', duration_days: 9, self_service: true },
    });
    await service.call('startTrial', {
      params: { id: product.id },
      apiKey: product.api_key,
      body: { fingerprint: 'a-device-1', customer_email: ada },
    });
    expect(await service.licenses(product, session)).toHaveLength(1);
  });
});

describe('the label of a license', () => {
  const label = (text: unknown, as = session) =>
    service.as(product, as, 'labelPortalLicense', { params: { id: license.id }, body: { label: text } });

  test('is shown to the buyer, to the operator and to the receiver of events, until it is removed', async () => {
    expect((await label('Studio computer')).body).toEqual({ label: 'Studio computer' });
    expect(await service.licenses(product, session)).toMatchObject([{ label: 'Studio computer' }]);
    expect(await service.ok('getLicense', { params: { id: license.id } })).toMatchObject({ label: 'Studio computer' });
    const [event] = await product.deliveries({ event: 'license.updated' });
    expect(event!.payload.data).toMatchObject({ license: { label: 'Studio computer' } });
    expect(JSON.stringify(await audit())).not.toContain('Studio');
    expect((await label('')).body).toEqual({ label: null });
    expect(await service.licenses(product, session)).toMatchObject([{ label: null }]);
  });

  test('is refused if it is too long or missing, and for the license of somebody else', async () => {
    for (const text of ['x'.repeat(61), 'a\u0000b', 7, undefined]) expect((await label(text)).status).toBe(422);
    await product.license({ customer_email: 'other@example.com' });
    expect((await label('mine', await signInByLink('other@example.com'))).status).toBe(404);
  });
});

describe('freeing a device', () => {
  test('frees its seat, with an event and an entry in the audit log that does not name the buyer', async () => {
    await product.activate(license.key, 'fingerprint-1');
    const [ref = ''] = await refs();
    expect((await free(ref)).body).toEqual({ freed: true });
    expect((await free(ref)).body).toEqual({ freed: false });
    expect(await refs()).toEqual([]);
    const [event] = await product.deliveries({ event: 'license.deactivated' });
    expect(event!.payload.data).toMatchObject({ reason: 'buyer', device: { fingerprint: 'fingerprint-1' } });
    expect(await audit()).toMatchObject([
      { actor: 'buyer', action: 'freePortalDevice', license_id: license.id, target: addressHash(ada), source_ip: null, user_agent: null },
    ]);
    expect(JSON.stringify(await audit())).not.toContain(ada);
  });

  test('is limited for 30 days from the first freed seat; seats that an operator frees do not count', async () => {
    await service.openPortal(product, { frees_per_30_days: 2 });
    const occupy = async (name: string): Promise<string> => {
      await product.activate(license.key, name);
      return (await refs())[0] ?? '';
    };
    await occupy('device-0-by-operator');
    await service.ok('deleteActivation', { params: { id: license.id, fingerprint: 'device-0-by-operator' } });
    await free(await occupy('device-1-long'));
    service.advance(29 * DAY);
    session = await signInByLink();
    await free(await occupy('device-2-long'));
    const third = await occupy('device-3-long');
    expect(await service.licenses(product, session)).toMatchObject([{ frees_left: 0 }]);
    const refused = await free(third);
    expect([refused.status, refused.headers['X-Svc-Error-Code']]).toEqual([429, 'too_many_frees']);
    expect((await free('unknown')).body).toEqual({ freed: false });
    service.advance(DAY);
    session = await signInByLink();
    expect((await free(third)).body).toEqual({ freed: true });
    await service.openPortal(product, { frees_per_30_days: 0 });
    expect(await service.licenses(product, session)).toMatchObject([{ frees_left: null }]);
  });

  test('stays within its limit, no matter how many requests arrive at once', async () => {
    await service.openPortal(product, { frees_per_30_days: 1 });
    for (const name of ['device-1-long', 'device-2-long', 'device-3-long']) await product.activate(license.key, name);
    const answers = await Promise.all((await refs()).map((ref) => free(ref)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
    expect(await refs()).toHaveLength(2);
  });
});

test('a leaked key is replaced: the previous key is refused at once', async () => {
  await product.activate(license.key, 'fingerprint-1');
  const { status, body } = await service.as(product, session, 'reissuePortalLicense', { params: { id: license.id } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: license.id, seats: { used: 0 }, devices: [] });
  expect(body['key']).not.toBe(license.key);
  expect((await product.activate(license.key, 'fingerprint-1')).status).toBe(403);
  expect((await product.activate(String(body['key']), 'fingerprint-1')).status).toBe(200);
  await service.ok('suspendLicense', { params: { id: license.id } });
  expect((await service.as(product, session, 'reissuePortalLicense', { params: { id: license.id } })).status).toBe(403);
  await service.ok('revokeLicense', { params: { id: license.id } });
  expect((await service.as(product, session, 'reissuePortalLicense', { params: { id: license.id } })).status).toBe(403);
});

test('a key is replaced at most three times within 24 hours, so that a buyer cannot use more devices than seats for long', async () => {
  const replace = (): ReturnType<PortalHarness['as']> =>
    service.as(product, session, 'reissuePortalLicense', { params: { id: license.id } });
  const results = await Promise.all([replace(), replace(), replace(), replace()]);
  expect(results.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429]);
  const refused = await replace();
  expect([refused.status, refused.headers['X-Svc-Error-Code']]).toEqual([429, 'rate_limited']);
  // The limit applies to each license, and not to the operator.
  const second = await product.license({ customer_email: ada });
  expect((await service.as(product, session, 'reissuePortalLicense', { params: { id: second.id } })).status).toBe(200);
  await service.ok('reissueLicense', { params: { id: license.id } });
  service.advance(DAY - 1);
  session = await signInByLink();
  expect((await replace()).status).toBe(429);
  service.advance(1);
  expect((await replace()).status).toBe(200);
});

test('a key is mailed again, three times a day, and its text is in no log', async () => {
  const request = (): Promise<{ status: number }> =>
    service.as(product, session, 'mailPortalLicense', { params: { id: license.id }, headers: { 'Accept-Language': 'de' } });
  expect([(await request()).status, (await request()).status, (await request()).status, (await request()).status]).toEqual([
    202, 202, 202, 429,
  ]);
  await service.run();
  const sent = mail.inbox.map(({ mail: one }) => one.text ?? '');
  expect(sent).toHaveLength(3);
  expect(sent[0]).toContain(license.key);
  expect(sent[0]).toContain('Lizenzschlüssel');
  expect(JSON.stringify(await product.deliveries({ channel: 'mail' }))).not.toContain(license.key);
  service.advance(DAY);
  session = await signInByLink();
  expect((await request()).status).toBe(202);
  await service.ok('revokeLicense', { params: { id: license.id } });
  expect((await request()).status).toBe(403);
});

test('a key that is mailed again goes to nobody if the license gets another buyer before the mail is sent', async () => {
  mail.refusal = 450;
  expect((await service.as(product, session, 'mailPortalLicense', { params: { id: license.id } })).status).toBe(202);
  await service.deliver(...service.queue.splice(0, 1));
  await service.ok('updateLicense', { params: { id: license.id }, body: { customer_email: `new-${ada}` } });
  mail.refusal = 0;
  await service.run();
  expect(mail.inbox.filter(({ mail: one }) => one.text?.includes(license.key))).toEqual([]);
  expect(await product.deliveries({ event: 'portal.key_mailed' })).toMatchObject([{ status: 'failed' }]);
});

describe('a device that is never online', () => {
  const mint = (fields: object = {}): ReturnType<PortalHarness['as']> =>
    service.as(product, session, 'mintPortalToken', {
      params: { id: license.id },
      body: {
        request: writeOfflineRequest({ product: product.id, key: license.key, fingerprint: 'offline-device', name: 'Lab 3', ...fields }),
      },
    });

  test('is bound, and gets a token', async () => {
    const { status, body } = await mint();
    expect([status, Object.keys(body)]).toEqual([200, ['response']]);
    const claims = JSON.parse(Buffer.from(String(body['response']).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    expect(claims).toMatchObject({ fingerprint: 'offline-device', sub: String(license.id) });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(30 * 86_400);
    expect(await service.licenses(product, session)).toMatchObject([{ devices: [{ name: 'Lab 3' }] }]);
  });

  test('gets further tokens without further entries in the audit log, at most one entry a day', async () => {
    const entries = async (): Promise<number> => (await audit()).filter(({ action }) => action === 'mintPortalToken').length;
    for (let times = 0; times < 3; times += 1) expect((await mint()).status).toBe(200);
    expect(await entries()).toBe(1);
    expect((await mint({ fingerprint: 'another-device' })).status).toBe(200);
    expect(await entries()).toBe(2);
    service.advance(DAY);
    session = await signInByLink();
    for (let times = 0; times < 3; times += 1) expect((await mint()).status).toBe(200);
    expect(await entries()).toBe(3);
  });

  test('with the request of another product or key is refused with 422, and so is an invalid request', async () => {
    expect((await mint({ product: product.id + 1 })).status).toBe(422);
    expect((await mint({ key: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE' })).status).toBe(422);
    expect((await mint({ fingerprint: 'short' })).status).toBe(422);
    const other = { params: { id: license.id }, body: { request: 'LKS1-REQUEST.%%%' } };
    expect((await service.as(product, session, 'mintPortalToken', other)).status).toBe(422);
  });

  test.each<[string, string, () => object, number]>([
    ['another buyer', 'updateLicense', () => ({ customer_email: `new-${ada}` }), 404],
    ['another key', 'reissueLicense', () => ({}), 422],
  ])('gets no seat and no token if the license gets %s in the meantime', async (_what, name, body, status) => {
    const late = startPortalHarness(table, mail, { clock: service.now });
    let done = false;
    intercept(late.client, async ({ operation }, next) => {
      if (operation === 'TransactWriteItems' && !done) {
        done = true;
        await service.ok(name, { params: { id: license.id }, body: body() });
      }
      return next();
    });
    const request = writeOfflineRequest({ product: product.id, key: license.key, fingerprint: 'offline-device' });
    const answer = await late.as(product, session, 'mintPortalToken', { params: { id: license.id }, body: { request } });
    late.close();
    expect(answer.status).toBe(status);
    expect(await service.ok('getLicense', { params: { id: license.id } })).toMatchObject({ seats: { used: 0 }, activations: [] });
  });

  test('gets no token of an expired or revoked license', async () => {
    service.advance(366 * DAY);
    session = await signInByLink();
    expect((await mint()).headers['X-Svc-Error-Code']).toBe('license_expired');
    await service.ok('revokeLicense', { params: { id: license.id } });
    expect((await mint()).headers['X-Svc-Error-Code']).toBe('license_revoked');
  });
});

describe('a new address', () => {
  const change = (email: string): ReturnType<PortalHarness['as']> => service.as(product, session, 'changePortalEmail', { body: { email } });
  const confirm = (email: string, code: string, by = session): ReturnType<PortalHarness['as']> =>
    service.as(product, by, 'confirmPortalEmail', { body: { email, code } });
  const codeFor = async (email: string): Promise<string> => {
    expect(await change(email)).toMatchObject({ status: 202, body: {} });
    await service.run();
    return toCodeMail(mail.inbox.filter(({ to }) => to.join() === email).at(-1)!).code;
  };

  test('sends a code to the new address and a notice to the old one; all licenses move, this session continues, the others end', async () => {
    const second = await product.license({ customer_email: ada });
    await service.ok('revokeLicense', { params: { id: second.id } });
    const elsewhere = await service.newProduct();
    await elsewhere.license({ customer_email: ada });
    const other = await service.session(product, ada);
    const code = await codeFor('ada@example.org');
    expect(
      mail.inbox
        .slice(-2)
        .map(({ to }) => to.join())
        .sort(),
    ).toEqual([ada, 'ada@example.org'].sort());
    expect(toCodeMail(mail.inbox.find(({ to, mail: one }) => to.join() === ada && one.subject?.includes('new address'))!).code).toBe('');
    expect((await confirm('ada@example.org', code)).body).toEqual({ email: 'ada@example.org' });
    expect(await service.licenses(product, session)).toHaveLength(2);
    expect((await service.as(product, other, 'listPortalLicenses')).status).toBe(401);
    expect(await product.deliveries({ event: 'license.updated' })).toHaveLength(2);
    expect(await elsewhere.deliveries({ event: 'license.updated' })).toHaveLength(0);
    expect(await service.requestCode(product, ada)).toBeUndefined();
    expect((await confirm('ada@example.org', code)).status).toBe(401);
    expect((await audit()).map(({ action }) => action).sort()).toEqual(['changePortalEmail', 'confirmPortalEmail']);
    expect(JSON.stringify(await product.deliveries({ channel: 'mail' }))).not.toMatch(/ada@example\.org/);
  });

  test('is confirmed only by the session that requested it, with the right code and address, within five attempts', async () => {
    const other = await service.session(product, ada);
    const code = await codeFor('ada@example.net');
    expect((await confirm('ada@example.net', code, other)).status).toBe(401);
    expect((await confirm('eve@example.net', code)).status).toBe(401);
    for (let attempt = 0; attempt < 4; attempt += 1) expect((await confirm('ada@example.net', '00000000')).status).toBe(401);
    expect((await confirm('ada@example.net', code)).status).toBe(401);
    expect(await service.licenses(product, session)).toHaveLength(1);
  });

  test('cannot be confirmed with a sign-in code, and the code for a new address cannot be used to sign in', async () => {
    const code = await codeFor('ada@example.edu');
    expect((await service.signIn(product, { email: 'ada@example.edu', code })).status).toBe(401);
    const signIn = (await service.requestCode(product, ada))!;
    expect((await confirm('ada@example.edu', signIn.code)).status).toBe(401);
  });

  test('ends the oldest session if its buyer already has twenty sessions, so that an erasure can end all sessions', async () => {
    await product.license({ customer_email: 'full@example.com' });
    const sessions: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) sessions.push(await signInByLink('full@example.com'));
    expect((await confirm('full@example.com', await codeFor('full@example.com'))).status).toBe(200);
    const statuses = async (): Promise<number[]> =>
      Promise.all([...sessions, session].map(async (one) => (await service.as(product, one, 'listPortalLicenses')).status));
    expect(await statuses()).toEqual([401, ...Array<number>(20).fill(200)]);
    await service.ok('eraseCustomer', { body: { customer_email: 'full@example.com' } });
    expect(await statuses()).toEqual(Array<number>(21).fill(401));
  });

  test('can be requested five times a day, so that nobody can use the portal to send mails to strangers', async () => {
    for (let turn = 0; turn < 7; turn += 1) await change(`stranger-${turn}@example.com`);
    await service.run();
    expect(mail.inbox.filter(({ to }) => to.join().startsWith('stranger'))).toHaveLength(5);
  });
});

describe('a session', () => {
  const status = async (): Promise<number> => (await service.as(product, session, 'listPortalLicenses')).status;

  test('lasts 60 minutes without use', async () => {
    for (let hour = 0; hour < 3; hour += 1) {
      service.advance(60 * MINUTE - 1);
      expect(await status()).toBe(200);
    }
    service.advance(60 * MINUTE);
    expect(await status()).toBe(401);
  });

  test('lasts 12 hours at most', async () => {
    // This session begins with a code. Most sessions of this file begin with a link.
    session = await service.session(product, ada);
    for (let turn = 0; turn < 12; turn += 1) {
      service.advance(59 * MINUTE);
      expect(await status()).toBe(200);
    }
    service.advance(12 * MINUTE);
    expect(await status()).toBe(401);
  });

  test('ends when its buyer signs out, once', async () => {
    expect((await service.as(product, 'wrong', 'endPortalSession')).body).toEqual({ ended: false });
    expect((await service.as(product, session, 'getPortalSession')).body).toMatchObject({ email: ada });
    expect((await service.as(product, session, 'endPortalSession')).body).toEqual({ ended: true });
    expect((await service.as(product, session, 'endPortalSession')).body).toEqual({ ended: false });
    expect(await status()).toBe(401);
  });

  test('of one product is invalid in another product, and a request to the other product cannot end it', async () => {
    const other = await service.newProduct();
    await other.license({ customer_email: ada });
    await service.openPortal(other);
    expect((await service.as(other, session, 'listPortalLicenses')).status).toBe(401);
    expect((await service.as(other, session, 'endPortalSession')).body).toEqual({ ended: false });
    expect(await status()).toBe(200);
  });

  test('ends when its buyer is erased, like codes and links', async () => {
    const { code } = (await service.requestCode(product, ada))!;
    const token = await newPortalToken(service.ok, product.id, ada);
    await service.ok('eraseCustomer', { body: { customer_email: ada } });
    expect(await status()).toBe(401);
    expect((await service.signIn(product, { email: ada, code })).status).toBe(401);
    expect((await service.signIn(product, { token })).status).toBe(401);
  });

  test('cannot begin with a code that is mailed while its buyer is being erased', async () => {
    let reach = (): void => undefined;
    const mailed = new Promise<void>((resolve) => (reach = resolve)).then(() => service.requestCode(product, ada));
    const stack = service.client.middlewareStack;
    stack.add(
      (next) => async (args) => {
        // The sessions have ended, and this transaction is about to remove the address from the license.
        if (JSON.stringify(args.input).includes('erased_at')) {
          stack.remove('during');
          reach();
          await mailed;
        }
        return next(args);
      },
      { step: 'initialize', name: 'during' },
    );
    await service.ok('eraseCustomer', { body: { customer_email: ada } });
    const { code } = (await mailed)!;
    expect((await service.signIn(product, { email: ada, code })).status).toBe(401);
  });

  test('cannot begin with a code that is created while its buyer is being erased: the code is not mailed', async () => {
    const stack = service.client.middlewareStack;
    stack.add(
      (next) => async (args) => {
        // The worker has found the address in the license, and this transaction is about to store the code.
        if (JSON.stringify(args.input).includes('PORTAL_LINK#')) {
          stack.remove('during');
          await service.ok('eraseCustomer', { body: { customer_email: ada } });
        }
        return next(args);
      },
      { step: 'initialize', name: 'during' },
    );
    expect(await service.requestCode(product, ada)).toBeUndefined();
  });

  test('is new at every sign-in: a chosen session is not accepted', async () => {
    const again = await service.session(product, ada);
    expect(again).not.toBe(session);
  });

  test('shows nothing of another buyer: every route with another’s license is 404', async () => {
    const bobs = await product.license({ customer_email: 'bob@example.com' });
    const elsewhere = await service.newProduct();
    const foreign = await elsewhere.license({ customer_email: ada });
    for (const id of [bobs.id, foreign.id, 9007199254740991])
      for (const [name, body] of [
        ['freePortalDevice', undefined],
        ['reissuePortalLicense', undefined],
        ['mailPortalLicense', undefined],
        ['mintPortalToken', { request: 'LKS1-REQUEST.x' }],
        ['listPortalMembers', undefined],
        ['putPortalMember', { email: 'eve@example.com' }],
        ['removePortalMember', undefined],
      ] as const)
        expect([name, (await service.as(product, session, name, { params: { id, ref: 'x', member_id: 'x' }, body })).status]).toEqual([
          name,
          404,
        ]);
  });
});

test.each(endpoints.filter(({ credential, path }) => credential === 'portal' && path.includes('{id}')))(
  '$name follows a license that gets another key during the request',
  async (row) => {
    const request = await validRequest(row, await newTarget(service, { license: { customer_email: ada } }));
    const late = startPortalHarness(table, mail, { clock: service.now });
    let isReissued = false;
    intercept(late.client, async ({ operation }, next) => {
      // The first read of a single row is the read of the license under the key that the request found.
      if (operation === 'GetItem' && !isReissued) {
        isReissued = true;
        await service.ok('reissueLicense', { params: { id: request.params?.['id'] ?? '' } });
      }
      return next();
    });
    const { status, body } = await late.call(row.name, request);
    late.close();
    // An offline request for the previous key is refused, because the app must first get the new key.
    expect({ status, isReissued, body }).toMatchObject({ status: row.name === 'mintPortalToken' ? 422 : row.status, isReissued: true });
  },
);

test('a download is the newest stable release that an active license covers and whose features it has, with a URL that needs no header', async () => {
  const files = await startFiles(() => service.now());
  const withFiles = startPortalHarness(table, mail, { files: files.files, clock: () => service.now() });
  const publish = async (body: { version: string; channel?: string; features?: string[] }): Promise<void> => {
    const { id } = await withFiles.ok<{ id: number }>('createRelease', { params: { id: product.id }, body });
    const bytes = Buffer.from(`the app ${body.version}`);
    const artifact = await withFiles.ok<{ upload: Upload }>('createArtifact', { params: { id }, body: declare(bytes) });
    await upload(artifact.upload, bytes);
    await withFiles.ok('publishRelease', { params: { id } });
  };
  await publish({ version: '1.0.0' });
  await publish({ version: '2.0.0' });
  await publish({ version: '3.0.0', features: ['studio'] });
  await publish({ version: '4.0.0', channel: 'beta' });
  const revoked = await product.license({ customer_email: ada });
  await service.ok('revokeLicense', { params: { id: revoked.id } });
  const old = await product.license({ customer_email: ada, max_major: 1, updates_until: '2020-01-01T00:00:00Z' });
  const { status, body } = await withFiles.as(product, session, 'listPortalDownloads');
  const list = body as unknown as { license_id: number; version: string; artifacts: { filename: string; url: string }[] }[];
  expect(status).toBe(200);
  expect(list.map(({ license_id, version }) => [license_id, version])).toEqual([
    [old.id, '1.0.0'],
    [license.id, '2.0.0'],
  ]);
  expect(await (await fetch(list[1]!.artifacts[0]!.url)).text()).toBe('the app 2.0.0');
  withFiles.close();
  await files.close();
});

test('an action that the product does not allow is 403, before the request is checked', async () => {
  await service.openPortal(product, { allow: [] });
  for (const name of [
    'freePortalDevice',
    'reissuePortalLicense',
    'mintPortalToken',
    'changePortalEmail',
    'confirmPortalEmail',
    'listPortalDownloads',
  ]) {
    const answer = await service.as(product, session, name, { params: { id: license.id, ref: 'x' }, body: '{"' });
    expect([name, answer.status, answer.headers['X-Svc-Error-Code']]).toEqual([name, 403, 'forbidden']);
  }
  expect((await service.as(product, session, 'mailPortalLicense', { params: { id: license.id } })).status).toBe(202);
});

describe('the settings', () => {
  const set = (body: object) => service.call('setPortal', { params: { id: product.id }, body });

  test('are off by default, and change by the given fields only', async () => {
    const fresh = await service.newProduct();
    const params = { id: fresh.id };
    expect(await service.ok('getPortal', { params })).toEqual({
      enabled: false,
      title: fresh.name,
      support_url: null,
      shop_url: null,
      imprint_url: null,
      privacy_url: null,
      logo: null,
      color: null,
      allow: ['free_devices', 'downloads'],
      frees_per_30_days: 5,
      mail_configured: true,
    });
    await service.ok('setPortal', {
      params,
      body: {
        enabled: true,
        title: 'Help',
        color: '#0B7285',
        support_url: 'mailto:help@example.com',
        imprint_url: 'https://example.com/imprint',
      },
    });
    expect(await service.ok('setPortal', { params, body: { title: '' } })).toMatchObject({
      enabled: true,
      title: fresh.name,
      color: '#0b7285',
      support_url: 'mailto:help@example.com',
    });
    expect(await service.ok('showPortal', { params: { slug: fresh.slug } })).toEqual({
      product: fresh.name,
      title: fresh.name,
      support_url: 'mailto:help@example.com',
      shop_url: null,
      imprint_url: 'https://example.com/imprint',
      privacy_url: null,
      logo: null,
      color: '#0b7285',
      allow: ['free_devices', 'downloads'],
    });
  });

  test('are refused with 422 if one of them is invalid', async () => {
    const invalid = [
      { support_url: 'http://example.com' },
      { support_url: 'javascript:alert(1)' },
      { support_url: 'https://user:pass@example.com' },
      { support_url: 'mailto:' },
      { support_url: '/help' },
      { support_url: 'https:example.com' },
      { support_url: 'https://example.com\\@evil.test' },
      { support_url: 'https://{{order}}.example.com' },
      { support_url: 'https:/example.com' },
      { shop_url: 'mailto:help@example.com' },
      { privacy_url: 'http://example.com' },
      { color: 'red' },
      { color: '#fff' },
      { title: 'x'.repeat(101) },
      { allow: ['everything'] },
      { allow: ['offline', 'offline'] },
      { frees_per_30_days: 1001 },
      { frees_per_30_days: -1 },
      { enabled: 'yes' },
    ];
    for (const body of invalid) expect({ body, status: (await set(body)).status }).toEqual({ body, status: 422 });
  });

  test('the actions that a vendor can allow are those of the specification', () =>
    expect(allActions).toEqual(['free_devices', 'reissue', 'change_email', 'offline', 'downloads', 'sign_in', 'members']));
});

describe('a link that the vendor creates', () => {
  const link = (body: object) => service.call('createPortalLink', { params: { id: product.id }, body });

  test('signs its buyer in once, until the end that the vendor sets', async () => {
    const { status, body } = await link({ customer_email: ada.toUpperCase(), ttl_minutes: 5 });
    expect([status, Object.keys(body).sort()]).toEqual([201, ['expires_at', 'url']]);
    const [page, token = ''] = String(body['url']).split('#t=');
    expect(page).toBe(`https://licenses.example.com/portal/${product.slug}`);
    const { body: begun } = await service.signIn(product, { token });
    expect(await service.licenses(product, String(begun['session']))).toHaveLength(1);
    expect((await service.signIn(product, { token })).status).toBe(401);
    const late = String((await link({ customer_email: ada, ttl_minutes: 5 })).body['url']).split('#t=')[1];
    service.advance(5 * MINUTE);
    expect((await service.signIn(product, { token: late })).status).toBe(401);
  });

  test('is 404 for an e-mail address without a license, and 422 while the portal is off or if the requested lifetime is invalid', async () => {
    expect((await link({ customer_email: `nobody-${ada}` })).status).toBe(404);
    for (const ttl_minutes of [0, 10_081, 1.5]) expect((await link({ customer_email: ada, ttl_minutes })).status).toBe(422);
    await service.openPortal(product, { enabled: false });
    expect((await link({ customer_email: ada })).status).toBe(422);
  });

  test('is one of at most twenty: a further link ends the oldest', async () => {
    const tokens: string[] = [];
    for (let turn = 0; turn < 21; turn += 1) tokens.push(String((await link({ customer_email: ada })).body['url']).split('#t=')[1] ?? '');
    expect((await service.signIn(product, { token: tokens[0] })).status).toBe(401);
    expect((await service.signIn(product, { token: tokens[1] })).status).toBe(201);
  });
});

test('a mail with keys links to the portal, while there is one', async () => {
  const keyMail = async (): Promise<string> => {
    const { id } = await product.license({ customer_email: ada, mail: false });
    await service.ok('mailLicense', { params: { id } });
    await service.run();
    return mail.inbox.at(-1)?.mail.text ?? '';
  };
  expect(await keyMail()).toContain(`devices: https://licenses.example.com/portal/${product.slug}`);
  await service.openPortal(product, { enabled: false });
  const without = await keyMail();
  expect(without).toContain('Keep this mail');
  expect(without).not.toMatch(/portal|devices:|\{\{/);
  await service.ok('setMailSettings', { params: { id: product.id }, body: { text: '{{keys}} [{{portal}}]' } });
  expect(await keyMail()).toContain('[]');
});
