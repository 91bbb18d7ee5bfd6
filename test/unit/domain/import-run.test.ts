import { licenseExample } from '../../../lambdas/contract/examples';
import type { LicenseView } from '../../../lambdas/contract/resources';
import type { ImportedLicense } from '../../../lambdas/domain/import/check';
import { lookupKey } from '../../../lambdas/domain/license-key';
import { ImportRun, type ImportResult, type ImportTarget, type LicensePage, type Refusal } from '../../../lambdas/domain/import/run';

/** Runs an import with a product in memory. If a test fails, a repeated import issues licenses twice, or leaves rows out. */

type Stored = LicensePage['licenses'][number];

const stored = (id: number, changes: Partial<Stored> = {}): Stored => ({
  ...(licenseExample as LicenseView),
  id,
  key: `OLD-KEY-000${id}`,
  order: null,
  metadata: {},
  status: 'active',
  expires_at: null,
  ...changes,
});

const withKey = (line: number, key: string, changes: Partial<ImportedLicense> = {}): ImportedLicense => ({
  line,
  identity: { key: lookupKey(key) ?? key },
  body: { license_type_id: 1, key },
  devices: [],
  members: [],
  status: 'active',
  neverExpires: false,
  ...changes,
});
const ofOrder = (line: number, order: string, place: number): ImportedLicense => ({
  line,
  identity: { order, place },
  body: { license_type_id: 1, metadata: { order } },
  devices: [],
  members: [],
  status: 'active',
  neverExpires: false,
});

/** A product in memory, and the list of requests that change it. */
function product(pages: readonly LicensePage[], changes: Partial<ImportTarget> = {}): { target: ImportTarget; calls: string[] } {
  const calls: string[] = [];
  const ask = (name: string) => (id: number) => Promise.resolve(void calls.push(`${name} ${id}`));
  let id = 100;
  const target: ImportTarget = {
    async *pages() {
      for (const page of pages) yield await Promise.resolve(page);
    },
    create: ({ key }, idempotencyKey) => {
      calls.push(`create ${idempotencyKey ?? key}`);
      id += 1;
      return Promise.resolve(stored(id));
    },
    find: () => Promise.resolve(undefined),
    revoke: ask('revoke'),
    suspend: ask('suspend'),
    removeExpiry: ask('remove expiry'),
    addDevice: (to, { fingerprint }) => ask(`add ${fingerprint} to`)(to),
    putMember: (to, { email, role }) => ask(`${role} ${email} of`)(to),
    ...changes,
  };
  return { target, calls };
}

const page = (...licenses: readonly Stored[]): LicensePage => ({ licenses, unreadable: 0 });

async function importAll(target: ImportTarget, licenses: readonly ImportedLicense[], atOnce = 1): Promise<Record<number, ImportResult>> {
  const results: Record<number, ImportResult> = {};
  const run = await ImportRun.begin(target, licenses, () => undefined);
  await run.importAll(atOnce, ({ line }, result) => {
    results[line] = result;
  });
  return results;
}

test('a product with an unreadable license is refused before anything is written, even on a later page', async () => {
  const { target, calls } = product([page(stored(1)), { licenses: [], unreadable: 1 }]);
  await expect(importAll(target, [withKey(2, 'NEW-KEY-0001')])).rejects.toThrow(/cannot read some licenses/);
  expect(calls).toEqual([]);
});

test('an existing license is found by its key or by its place in its order, on any page, and not issued again', async () => {
  const { target, calls } = product([
    page(stored(1), stored(2, { metadata: { order: 'A-1' } })),
    page(stored(3, { metadata: { order: 'A-1' } })),
  ]);
  const read: number[] = [];
  const rows = [withKey(2, 'OLD-KEY-0001'), ofOrder(3, 'A-1', 0), ofOrder(4, 'A-1', 1), ofOrder(5, 'A-1', 2)];
  const run = await ImportRun.begin(target, rows, (done) => read.push(done));
  const results: ImportResult[] = [];
  await run.importAll(1, (_license, result) => results.push(result));
  expect(results).toEqual([1, 2, 3].map((id) => ({ kind: 'there', id })).concat({ kind: 'created', id: 101 }));
  expect(calls).toEqual(['create import/2/A-1']);
  expect(read).toEqual([2, 3]);
});

test('a license whose key is in the file does not replace another row of its order', async () => {
  const { target, calls } = product([page(stored(1, { metadata: { order: 'A-1' } }))]);
  await importAll(target, [withKey(2, 'OLD-KEY-0001'), ofOrder(3, 'A-1', 0)]);
  expect(calls).toEqual(['create import/0/A-1']);
});

test('a key that another import issued meanwhile is found, and gets the status of its row', async () => {
  const duplicate: Refusal = { refused: 'This key exists', duplicate: true };
  const { target, calls } = product([], { create: () => Promise.resolve(duplicate), find: () => Promise.resolve(stored(7)) });
  expect(await importAll(target, [withKey(2, 'NEW-KEY-0001', { status: 'suspended' })])).toEqual({ 2: { kind: 'there', id: 7 } });
  expect(calls).toEqual(['suspend 7']);
});

test('if an earlier run ended between the requests of a row, the import sends only the missing requests of that row', async () => {
  const { target, calls } = product([
    page(
      stored(1, { expires_at: '2027-01-01T00:00:00.000Z' }),
      stored(2),
      stored(3, { status: 'suspended' }),
      stored(4, { status: 'revoked' }),
    ),
  ]);
  await importAll(target, [
    withKey(2, 'OLD-KEY-0001', { neverExpires: true }),
    withKey(3, 'OLD-KEY-0002', { neverExpires: true, status: 'revoked' }),
    withKey(4, 'OLD-KEY-0003', { status: 'suspended' }),
    withKey(5, 'OLD-KEY-0004', { status: 'suspended' }),
  ]);
  expect(calls).toEqual(['remove expiry 1', 'revoke 2']);
});

test('devices are added before the license is suspended, and not again if they have a seat; a refusal names the device', async () => {
  const [one, two] = [{ fingerprint: 'machine-1' }, { fingerprint: 'machine-2' }];
  const activations = (licenseExample as LicenseView).activations.map((device) => ({ ...device, ...one }));
  const { target, calls } = product([page(stored(1, { activations }), stored(2, { activations: [] }))]);
  await importAll(target, [
    withKey(2, 'OLD-KEY-0001', { devices: [one, two], status: 'suspended' }),
    withKey(3, 'OLD-KEY-0002', { devices: [one], status: 'revoked' }),
  ]);
  expect(calls).toEqual(['add machine-2 to 1', 'suspend 1', 'revoke 2']);

  const full: Refusal = { refused: 'All seats are taken', duplicate: false };
  const { target: other } = product([page(stored(1, { activations }))], { addDevice: () => Promise.resolve(full) });
  expect(await importAll(other, [withKey(2, 'OLD-KEY-0001', { devices: [one, two] })])).toEqual({
    2: { kind: 'refused', reason: 'device machine-2: All seats are taken' },
  });
});

test('after a refused row, the other rows of its order are refused as well, and those of other orders are not', async () => {
  const { target } = product([], {
    create: (_body, idempotencyKey) =>
      Promise.resolve(idempotencyKey === 'import/0/A-1' ? { refused: 'No such type', duplicate: false } : stored(9)),
  });
  expect(await importAll(target, [ofOrder(2, 'A-1', 0), ofOrder(3, 'B-1', 0), ofOrder(4, 'A-1', 1)])).toEqual({
    2: { kind: 'refused', reason: 'No such type' },
    3: { kind: 'created', id: 9 },
    4: { kind: 'refused', reason: 'the row on line 2, of the same order, was refused' },
  });
});

test('after a fault no further row begins, and rows in progress end before the fault is reported', async () => {
  let finish: (() => void) | undefined;
  const begun: unknown[] = [];
  const { target } = product([], {
    create: async ({ key }) => {
      begun.push(key);
      if (key === 'NEW-KEY-0001') throw new Error('The service cannot be reached');
      await new Promise<void>((resolve) => (finish = resolve));
      return stored(9);
    },
  });
  const results: number[] = [];
  const run = await ImportRun.begin(
    target,
    [1, 2, 3].map((place) => withKey(place + 1, `NEW-KEY-000${place}`)),
    () => undefined,
  );
  const done = run.importAll(2, ({ line }) => results.push(line));
  await new Promise((resolve) => setImmediate(resolve));
  finish?.();
  await expect(done).rejects.toThrow('The service cannot be reached');
  expect([begun, results]).toEqual([['NEW-KEY-0001', 'NEW-KEY-0002'], [3]]);
});

test('the members of a license are added without invitations, and a member without a seat is a refused row', async () => {
  const { target, calls } = product([]);
  const members = [
    { email: 'ada@example.com', role: 'manager' },
    { email: 'grace@example.com', role: 'member' },
  ] as const;
  await importAll(target, [withKey(2, 'NEW-KEY-0001', { members }), withKey(3, 'NEW-KEY-0002', { members, status: 'revoked' })]);
  expect(calls).toEqual([
    'create NEW-KEY-0001',
    'manager ada@example.com of 101',
    'member grace@example.com of 101',
    'create NEW-KEY-0002',
    'revoke 102',
  ]);
  const full = { refused: 'every seat is taken', duplicate: false };
  const { target: other } = product([], { putMember: () => Promise.resolve(full) });
  expect(await importAll(other, [withKey(2, 'NEW-KEY-0001', { members })])).toEqual({
    2: { kind: 'refused', reason: 'member ada@example.com: every seat is taken' },
  });
});
