import { adminTokenSchema } from '../../lambdas/domain/admin-token';
import { auditEntrySchema } from '../../lambdas/domain/audit';
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
