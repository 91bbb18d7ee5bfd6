import type { FunctionAccess, Index, Partition, SecretName, StoreAccess } from './access';
import { isAudited, usesQueue, type Endpoint, type Subject } from './endpoint';

/**
 * The table access for checking an admin token: reading the token, and recording the day of its use. This access is not enough to change
 * the rights of a token.
 */
const tokenCheck: StoreAccess = { GetItem: ['token'], UpdateItem: ['tokenList'] };

/**
 * The table access for checking a session of the portal: reading the session together with the portal's settings, and recording its use.
 */
const sessionCheck: StoreAccess = { BatchGetItem: ['portal', 'portalSession'], UpdateItem: ['portalSession'] };

/**
 * The table access for reading the license in the path of a portal route. The license's id is read together with the session, and again if
 * the license gets another key during the request.
 */
const ownLicenseRead: StoreAccess = { GetItem: ['licenseId', 'license'], BatchGetItem: ['licenseId'] };

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

const auditWrite: StoreAccess = { PutItem: ['audit'] };

const union = <Item>(...lists: readonly (readonly Item[] | undefined)[]): readonly Item[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];

/** The table access that is declared in at least one of the given declarations. */
function joined(...accesses: readonly StoreAccess[]): StoreAccess {
  const actions = union(...accesses.map((access) => Object.keys(access) as (keyof StoreAccess)[]));
  return Object.fromEntries(actions.map((action) => [action, union<Partition | Index>(...accesses.map((access) => access[action]))]));
}

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
  const audit = isAudited(row) ? auditWrite : {};
  if (row.credential === 'portal')
    return { ...declared, store: joined(row.store, sessionCheck, row.path.includes('{id}') ? ownLicenseRead : {}, audit) };
  if (row.credential !== 'admin') return declared;
  const ownerRow = ownerRows[row.subject];
  return {
    ...declared,
    store: joined(row.store, tokenCheck, ownerRow ? { GetItem: [ownerRow] } : {}, audit),
    secrets: union<SecretName>(declared.secrets, ['adminToken']),
  };
}
