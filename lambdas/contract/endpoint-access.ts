import type { FunctionAccess, Partition, SecretName, StoreAccess } from './access';
import { isAudited, usesQueue, type Endpoint, type Subject } from './endpoint';

/** Checking an admin token reads it, and records the day. No function that checks tokens can change what one may do. */
const tokenCheck = { GetItem: ['token'], UpdateItem: ['tokenList'] } as const satisfies StoreAccess;

/** The row that names the product of the resource in a path, for tokens that are bound to one. If there is none, the path itself does. */
const ownerRows: Partial<Readonly<Record<Subject, Partition>>> = {
  license: 'licenseId',
  license_type: 'product',
  release: 'releaseId',
  delivery: 'event',
  payment_connection: 'payment',
  payment: 'payment',
};

const union = <Item>(...lists: readonly (readonly Item[] | undefined)[]): readonly Item[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];

/**
 * Everything that an endpoint's function may use: what its row declares, what checking its caller and recording where it is need, and the
 * audit log.
 */
export function accessOf(row: Endpoint): FunctionAccess {
  const declared = {
    ...row,
    queue: usesQueue(row),
    secrets: union<SecretName>(row.secrets, row.credential === 'none' ? [] : ['originSecret']),
  };
  if (row.credential !== 'admin') return declared;
  const { store } = row;
  const ownerRow = ownerRows[row.subject];
  return {
    ...declared,
    store: {
      ...store,
      GetItem: union<Partition>(store.GetItem, tokenCheck.GetItem, ownerRow && [ownerRow]),
      UpdateItem: union(store.UpdateItem, tokenCheck.UpdateItem),
      ...(isAudited(row) && { PutItem: union<Partition>(store.PutItem, ['audit']) }),
    },
    secrets: union<SecretName>(declared.secrets, ['adminToken']),
  };
}
