import type { Endpoint } from '../../contract/endpoint';
import type { Actor } from '../../domain/actor';
import { AuditTrail } from '../../store/audit-trail';
import type { ApiRequest, Input } from './request';
import { originOf } from './request-origin';

/**
 * The audit trail of an admin write, with the facts that are known before the operation runs: the endpoint, the resource in the path and
 * the names of the fields that the request contains.
 */
export async function auditTrailOf({
  app,
  row,
  event,
  actor,
  params,
  body,
  sentBody,
  skipsWebhook,
}: ApiRequest & Input<Endpoint> & { readonly actor: Actor }): Promise<AuditTrail> {
  const [named] = Object.values(params) as (string | number | undefined)[];
  const isAbout = (subject: Endpoint['subject']): number | null => (row.subject === subject && typeof named === 'number' ? named : null);
  return new AuditTrail(
    {
      actor: actor.id,
      actor_name: actor.name,
      action: row.name,
      product_id: isAbout('product') ?? actor.product_id,
      license_id: isAbout('license'),
      target: named === undefined ? null : `${row.subject}/${named}`,
      ...(await originOf(app, event)),
    },
    { what: row.summary, details: Object.keys(body).filter((name) => Object.hasOwn(sentBody, name)) },
    skipsWebhook,
  );
}
