import type { Endpoint } from '../../contract/endpoint';
import { fail, type Failure } from '../../contract/errors';
import { permits } from '../../contract/scopes';
import type { Actor } from '../../domain/actor';
import { belongsTo, type Owned, type PathParams } from '../../store/owner';
import type { App } from '../app';

/** Checks what a valid admin token may do. (docs/spec/operator.md, Scopes) */

/** The refusal (403) of an actor who may never call the row, independent of the request's subject. */
export function refuseScope(row: Endpoint, actor: Actor): Failure | undefined {
  if (row.scope === undefined) return undefined;
  if (!permits(actor.scopes, row.scope)) return fail('forbidden', `This needs a token with the scope ${[row.scope].flat().join(' or ')}`);
  if (actor.product_id !== null && row.subject === 'deployment')
    return fail('forbidden', 'This needs a token that is not bound to a product');
  return undefined;
}

/** The name of each subject, for the message that there is no such subject. */
const names: Readonly<Record<Owned | 'product', string>> = {
  product: 'product',
  license: 'license',
  license_type: 'license type',
  release: 'release',
  delivery: 'delivery',
  payment_connection: 'payment connection',
  payment: 'payment',
};

/** The refusal (404) of an actor who is bound to another product than the path's: for that actor it does not exist. */
export async function refuseOtherProduct(app: App, row: Endpoint, params: PathParams, { product_id }: Actor): Promise<Failure | undefined> {
  const { subject } = row;
  if (product_id === null || subject === undefined || subject === 'products' || subject === 'deployment' || subject === 'caller')
    return undefined;
  const isOwn = subject === 'product' ? params['id'] === product_id : await belongsTo(app.table, product_id, subject, params);
  return isOwn ? undefined : fail('not_found', `There is no such ${names[subject]}`);
}
