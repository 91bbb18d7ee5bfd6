import { adminTokenSchema } from '../../lambdas/domain/admin-token';
import { auditEntrySchema } from '../../lambdas/domain/audit';
import { decode, encode } from '../../lambdas/store/codec';
import { licenseItem, toLicense } from '../../lambdas/store/licenses/rows';
import { readRow, readRows, UnreadableRow } from '../../lambdas/store/row';

/** Rows that another version of the service wrote. If one of these tests fails, an update of the service makes data unreadable or wrong. */

const token = { pk: 'TOKEN#secret', sk: 'TOKEN', version: 1, id: 7, name: 'CI', scopes: ['read'], created_at: 1 };

test('a field that an older version did not write has its value for such rows', () => {
  expect(readRow(adminTokenSchema, token)).toEqual({
    id: 7,
    name: 'CI',
    scopes: ['read'],
    product_id: null,
    renewal_days: null,
    expires_at: null,
    created_at: 1,
  });
});

test('fields and values that only a newer version knows are left out', () => {
  const row = readRow(adminTokenSchema, { ...token, version: 9, added: true, scopes: ['newer', 'read'] });
  expect(row.scopes).toEqual(['read']);
  expect(row).not.toHaveProperty('added');
});

test('the row of a license without any optional field becomes the same license, and its row again', () => {
  const license_type = { id: 1, name: 'Pro', kind: 'lifetime', max_seats: 1, duration_days: null };
  const row = { product_id: 1, product_slug: 'p', key: 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', id: 2, status: 'active', license_type };
  const read = toLicense({ ...row, seats_used: 0, epoch: 0, sequence: 1, created_at: 1, metadata: '{}', newer: 1 });
  expect(read).toMatchObject({ license_type: { starts: 'creation', meters: [] }, limits: null, term_starts: [], key_mailed: false });
  const written = licenseItem(read);
  expect(written).toMatchObject({ license_type: { id: 1, name: 'Pro', kind: 'lifetime', max_seats: 1 }, metadata: '{}' });
  for (const field of ['expires_at', 'limits', 'term_starts', 'key_mailed', 'newer']) expect(written).not.toHaveProperty(field);
  expect(toLicense(written)).toEqual(read);
  const { metadata: _, ...without } = written;
  expect(() => toLicense(without)).toThrow(/: metadata$/);
});

test('a limit may have the name of any property that JavaScript objects have', () => {
  const limits = { constructor: 1, valueof: 2, length: 3 };
  expect(decode(encode({ limits })).limits).toEqual(limits);
});

test('the message about a row that cannot be read names its kind and its field, and not its key or value', () => {
  const read = () => readRow(adminTokenSchema, { ...token, name: { private: 'value' } });
  expect(read).toThrow(UnreadableRow);
  expect(read).toThrow(/^The row TOKEN\/TOKEN cannot be read: name$/);
  const nested = { id: 'a', at: 1, actor: 'a', actor_name: 'a', action: 'a', summary: 'a', changes: [{ field: 'x' }, { field: 5 }] };
  expect(() => readRow(auditEntrySchema, nested)).toThrow(/: changes\.1\.field$/);
});

test('a list leaves out and counts the rows that cannot be read', () => {
  const { entities, unreadable } = readRows([token, { ...token, id: 'seven' }], (item) => readRow(adminTokenSchema, item));
  expect([entities.map(({ id }) => id), unreadable]).toEqual([[7], 1]);
});
