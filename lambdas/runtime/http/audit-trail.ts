import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Endpoint } from '../../contract/endpoint';
import type { Actor } from '../../domain/actor';
import type { RequestOrigin } from '../../domain/audit';
import { AuditTrail } from '../../store/audit';
import { header, type Input } from './request';
import { isThroughDistribution } from './response';

/**
 * The address of who makes a request. Behind the distribution the API sees the distribution's own; the address that
 * the distribution saw is the last but one in the list that each hop adds its caller to.
 */
function sourceIp(event: APIGatewayProxyEvent): string | null {
  const viewer = isThroughDistribution(event) ? header(event, 'x-forwarded-for')?.split(',').at(-2)?.trim() : undefined;
  return viewer ?? event.requestContext.identity?.sourceIp ?? null;
}

/** Where a request came from, as the audit log keeps it. */
export const originOf = (event: APIGatewayProxyEvent): RequestOrigin => ({
  request_id: event.requestContext.requestId,
  source_ip: sourceIp(event),
  user_agent: header(event, 'user-agent') ?? null,
});

/** What an admin write is about, as far as its row and its path say, and the names of the fields that it sends. */
export function auditTrailOf(row: Endpoint, { params, body, sentBody }: Input<Endpoint>, actor: Actor, event: APIGatewayProxyEvent): AuditTrail {
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
      ...originOf(event),
    },
    { what: row.summary, details: Object.keys(body).filter((name) => Object.hasOwn(sentBody, name)) },
  );
}
