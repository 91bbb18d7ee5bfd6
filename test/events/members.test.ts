import { randomBytes } from 'node:crypto';
import type { LicenseView, MemberView } from '../../lambdas/contract/resources';
import type { CallResult } from '../support/harness';
import { startEventHarness, type EventHarness, type Product } from '../support/event-harness';
import { ownTable } from '../support/own-table';

/** Tests licenses of named people (docs/spec/sign-in.md). */

let table: string;
let service: EventHarness;
let product: Product;
let license: LicenseView;

beforeAll(async () => {
  table = await ownTable();
});
beforeEach(async () => {
  service = startEventHarness(table);
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
