import type { FunctionAccess, Partition, SecretName, StoreAccess } from './access';
import { isAudited, usesQueue, type Endpoint, type Subject } from './endpoint';

/** Checking an admin token reads it and records the day of its use. No function that checks tokens can change what a token may do. */
const tokenCheck = { GetItem: ['token'], UpdateItem: ['tokenList'] } as const satisfies StoreAccess;

/** Checking a portal's session reads it together with the portal's settings, and records its use. */
const sessionCheck = { BatchGetItem: ['portal', 'portalSession'], UpdateItem: ['portalSession'] } as const satisfies StoreAccess;

/**
 * The row that says which product the resource in a path belongs to, to check tokens that are bound to one product. For
 * subjects without a row here, the path names the product.
 */
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
 * All permissions of an endpoint's function: those that its row declares, those for checking its caller and recording
 * the caller's address, and the audit log.
 */
export function accessOf(row: Endpoint): FunctionAccess {
  const declared = {
    ...row,
    queue: usesQueue(row),
    secrets: union<SecretName>(row.secrets, row.credential === 'none' ? [] : ['originSecret']),
  };
  const { store } = row;
  if (row.credential === 'portal') {
    return {
      ...declared,
      store: {
        ...store,
        BatchGetItem: union<Partition>(store.BatchGetItem, sessionCheck.BatchGetItem),
        UpdateItem: union(store.UpdateItem, sessionCheck.UpdateItem),
        ...(isAudited(row) && { PutItem: union<Partition>(store.PutItem, ['audit']) }),
      },
    };
  }
  if (row.credential !== 'admin') return declared;
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
