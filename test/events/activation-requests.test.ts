import { randomBytes } from 'node:crypto';
import type { LicenseView } from '../../lambdas/contract/resources';
import { deviceRef } from '../../lambdas/domain/activation';
import { normalizeDeviceKey } from '../../lambdas/domain/license-key';
import { handler as maintain } from '../../lambdas/events/maintain';
import { writeOfflineRequest } from '../../client/src/offline-request';
import type { CallResult } from '../support/harness';
import { captureLogs } from '../support/logs';
import type { MailServer } from '../support/mail-server';
import type { Product } from '../support/event-harness';
import { allActions, newPortalToken, freshPortals, toCodeMail, type PortalHarness } from '../support/portal';
import { volume } from '../support/sampled';

/** Tests activations by sign-in, and the keys of single devices (docs/spec/sign-in.md). */

const logs = captureLogs();
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let mail: MailServer;
let service: PortalHarness;
let product: Product;
let ada: string;
let session: string;
let license: LicenseView;

freshPortals(async (fresh) => {
  ({ mail, service, product, ada } = fresh);
  license = await product.license({ customer_email: ada, max_seats: 2 });
  session = await signIn();
});

const signIn = async (email = ada): Promise<string> =>
  String((await service.signIn(product, { token: await newPortalToken(service.ok, product.id, email) })).body['session']);

interface Requested {
  readonly request: string;
  readonly user_code: string;
  readonly url: string;
  readonly interval: number;
  readonly fingerprint: string;
}

const app = (name: string, body: object, headers = {}): Promise<CallResult> =>
  service.call(name, { params: { id: product.id }, apiKey: product.api_key, body, headers });

async function ask(fingerprint = 'laptop-1', facts = {}, headers = {}): Promise<Requested> {
  const created = await app('createActivationRequest', { fingerprint, name: "Ada's MacBook", platform: 'macos', ...facts }, headers);
  expect(created.status).toBe(201);
  return { fingerprint, ...(created.body as unknown as Omit<Requested, 'fingerprint'>) };
}
const poll = ({ request, fingerprint }: Requested): Promise<CallResult> => app('pollActivationRequest', { request, fingerprint });
const lookup = (user_code: string, as = session): Promise<CallResult> =>
  service.as(product, as, 'lookupActivationRequest', { body: { user_code } });
const decide = (user_code: string, body: object = {}, as = session): Promise<CallResult> =>
  service.as(product, as, 'decideActivationRequest', { body: { user_code, decision: 'approve', license_id: license.id, ...body } });
/** Signs in on a device, and returns the device key. */
async function signedIn(fingerprint = 'laptop-1'): Promise<string> {
  const asked = await ask(fingerprint);
  expect(await decide(asked.user_code)).toMatchObject({ status: 200, body: { status: 'approved' } });
  const { body } = await poll(asked);
  return (body as unknown as { activation: { license: { key: string } } }).activation.license.key;
}
const verdictOf = ({ headers }: CallResult): unknown => {
  const [, claims = ''] = String(headers['X-Svc-Verdict'] ?? '').split('.');
  return claims === '' ? undefined : (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { status: unknown }).status;
};
const shown = (): Promise<LicenseView> => service.ok('getLicense', { params: { id: license.id } });
const refOf = (fingerprint: string): string => deviceRef('test-portalKey', license, { fingerprint });

/** The entries of decisions in the audit log. */
const decisions = async (): Promise<readonly object[]> =>
  (await service.ok<{ action: string }[]>('listAudit', { query: { product_id: String(product.id) } })).filter(
    ({ action }) => action === 'decideActivationRequest',
  );

describe('a request', () => {
  test('is approved by a buyer, and gives the app a key of its own device', async () => {
    const asked = await ask();
    expect(asked).toMatchObject({ interval: 5, url: expect.stringMatching(/\/portal\/[^#]+#activate=[0-9A-Z]{4}-[0-9A-Z]{4}$/) as string });
    expect(await poll(asked)).toMatchObject({ status: 200, body: { status: 'pending', interval: 5 } });
    service.advance(2 * MINUTE);
    expect(await poll(asked)).toMatchObject({ body: { status: 'pending', interval: 10 } });

    // People type codes in any case, and mistake O for 0.
    const looked = await lookup(` ${asked.user_code.replace('-', '').replace('0', 'o').toLowerCase()} `);
    expect(looked).toMatchObject({
      status: 200,
      body: {
        user_code: asked.user_code,
        device: { name: "Ada's MacBook", platform: 'macos', country: null },
        licenses: [{ id: license.id, status: 'active', seats: { used: 0, max: 2 }, bound: false, full: false, devices: [] }],
      },
    });
    expect((await shown()).seats.used).toBe(0);

    expect(await decide(asked.user_code)).toMatchObject({ status: 200, body: { status: 'approved' } });
    const [first, again] = [await poll(asked), await poll(asked)];
    const { activation } = first.body as unknown as { activation: { license: { key: string }; offline_token: string; device: unknown } };
    expect(first.body).toMatchObject({
      status: 'approved',
      activation: { status: 'active', license: { id: license.id }, seats: { used: 1 } },
    });
    expect(activation.device).toMatchObject({ fingerprint: 'laptop-1', name: "Ada's MacBook", platform: 'macos' });
    expect(normalizeDeviceKey(activation.license.key)).toBe(activation.license.key);
    expect(again.body).toMatchObject({ activation: { license: { key: activation.license.key } } });

    const [event] = await product.deliveries({ event: 'license.activated' });
    expect(event).toMatchObject({ payload: { data: { reason: 'sign_in' } } });
    const [entry] = await decisions();
    expect(entry).toMatchObject({ actor: 'buyer', license_id: license.id });
    for (const secret of [asked.request, activation.license.key, license.key, asked.user_code])
      expect(JSON.stringify([entry, logs()])).not.toContain(secret);
  });

  test('ends after 10 minutes, when it is denied, and when the device asks again', async () => {
    const old = await ask();
    const denied = await ask();
    expect((await poll(old)).body).toEqual({ status: 'expired' });
    expect((await lookup(old.user_code)).status).toBe(404);
    expect(await decide(denied.user_code, { decision: 'deny', license_id: undefined })).toMatchObject({ body: { status: 'denied' } });
    expect((await poll(denied)).body).toEqual({ status: 'denied' });
    expect((await lookup(denied.user_code)).status).toBe(404);
    expect((await decide(denied.user_code)).status).toBe(404);
    expect(await decisions()).toMatchObject([{ license_id: null }]);

    const late = await ask();
    expect((await decide(late.user_code)).status).toBe(200);
    service.advance(10 * MINUTE);
    expect((await poll(late)).body).toEqual({ status: 'expired' });
    expect((await decide(late.user_code)).status).toBe(404);
  });

  test('can be polled only with its secret and its device', async () => {
    const asked = await ask();
    await decide(asked.user_code);
    for (const other of [
      { ...asked, fingerprint: 'laptop-2' },
      { ...asked, request: 'x'.repeat(43) },
    ])
      expect((await poll(other)).body).toEqual({ status: 'expired' });
  });

  test('of a refused approval stays pending, and the operator sees why', async () => {
    await product.activate(license.key, 'desktop-1');
    await product.activate(license.key, 'desktop-2');
    const asked = await ask();
    expect(await decide(asked.user_code)).toMatchObject({ status: 429, headers: { 'X-Svc-Error-Code': 'no_seats' } });
    expect((await poll(asked)).body).toMatchObject({ status: 'pending' });
    expect(await service.ok('listLicenseRefusals', { params: { id: license.id } })).toMatchObject([
      { reason: 'no_seats', fingerprint_hint: 'laptop-1', name: "Ada's MacBook" },
    ]);
    expect(await decide(asked.user_code, { replace: refOf('desktop-1') })).toMatchObject({ status: 200 });
    expect((await shown()).activations.map(({ fingerprint }) => fingerprint)).toEqual(['desktop-2', 'laptop-1']);
    expect((await service.licenses(product, session))[0]!.frees_left).toBe(4);
  });

  test('may replace a device only as the portal allows it', async () => {
    await service.openPortal(product, { allow: ['free_devices', 'sign_in'], frees_per_30_days: 1 });
    for (const fingerprint of ['desktop-1', 'desktop-2']) await product.activate(license.key, fingerprint);
    const asked = await ask();
    await decide(asked.user_code, { replace: refOf('desktop-1') });
    const another = await ask('laptop-2');
    const replace = refOf('desktop-2');
    expect(await decide(another.user_code, { replace })).toMatchObject({ headers: { 'X-Svc-Error-Code': 'too_many_frees' } });
    await service.openPortal(product, { allow: ['sign_in'] });
    expect((await decide(another.user_code, { replace })).status).toBe(403);
    // A repeated decision is not judged again.
    expect((await decide(asked.user_code, { replace })).status).toBe(200);
  });

  test('is decided only once, and only the same session may repeat its decision', async () => {
    const other = await product.license({ customer_email: ada });
    const second = await signIn();
    const asked = await ask();
    const both = await Promise.all([decide(asked.user_code), decide(asked.user_code, { license_id: other.id }, second)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    const used = await Promise.all([license, other].map(({ id }) => service.ok<LicenseView>('getLicense', { params: { id } })));
    expect(used.map(({ seats }) => seats.used).sort()).toEqual([0, 1]);
    const [first] = both;
    const [winner, chosen] = first.status === 200 ? [session, license] : [second, other];
    await service.ok('revokeLicense', { params: { id: chosen.id } });
    expect((await decide(asked.user_code, { license_id: chosen.id }, winner)).status).toBe(200);
    expect((await decide(asked.user_code, { license_id: chosen.id }, winner === session ? second : session)).status).toBe(404);
    expect((await decide(asked.user_code, { decision: 'deny', license_id: undefined }, winner)).status).toBe(404);
    expect(await poll(asked)).toMatchObject({ status: 403, headers: { 'X-Svc-Error-Code': 'license_revoked' } });
  });

  test('never gives a license of somebody else, nor a release that the license does not cover', async () => {
    const eve = `eve-${randomBytes(4).toString('hex')}@example.com`;
    await product.license({ customer_email: eve });
    const asked = await ask('laptop-1', { release: { released_at: '2027-06-01T00:00:00Z' } });
    expect((await decide(asked.user_code, {}, await signIn(eve))).status).toBe(404);
    await service.ok('updateLicense', { params: { id: license.id }, body: { updates_until: '2027-01-01T00:00:00Z' } });
    expect(await decide(asked.user_code)).toMatchObject({ status: 403, headers: { 'X-Svc-Error-Code': 'release_not_covered' } });
  });

  test('is unknown unless the portal allows it', async () => {
    const asked = await ask();
    await service.openPortal(product, { allow: allActions.filter((action) => action !== 'sign_in') });
    service.advance(MINUTE);
    for (const call of [app('createActivationRequest', {}), poll(asked), lookup(asked.user_code, 'nobody'), decide(asked.user_code)])
      expect((await call).status).toBe(404);
    const wrongKey = { params: { id: product.id }, apiKey: 'pk_wrong', body: {} };
    expect((await service.call('createActivationRequest', wrongKey)).status).toBe(401);
  });

  test('tells the country only if the distribution has sent it', async () => {
    const country = async (headers: object): Promise<unknown> => {
      const { user_code } = await ask('laptop-1', {}, { 'CloudFront-Viewer-Country': 'DE', ...headers });
      return (await lookup(user_code)).body['device'];
    };
    expect(await country({})).toMatchObject({ country: null });
    expect(await country({ Referer: 'test-originSecret' })).toMatchObject({ country: 'DE' });
  });

  test('cannot be found by guessing codes', async () => {
    const asked = await ask();
    const guess = (): Promise<CallResult> => lookup('0000-0000');
    for (let tries = 0; tries < 19; tries += 1) expect((await guess()).status).toBe(404);
    // Codes of ended requests are not guesses.
    const ended = await ask('laptop-2');
    await ask('laptop-2');
    expect((await lookup(ended.user_code)).status).toBe(404);
    expect((await lookup(asked.user_code)).status).toBe(200);
    // A malformed code is a guess, too.
    expect((await decide('?')).status).toBe(404);
    const locked = { status: 429, headers: { 'X-Svc-Error-Code': 'rate_limited' } };
    expect(await lookup(asked.user_code)).toMatchObject(locked);
    expect(await decide(asked.user_code)).toMatchObject(locked);
    expect(await decide(asked.user_code, {}, await signIn())).toMatchObject(locked);
    service.advance(HOUR);
    expect((await lookup((await ask()).user_code, await signIn())).status).toBe(200);
  });

  test('of many devices at once never takes more seats than there are', async () => {
    const asked = await Promise.all(Array.from({ length: volume(16, 60) }, (_, index) => ask(`device-${index}`)));
    const results = await Promise.all(asked.map(({ user_code }) => decide(user_code)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(2);
    expect((await shown()).seats).toEqual({ used: 2, max: 2 });
  });
});

describe('a device key', () => {
  const validate = (key: string, fingerprint = 'laptop-1') => product.validate(key, fingerprint);
  const signInRequired = { status: 403, headers: { 'X-Svc-Error-Code': 'sign_in_required' } };

  test('is used like a license key, but only on its device', async () => {
    const key = await signedIn();
    expect((await validate(key.toLowerCase().replaceAll('-', ''))).body).toMatchObject({
      valid: true,
      license: { key },
      device: { fingerprint: 'laptop-1' },
    });
    expect(await product.activate(key, 'laptop-1')).toMatchObject({ status: 200, body: { license: { key }, seats: { used: 1 } } });
    expect((await validate(key, 'laptop-2')).body).toEqual({ valid: false, status: 'invalid' });
    expect((await product.activate(key, 'laptop-2')).status).toBe(404);
    expect((await product.deactivate(key, 'laptop-2')).status).toBe(404);
    const refused = await service.ok<{ license_id: unknown }[]>('listProductRefusals', { params: { id: product.id } });
    expect(refused.every(({ license_id }) => license_id === null)).toBe(true);
    expect((await service.ok<LicenseView[]>('searchLicenses', { query: { q: key } })).map(({ id }) => id)).toEqual([license.id]);
    const duplicate = { params: { id: product.id }, body: { license_type_id: product.typeId, key } };
    expect(await service.call('createLicense', duplicate)).toMatchObject({ status: 409, headers: { 'X-Svc-Error-Code': 'duplicate' } });
    // Another product does not know the key.
    const other = await service.newProduct();
    expect((await other.validate(key, 'laptop-1')).body).toEqual({ valid: false, status: 'invalid' });
  });

  test('shows and frees only its own device', async () => {
    await service.ok('updateProduct', { params: { id: product.id }, body: { list_devices: true } });
    service.advance(MINUTE);
    await product.activate(license.key, 'desktop-1');
    const key = await signedIn();
    const listed = await app('listDevices', { key });
    expect(listed.body).toMatchObject([{ name: "Ada's MacBook", this: true }]);
    expect(listed.body).toHaveLength(1);
    expect((await app('deactivate', { key, device: refOf('desktop-1') })).body).toEqual({ freed: false });
    expect((await app('deactivate', { key, device: refOf('laptop-1') })).body).toEqual({ freed: true });
    expect((await app('deactivate', { key, fingerprint: 'laptop-1' })).body).toEqual({ freed: false });
    expect(await app('listDevices', { key })).toMatchObject(signInRequired);
  });

  const ends: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    'the app frees the device': (key) => product.deactivate(key, 'laptop-1'),
    'the operator frees the device': () => service.ok('deleteActivation', { params: { id: license.id, fingerprint: 'laptop-1' } }),
    'the buyer frees the device': () =>
      service.as(product, session, 'freePortalDevice', { params: { id: license.id, ref: refOf('laptop-1') } }),
    'the operator resets the license': () => service.ok('resetLicense', { params: { id: license.id } }),
    'the license gets another key': () => service.ok('reissueLicense', { params: { id: license.id } }),
    'the device is replaced': async () => {
      await product.activate(license.key, 'desktop-1');
      await app('activate', { key: license.key, fingerprint: 'desktop-2', replace: refOf('laptop-1') });
    },
    'somebody signs in again on the device': () => signedIn(),
  };
  test.each(Object.keys(ends))('ends when %s', async (name) => {
    const key = await signedIn();
    await ends[name]!(key);
    const { key: licenseKey } = await shown();
    const validated = await validate(key);
    expect(validated.body).toEqual({ valid: false, status: 'sign_in_required' });
    expect(verdictOf(validated)).toBe('sign_in_required');
    const activated = await product.activate(key, 'laptop-1');
    expect(activated).toMatchObject(signInRequired);
    expect(verdictOf(activated)).toBe('sign_in_required');
    expect((await product.deactivate(key, 'laptop-1')).body).toEqual({ freed: false });
    expect(await service.ok('listLicenseRefusals', { params: { id: license.id } })).toMatchObject([{ reason: 'sign_in_required' }]);
    // The license's key on the same device does not bring the device key back.
    await product.activate(licenseKey, 'laptop-1');
    await maintain({}, { app: service.app });
    expect((await validate(key)).body).toEqual({ valid: false, status: 'sign_in_required' });
    // The refusal of the license comes first.
    await service.ok('suspendLicense', { params: { id: license.id } });
    expect((await validate(key)).body).toEqual({ valid: false, status: 'suspended' });
    expect(await product.activate(key, 'laptop-1')).toMatchObject({ headers: { 'X-Svc-Error-Code': 'license_suspended' } });
    service.advance(30 * DAY);
    expect((await validate(key)).body).toEqual({ valid: false, status: 'invalid' });
  });

  test('counts what the app consumes while its device has a seat', async () => {
    await service.ok('updateLicense', { params: { id: license.id }, body: { meters: [{ name: 'exports', included: 5, period: 'none' }] } });
    const key = await signedIn();
    const consume = (id: string) => app('consume', { key, fingerprint: 'laptop-1', meter: 'exports', amount: 1, id });
    expect((await consume('export-1')).body).toMatchObject({ used: 1 });
    expect((await consume('export-2')).body).toMatchObject({ used: 2 });
    expect((await app('listAppMeters', { key, fingerprint: 'laptop-1' })).body).toMatchObject([{ used: 2 }]);
    await product.deactivate(key, 'laptop-1');
    expect(await consume('export-3')).toMatchObject(signInRequired);
    expect(await app('listAppMeters', { key, fingerprint: 'laptop-1' })).toMatchObject(signInRequired);
  });

  test('gives downloads while its device has a seat', async () => {
    const key = await signedIn();
    const latest = () =>
      service.call('getLatestRelease', { params: { id: product.id }, apiKey: product.api_key, headers: { 'X-License-Key': key } });
    expect((await latest()).status).toBeLessThan(300);
    await product.deactivate(key, 'laptop-1');
    expect(await latest()).toMatchObject(signInRequired);
    await service.ok('revokeLicense', { params: { id: license.id } });
    expect(await latest()).toMatchObject({ headers: { 'X-Svc-Error-Code': 'license_revoked' } });
  });

  test('lives on while a lease has ended and the seat is not taken', async () => {
    const type = await service.ok<{ id: number }>('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Floating', kind: 'floating', max_seats: 1, lease_minutes: 5 },
    });
    license = await product.license({ customer_email: ada, license_type_id: type.id });
    const asked = await ask();
    await decide(asked.user_code);
    const { activation } = (await poll(asked)).body as unknown as { activation: { license: { key: string } } };
    service.advance(6 * MINUTE);
    expect((await poll(asked)).body).toEqual({ status: 'expired' });
    const { key } = activation.license;
    expect((await validate(key)).body).toMatchObject({ valid: true, device: { fingerprint: 'laptop-1' } });
    service.advance(6 * MINUTE);
    expect((await product.activate(license.key, 'desktop-1')).status).toBe(200);
    expect((await validate(key)).body).toEqual({ valid: false, status: 'sign_in_required' });
  });

  test('is accepted in an offline request, which needs no key in the portal', async () => {
    const key = await signedIn();
    const offline = (facts: object) =>
      service.as(product, session, 'mintPortalToken', {
        params: { id: license.id },
        body: {
          request: writeOfflineRequest({ product: product.id, fingerprint: 'laptop-1', ...facts } as Parameters<
            typeof writeOfflineRequest
          >[0]),
        },
      });
    expect((await offline({ key })).status).toBe(200);
    expect((await offline({})).status).toBe(200);
    expect((await offline({ key: 'AAAAA-AAAAA' })).status).toBe(422);
  });
});

describe('the mail about a sign-in', () => {
  const inbox = async (): Promise<readonly string[]> => {
    await service.run();
    return mail.inbox.map(toCodeMail).map(({ to, subject, text }) => `${to} ${subject} ${text}`);
  };

  test('names the device, and leads to the device without a token', async () => {
    const asked = await ask('laptop-1', { name: `Mac ${'x'.repeat(100)}` });
    await service.as(product, session, 'decideActivationRequest', {
      body: { user_code: asked.user_code, decision: 'approve', license_id: license.id },
      headers: { 'Accept-Language': 'de' },
    });
    const [sent, ...more] = await inbox();
    expect(more).toEqual([]);
    expect(sent).toContain(ada);
    expect(sent).toContain(`"Mac ${'x'.repeat(56)}", "macOS"`);
    expect(sent).toContain('Das war ich nicht');
    expect(sent).toContain(`#device=${license.id}.${refOf('laptop-1')}`);
    expect(sent).not.toContain('#t=');
    expect(sent).not.toContain(asked.user_code);
  });

  test('is sent at most 10 times in 24 hours for a license', async () => {
    for (let time = 0; time < 12; time += 1) await signedIn();
    expect(await inbox()).toHaveLength(10);
  });

  test('lets the buyer free the device whatever the portal allows, for 72 hours', async () => {
    await service.openPortal(product, { allow: ['sign_in'], frees_per_30_days: 1 });
    await product.activate(license.key, 'desktop-1');
    const free = async (fingerprint: string) =>
      service.as(product, session, 'freePortalDevice', { params: { id: license.id, ref: refOf(fingerprint) } });
    expect((await free('desktop-1')).status).toBe(403);
    for (let time = 0; time < 2; time += 1) {
      await signedIn();
      expect((await free('laptop-1')).body).toEqual({ freed: true });
    }
    expect((await service.licenses(product, session))[0]!.frees_left).toBe(1);
    await signedIn();
    service.advance(72 * HOUR);
    session = await signIn();
    expect((await free('laptop-1')).status).toBe(403);
  });
});
