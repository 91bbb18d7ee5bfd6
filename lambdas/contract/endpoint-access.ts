import type { FunctionAccess, Partition, SecretName, StoreAccess } from './access';
import { isAudited, usesQueue, type Endpoint, type Subject } from './endpoint';

/**
 * The table access for checking an admin token: reading the token, and recording the day of its use. This access is not enough to change
 * the rights of a token.
 */
const tokenCheck = { GetItem: ['token'], UpdateItem: ['tokenList'] } as const satisfies StoreAccess;

/**
 * The table access for checking a session of the portal: reading the session together with the portal's settings, and recording its use.
 */
const sessionCheck = { BatchGetItem: ['portal', 'portalSession'], UpdateItem: ['portalSession'] } as const satisfies StoreAccess;

/**
 * For each subject whose paths do not contain the product's id: the partition of the row that contains the id of the resource's product.
 * The endpoint's function reads this row to check a token that is bound to one product.
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
 * All permissions of an endpoint's function. They include the permissions in the endpoint's row, the permissions to check the caller and to
 * record the caller's IP address, and the permissions to write to the audit log.
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
