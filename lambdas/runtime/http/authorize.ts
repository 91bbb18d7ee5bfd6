import type { Endpoint } from '../../contract/endpoint';
import { fail, type Failure } from '../../contract/errors';
import { permits } from '../../contract/scopes';
import type { Actor } from '../../domain/actor';
import { belongsTo, type Owned, type PathParams } from '../../store/owner';
import type { App } from '../app';

/** Checks whether a valid admin token permits a request. (docs/spec/operator.md, Scopes) */

/** Returns the refusal (403) of an actor who may never call the endpoint, regardless of the resource that the request names. */
export function refuseScope(row: Endpoint, actor: Actor): Failure | undefined {
  if (row.scope === undefined) return undefined;
  if (!permits(actor.scopes, row.scope))
    return fail('forbidden', `This request needs a token with the scope ${[row.scope].flat().join(' or ')}`);
  if (actor.product_id !== null && row.subject === 'deployment')
    return fail('forbidden', 'This request needs a token that is not bound to a product');
  return undefined;
}

/** The name of each kind of resource, for the message that the resource does not exist. */
const names: Readonly<Record<Owned | 'product', string>> = {
  product: 'product',
  license: 'license',
  license_type: 'license type',
  release: 'release',
  delivery: 'delivery',
  payment_connection: 'payment connection',
  payment: 'payment',
};

/**
 * Returns the refusal (404) if the actor is bound to a product and the path names a resource of another product. Such a resource does not
 * exist for that actor.
 */
export async function refuseOtherProduct(app: App, row: Endpoint, params: PathParams, { product_id }: Actor): Promise<Failure | undefined> {
  const { subject } = row;
  if (product_id === null || subject === undefined || subject === 'products' || subject === 'deployment' || subject === 'caller')
    return undefined;
  const isOwn = subject === 'product' ? params['id'] === product_id : await belongsTo(app.table, product_id, subject, params);
  return isOwn ? undefined : fail('not_found', `There is no such ${names[subject]}`);
}
