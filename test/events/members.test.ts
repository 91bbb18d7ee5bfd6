import { randomBytes } from 'node:crypto';
import { writeOfflineRequest } from '../../client/src/offline-request';
import type { LicenseView, MemberView } from '../../lambdas/contract/resources';
import { deviceRef } from '../../lambdas/domain/activation';
import type { CallResult } from '../support/harness';
import type { Product } from '../support/event-harness';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import { newPortalToken, startPortalHarness, type PortalHarness } from '../support/portal';

/** Tests licenses of named people (docs/spec/sign-in.md). */

const DAY = 86_400_000;
let table: string;
let service: PortalHarness;
let product: Product;
let license: LicenseView;

let mail: MailServer;

beforeAll(async () => {
  table = await ownTable();
  mail = await startMailServer();
});
afterAll(() => mail.close());
beforeEach(async () => {
  service = startPortalHarness(table, undefined);
  product = await service.newProduct();
  license = await team();
});
afterEach(() => service.close());

const newType = async (fields: object): Promise<CallResult> =>
  service.call('createLicenseType', {
    params: { id: product.id },
    body: { name: randomBytes(4).toString('hex'), kind: 'lifetime', ...fields },
  });
async function team(fields: object = {}, typeFields: object = {}): Promise<LicenseView> {
  const { body } = await newType({ binding: 'user', ...typeFields });
  return product.license({ license_type_id: body['id'], max_seats: 2, customer_email: 'ada@example.com', ...fields });
}
const put = (email: string, body: object = {}, id = license.id): Promise<CallResult> =>
  service.call('putMember', { params: { id }, body: { email, ...body } });
const remove = (member_id: string, id = license.id): Promise<CallResult> => service.call('removeMember', { params: { id, member_id } });
const members = (query = {}): Promise<CallResult> => service.call('listMembers', { params: { id: license.id }, query });
const shown = (id = license.id): Promise<LicenseView> => service.ok('getLicense', { params: { id } });
const code = ({ status, headers }: CallResult): unknown => [status, headers['X-Svc-Error-Code']];
const eventsOf = async (id = license.id) =>
  (await service.ok<{ event: string; payload: { data: Record<string, unknown> } }[]>('listLicenseEvents', { params: { id } }))
    .map(({ event, payload: { data } }) => [event.replace('license.', ''), data['member'], data['reason']])
    .reverse();

test('a license type says what takes its seats, and this never changes', async () => {
  expect((await newType({ binding: 'user' })).body).toMatchObject({ binding: 'user', devices_per_user: 3 });
  expect((await newType({ binding: 'user', devices_per_user: 20 })).body).toMatchObject({ devices_per_user: 20 });
  expect((await newType({})).body).toMatchObject({ binding: 'device', devices_per_user: null });
  for (const fields of [
    { devices_per_user: 3 },
    { binding: 'user', devices_per_user: 0 },
    { binding: 'user', devices_per_user: 21 },
    { binding: 'user', kind: 'floating', lease_minutes: 60 },
    { binding: 'user', kind: 'trial', duration_days: 14, self_service: true },
  ])
    expect(code(await newType(fields))).toEqual([422, 'invalid_request']);
  const [devices, people] = [
    (await newType({ kind: 'floating' })).body['id'],
    (await newType({ binding: 'user', kind: 'floating' })).body['id'],
  ];
  const change = (id: unknown, body: object) => service.call('updateLicenseType', { params: { id: Number(id) }, body });
  expect((await change(people, { devices_per_user: 5 })).body).toMatchObject({ devices_per_user: 5 });
  for (const [id, body] of [
    [devices, { devices_per_user: 5 }],
    [devices, { binding: 'user' }],
    [people, { lease_minutes: 60 }],
  ] as const)
    expect(code(await change(id, body))).toEqual([422, 'invalid_request']);
});

test('a member takes a seat, whatever the spelling of the address, and can get another role', async () => {
  const added = await put('Grace@Example.com');
  expect(added).toMatchObject({ status: 201, body: { email: 'Grace@Example.com', role: 'member', devices: 0, last_seen_on: null } });
  const again = await put('grace@EXAMPLE.com', { role: 'manager' });
  expect(again).toMatchObject({ status: 200, body: { id: added.body['id'], role: 'manager' } });
  expect(await put('grace@example.com')).toMatchObject({ status: 200, body: { role: 'manager' } });
  expect(await shown()).toMatchObject({ seats: { used: 1, max: 2 }, members: 1, activations: [] });
  const grace = { email: 'Grace@Example.com', role: 'member' };
  expect(await eventsOf()).toEqual([
    ['created', undefined, undefined],
    ['member_added', grace, undefined],
    ['updated', { ...grace, role: 'manager' }, undefined],
  ]);

  expect((await remove(String(added.body['id']))).body).toEqual({ removed: true, freed: 0 });
  expect((await remove(String(added.body['id']))).body).toEqual({ removed: false, freed: 0 });
  expect((await remove('nobody')).body).toEqual({ removed: false, freed: 0 });
  expect(await shown()).toMatchObject({ seats: { used: 0 }, members: 0 });
});

test('members are listed oldest first, page by page', async () => {
  license = await team({ max_seats: 0 });
  const emails = ['z@example.com', 'a@example.com', 'm@example.com'];
  for (const email of emails) {
    await put(email);
    service.advance(1);
  }
  const seen: string[] = [];
  let query = {};
  for (let page = 0; page < 2; page += 1) {
    const { body, headers } = await members({ limit: '2', ...query });
    seen.push(...(body as unknown as MemberView[]).map(({ email }) => email));
    query = { cursor: /cursor=([^&>]+)/.exec(headers['Link'] ?? '')?.[1] };
  }
  expect(seen).toEqual(emails);
  expect(query).toEqual({ cursor: undefined });
});

test('a full license refuses further members, and the vendor hears of it once', async () => {
  await put('a@example.com');
  await put('b@example.com');
  for (const email of ['c@example.com', 'd@example.com']) expect(code(await put(email))).toEqual([429, 'no_seats']);
  // The role of a member does not need a further seat.
  expect((await put('a@example.com', { role: 'manager' })).status).toBe(200);
  expect((await eventsOf()).filter(([event]) => event === 'seats_exhausted')).toHaveLength(1);
  // Fewer seats than members remove nobody.
  await service.ok('updateLicense', { params: { id: license.id }, body: { max_seats: 1 } });
  expect(await shown()).toMatchObject({ seats: { used: 2, max: 1 }, members: 2 });
});

test('60 invitations at once take exactly the seats that there are', async () => {
  license = await team({ max_seats: 20 });
  const added = await Promise.all(Array.from({ length: 60 }, (_, place) => put(`person-${place}@example.com`)));
  expect(added.filter(({ status }) => status === 201)).toHaveLength(20);
  expect(added.filter(({ status }) => status === 429)).toHaveLength(40);
  expect(await shown()).toMatchObject({ seats: { used: 20 }, members: 20 });
  expect((await members()).body).toHaveLength(20);
});

test('members are managed in every status except that a revoked license gets none', async () => {
  const { body } = await put('a@example.com');
  await service.ok('suspendLicense', { params: { id: license.id }, body: {} });
  expect((await put('b@example.com')).status).toBe(201);
  await service.ok('revokeLicense', { params: { id: license.id } });
  for (const email of ['a@example.com', 'c@example.com']) expect(code(await put(email))).toEqual([403, 'license_revoked']);
  expect((await remove(String(body['id']))).body).toEqual({ removed: true, freed: 0 });
});

test('a license of devices has no members', async () => {
  license = await product.license();
  await service.ok('revokeLicense', { params: { id: license.id } });
  for (const refused of [await put('a@example.com'), await members(), await remove('nobody')])
    expect(code(refused)).toEqual([422, 'invalid_request']);
  expect((await put('a@example.com', {}, 999_999_999)).status).toBe(404);
  expect(license.members).toBeNull();
});

test('a license moves only to types with the same binding', async () => {
  const [people, devices] = [(await newType({ binding: 'user' })).body['id'], (await newType({})).body['id']];
  const move = (license_type_id: unknown) => service.call('updateLicense', { params: { id: license.id }, body: { license_type_id } });
  expect((await move(people)).status).toBe(200);
  expect(code(await move(devices))).toEqual([422, 'invalid_request']);
});

test('no mail contains the key of a license of named people', async () => {
  for (const language of ['en', 'de'])
    for (const body of [{}, { text: 'Key: {{keys}}' }, { event: 'expiring', days: 7 }]) {
      const { text } = await service.ok<{ text: string }>('previewMail', {
        params: { id: product.id },
        body: { license_id: license.id, language, ...body },
      });
      expect(text).toMatch(language === 'en' ? /choose "Sign in" in the app/ : /„Anmelden“/);
      expect(text).not.toContain(license.key);
    }
});

describe('the devices of members', () => {
  let ada: string;
  let grace: string;
  let graceId: string;

  beforeEach(async () => {
    await service.openPortal(product);
    ada = await sessionOf('ada@example.com');
    graceId = String((await put('grace@example.com')).body['id']);
    // Members are listed in the order in which they were added.
    service.advance(1);
    grace = await sessionOf('grace@example.com');
  });

  /** Signs a person in. The person also has another license, so that the portal knows the address. */
  async function sessionOf(email: string): Promise<string> {
    await product.license({ customer_email: email });
    return String((await service.signIn(product, { token: await newPortalToken(service.ok, product.id, email) })).body['session']);
  }
  const app = (name: string, body: object): Promise<CallResult> =>
    service.call(name, { params: { id: product.id }, apiKey: product.api_key, body });
  /** Lets a person approve a sign-in on a device. */
  async function approve(session: string, fingerprint: string, body: object = {}, id = license.id) {
    const { body: asked } = await app('createActivationRequest', { fingerprint, name: fingerprint });
    const decided = await service.as(product, session, 'decideActivationRequest', {
      body: { user_code: asked['user_code'], decision: 'approve', license_id: id, ...body },
    });
    const poll = () => app('pollActivationRequest', { request: asked['request'], fingerprint });
    return { decided, poll };
  }
  /** Lets a person sign in on a device, and returns the device key. */
  async function signIn(session: string, fingerprint: string, body: object = {}): Promise<string> {
    const { decided, poll } = await approve(session, fingerprint, body);
    expect(decided).toMatchObject({ status: 200 });
    return ((await poll()).body as unknown as { activation: { license: { key: string } } }).activation.license.key;
  }
  const activate = (key: string, fingerprint: string) => app('activate', { key, fingerprint });
  const validate = (key: string, fingerprint: string) => product.validate(key, fingerprint);
  const users = async () => (await shown()).activations.map(({ fingerprint, member }) => [fingerprint, member]);
  const portal = (session: string, name: string, params: object, body?: object) =>
    service.as(product, session, name, { params: { id: license.id, ...params }, ...(body && { body }) });
  const refOf = (fingerprint: string): string => deviceRef('test-portalKey', license, { fingerprint });
  const verdictOf = ({ headers }: CallResult): unknown =>
    (JSON.parse(Buffer.from(String(headers['X-Svc-Verdict']).split('.')[1] ?? '', 'base64url').toString()) as { status: unknown }).status;

  test('are bound only by a sign-in', async () => {
    const refused = await activate(license.key, 'laptop-1');
    expect(code(refused)).toEqual([403, 'sign_in_required']);
    expect(verdictOf(refused)).toBe('sign_in_required');
    for (const name of ['createActivation', 'mintOfflineToken'])
      expect(code(await service.call(name, { params: { id: license.id }, body: { fingerprint: 'laptop-1' } }))).toEqual([
        403,
        'sign_in_required',
      ]);
    const key = await signIn(grace, 'laptop-1');
    expect(await validate(key, 'laptop-1')).toMatchObject({ body: { valid: true, seats: { used: 1, max: 2 } } });
    expect(await users()).toEqual([['laptop-1', 'grace@example.com']]);
    expect(await members()).toMatchObject({ body: [{ devices: 1, last_seen_on: (await shown()).activations[0]!.last_seen_on }] });
    // On a bound device, the license's key works, too.
    for (const known of [key, license.key]) {
      const { status, text } = await activate(known, 'laptop-1');
      expect(status).toBe(200);
      expect(text).not.toContain('grace@example.com');
    }
    expect((await eventsOf()).slice(2)).toEqual([['activated', { email: 'grace@example.com', role: 'member' }, 'sign_in']]);
    expect((await service.call('mintOfflineToken', { params: { id: license.id }, body: { fingerprint: 'laptop-1' } })).status).toBe(200);
  });

  test('of a buyer who is no member need a free seat, which the buyer then takes', async () => {
    await signIn(ada, 'desktop-1');
    expect((await eventsOf()).slice(2).map(([event]) => event)).toEqual(['member_added', 'activated']);
    expect(await shown()).toMatchObject({ seats: { used: 2 }, members: 2 });
    const full = await team({ max_seats: 1 });
    await put('grace@example.com', {}, full.id);
    expect(code((await approve(ada, 'desktop-1', {}, full.id)).decided)).toEqual([429, 'no_seats']);
    expect(await shown(full.id)).toMatchObject({ members: 1, activations: [] });
  });

  test('of a stranger are refused as if the license did not exist', async () => {
    const mallory = await sessionOf('mallory@example.com');
    expect((await approve(mallory, 'laptop-1')).decided.status).toBe(404);
  });

  test('are announced to the person who signs in and to the buyer', async () => {
    const harness = service;
    service = startPortalHarness(table, mail);
    grace = String(
      (await service.signIn(product, { token: await newPortalToken(service.ok, product.id, 'grace@example.com') })).body['session'],
    );
    await signIn(grace, 'laptop-1');
    await service.run();
    expect(mail.inbox.map(({ to }) => to.join()).sort()).toEqual(['ada@example.com', 'grace@example.com']);
    service.close();
    service = harness;
  });

  test('are limited for each member, and a full member replaces only own devices', async () => {
    await service.openPortal(product, { allow: ['free_devices', 'sign_in'], frees_per_30_days: 1 });
    await signIn(ada, 'desktop-1');
    for (const device of ['laptop-1', 'laptop-2', 'laptop-3']) await signIn(grace, device);
    const { decided } = await approve(grace, 'laptop-4');
    expect(code(decided)).toEqual([429, 'too_many_user_devices']);
    expect(await service.ok('listLicenseRefusals', { params: { id: license.id } })).toMatchObject([{ reason: 'too_many_user_devices' }]);
    expect(code((await approve(grace, 'laptop-4', { replace: refOf('desktop-1') })).decided)).toEqual([429, 'too_many_user_devices']);
    await signIn(grace, 'laptop-4', { replace: refOf('laptop-1') });
    expect((await users()).map(([device]) => device)).toEqual(['desktop-1', 'laptop-2', 'laptop-3', 'laptop-4']);
    // The person who frees is counted, not the license.
    expect(code((await approve(grace, 'laptop-5', { replace: refOf('laptop-2') })).decided)).toEqual([429, 'too_many_frees']);
    service.advance(4 * DAY);
    const later = await sessionOf('ada@example.com');
    expect((await portal(later, 'freePortalDevice', { ref: refOf('desktop-1') })).body).toEqual({ freed: true });
    expect((await members()).body).toMatchObject([{ devices: 3 }, { devices: 0 }]);
  });

  test('of another member move to the person who signs in, and lose their key', async () => {
    await service.call('updateLicense', { params: { id: license.id }, body: { max_seats: 3 } });
    const old = await signIn(grace, 'shared-1');
    const key = await signIn(ada, 'shared-1');
    expect(await users()).toEqual([['shared-1', 'ada@example.com']]);
    expect((await validate(old, 'shared-1')).body).toMatchObject({ valid: false, status: 'sign_in_required' });
    expect((await validate(key, 'shared-1')).body).toMatchObject({ valid: true });
    expect((await members()).body).toMatchObject([{ devices: 0 }, { devices: 1 }]);
    expect((await eventsOf()).slice(-3)).toEqual([
      ['member_added', { email: 'ada@example.com', role: 'member' }, undefined],
      ['deactivated', { email: 'grace@example.com', role: 'member' }, 'moved'],
      ['activated', { email: 'ada@example.com', role: 'member' }, 'sign_in'],
    ]);
    // An offline request moves the device, too.
    await signIn(grace, 'shared-1');
    const graces = await signIn(grace, 'shared-1');
    const request = writeOfflineRequest({ product: product.id, key: license.key, fingerprint: 'shared-1' });
    expect((await portal(ada, 'mintPortalToken', {}, { request })).status).toBe(200);
    expect(await users()).toEqual([['shared-1', 'ada@example.com']]);
    expect((await validate(graces, 'shared-1')).body).toMatchObject({ valid: false, status: 'sign_in_required' });
  });

  test('are freed with their keys when the member is removed, in one transaction of at most 100 actions', async () => {
    license = await team({}, { devices_per_user: 20 });
    graceId = String((await put('grace@example.com')).body['id']);
    const devices = Array.from({ length: 20 }, (_, place) => `laptop-${place}`);
    const keys: string[] = [];
    for (const device of devices) keys.push(await signIn(grace, device));
    expect((await remove(graceId)).body).toEqual({ removed: true, freed: 20 });
    expect(await shown()).toMatchObject({ seats: { used: 0 }, members: 0, activations: [] });
    expect((await validate(keys[19] ?? '', 'laptop-19')).body).toMatchObject({ valid: false, status: 'sign_in_required' });
    const events = await eventsOf();
    expect(events.filter(([event, , reason]) => event === 'deactivated' && reason === 'member_removed')).toHaveLength(20);
    expect(events.at(-1)).toEqual(['member_removed', { email: 'grace@example.com', role: 'member' }, undefined]);
    expect((await approve(grace, 'laptop-1')).decided.status).toBe(404);
  });

  test.each(['app', 'buyer', 'operator'])('can be freed by the %s, and the member may then use another', async (who) => {
    license = await team({}, { devices_per_user: 1 });
    await put('grace@example.com');
    const key = await signIn(grace, 'laptop-1');
    const free = {
      app: () => product.deactivate(key, 'laptop-1'),
      buyer: () => app('deactivate', { key: license.key, device: refOf('laptop-1') }),
      operator: () => service.call('deleteActivation', { params: { id: license.id, fingerprint: 'laptop-1' } }),
    }[who];
    expect((await free?.())?.body).toEqual({ freed: true });
    expect((await eventsOf()).at(-1)).toEqual(['deactivated', { email: 'grace@example.com', role: 'member' }, undefined]);
    await signIn(grace, 'laptop-2');
    expect(await users()).toEqual([['laptop-2', 'grace@example.com']]);
  });

  test('are freed by a reset and by a new key, and the members stay', async () => {
    const key = await signIn(grace, 'laptop-1');
    expect((await service.call('resetLicense', { params: { id: license.id }, body: {} })).body).toMatchObject({ freed: 1 });
    expect((await validate(key, 'laptop-1')).body).toMatchObject({ valid: false, status: 'sign_in_required' });
    expect(await shown()).toMatchObject({ seats: { used: 1 }, members: 1, activations: [] });
    expect((await members()).body).toMatchObject([{ email: 'grace@example.com', devices: 0 }]);
    await signIn(grace, 'laptop-1');
    license = await service.ok('reissueLicense', { params: { id: license.id } });
    expect(await shown()).toMatchObject({ seats: { used: 1 }, members: 1, activations: [] });
    await signIn(grace, 'laptop-2');
    expect((await members()).body).toMatchObject([{ devices: 1 }]);
  });

  test('count as new devices for each member', async () => {
    license = await team({ max_seats: 3 }, { new_devices_per_week: 1 });
    await put('grace@example.com');
    await signIn(grace, 'laptop-1');
    await signIn(ada, 'desktop-1');
    expect(code((await approve(grace, 'laptop-2')).decided)).toEqual([429, 'too_many_devices']);
    expect(await shown()).toMatchObject({ new_devices: { count: 2, since: expect.any(String) } });
    service.advance(7 * DAY);
    const session = await sessionOf('grace@example.com');
    await signIn(session, 'laptop-2');
    expect(code((await approve(session, 'laptop-3')).decided)).toEqual([429, 'too_many_devices']);
    service.advance(1);
    await service.ok('resetLicense', { params: { id: license.id }, body: { new_devices: true } });
    expect(await shown()).toMatchObject({ new_devices: { count: 0, since: null } });
    await signIn(session, 'laptop-3');
    expect(await shown()).toMatchObject({ new_devices: { count: 1 } });
  });
});
