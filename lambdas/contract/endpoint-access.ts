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
const ownLicenseRead: StoreAccess = { GetItem: ['licenseId', 'license', 'member'], BatchGetItem: ['licenseId'] };

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

/** The table access for responding to a repeated request with the stored response. */
const storedResponse: StoreAccess = { GetItem: ['idempotency'], PutItem: ['idempotency'] };

const union = <Item>(...lists: readonly (readonly Item[] | undefined)[]): readonly Item[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];

/** The table access that is declared in at least one of the given declarations. */
function joined(...accesses: readonly StoreAccess[]): StoreAccess {
  const actions = union(...accesses.map((access) => Object.keys(access) as (keyof StoreAccess)[]));
  return Object.fromEntries(actions.map((action) => [action, union<Partition | Index>(...accesses.map((access) => access[action]))]));
}

/** The table access that follows from the other fields of an endpoint's row. */
function derivedStore(row: Endpoint): StoreAccess {
  const ownerRow = row.subject && ownerRows[row.subject];
  return joined(
    row.credential === 'admin' ? tokenCheck : {},
    ownerRow ? { GetItem: [ownerRow] } : {},
    row.credential === 'product' ? { GetItem: ['product'] } : {},
    row.credential === 'portal' ? sessionCheck : {},
    row.credential === 'portal' && row.path.includes('{id}') ? ownLicenseRead : {},
    row.idempotent ? storedResponse : {},
    row.emits?.length ? { PutItem: ['event'] } : {},
    // The key of a device ends in the transaction that frees the device, or binds it again after a reset.
    row.emits?.some((event) => event === 'license.activated' || event === 'license.deactivated') ? { PutItem: ['deviceKey'] } : {},
    isAudited(row) ? { PutItem: ['audit'] } : {},
  );
}

/**
 * All permissions of an endpoint's function. They include the permissions in the endpoint's row, and the permissions that follow from its
 * other fields: to check the caller, to record the caller's IP address, events and stored responses, and to write to the audit log.
 */
export function accessOf(row: Endpoint): FunctionAccess {
  const checks: readonly SecretName[] =
    row.credential === 'none' ? [] : row.credential === 'admin' ? ['originSecret', 'adminToken'] : ['originSecret'];
  // A stored response may contain an API key or an e-mail address.
  const encryption: readonly SecretName[] = row.idempotent ? ['encryptionKey'] : [];
  return {
    ...row,
    queue: usesQueue(row),
    secrets: union(row.secrets, checks, encryption),
    store: joined(row.store, derivedStore(row)),
  };
}
