import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { credentialHeaders, isAudited, type Endpoint } from '../../contract/endpoint';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { pathId, slug as slugSchema } from '../../contract/resources';
import { addressHash } from '../../domain/audit';
import { noSuchLicense, isOwn } from '../../domain/portal/license';
import { isLiveSession, isUseRecorded, portalTokenHash, type Session } from '../../domain/portal/session';
import type { Portal } from '../../domain/portal/settings';
import type { License } from '../../domain/license';
import { AuditTrail } from '../../store/audit-trail';
import { getLicense, type LicenseAddress } from '../../store/licenses/read';
import { isDeadKey, toLicense } from '../../store/licenses/rows';
import { licenseKey } from '../../store/keys';
import { getItem } from '../../store/items';
import { readPortal, recordUse } from '../../store/portal/sessions';
import { getOpenPortal } from '../../store/portal/settings';
import type { App } from '../app';
import { errorHandler } from './error-handler';
import type { Page } from './paging';
import { refuseCredential } from './refuse-credential';
import { originOf } from './request-origin';
import { header, parseRequest, type Input } from './request';
import { failureResponse, response } from './response';
import { appOf, isRetryable, type Handler } from './serve';

/**
 * Serves the routes of the portal (docs/spec/portal.md). If the portal does not exist or is turned off, the response is 404. This check
 * comes before all others.
 */

type VisitorEndpoint = Endpoint & { readonly credential: 'none' };
type BuyerEndpoint = Endpoint & { readonly credential: 'portal' };

export interface VisitorCall<Row extends Endpoint> extends Input<Row> {
  readonly app: App;
  readonly event: APIGatewayProxyEvent;
  readonly portal: Portal;
  /** The time of the request, in epoch ms. */
  readonly now: number;
}

export interface BuyerCall<Row extends Endpoint> extends VisitorCall<Row> {
  readonly session: Session;
  /** Returns the license that the path names, or 404 if it does not belong to the buyer. The license is read when it is first needed. */
  readonly ownLicense: () => Promise<Failure | License>;
}

type ResultOf<Row extends Endpoint> =
  | z.input<Row['response']>
  | Failure
  | (z.input<Row['response']> extends readonly (infer Item)[] ? Page<Item> : never);

const noSuchPortal = (): Failure => fail('not_found', 'There is no such page');

/** The portal's slug in the path; undefined if the text cannot be a slug. */
const slugOf = (event: APIGatewayProxyEvent): string | undefined => slugSchema.safeParse(event.pathParameters?.['slug']).data;

const pipeline = (row: Endpoint, run: Handler): Handler =>
  middy<APIGatewayProxyEvent, APIGatewayProxyResult>().use(errorHandler(row, isRetryable)).handler(run);

/** Creates the handler of a portal route that needs no session. */
export function serveVisitor<const Row extends VisitorEndpoint>(
  row: Row,
  operation: (call: VisitorCall<Row>) => Promise<ResultOf<Row>>,
): Handler {
  return pipeline(row, async (event, context) => {
    const app = appOf(context);
    const slug = slugOf(event);
    const portal = slug === undefined ? undefined : await getOpenPortal(app.table, slug);
    if (!portal) return failureResponse(row, event, noSuchPortal());
    const input = parseRequest(row, event);
    if (isFailure(input)) return failureResponse(row, event, input);
    return response(row, event, await operation({ ...input, app, event, portal, now: app.clock() }));
  });
}

/**
 * Creates the handler of a portal route for signed-in buyers. One call reads the portal, the session and, if the path names a license, the
 * license's product and key. The checks are in this order: the portal (404), the session (401), the portal's permissions (403), the format
 * of the request (422), the existence of the resource (404).
 */
export function servePortal<const Row extends BuyerEndpoint>(
  row: Row,
  operation: (call: BuyerCall<Row>) => Promise<ResultOf<Row>>,
): Handler {
  return pipeline(row, async (event, context) => {
    const app = appOf(context);
    const slug = slugOf(event);
    const token = header(event, credentialHeaders.portal);
    const licenseId = row.path.includes('{id}') ? pathId.safeParse(event.pathParameters?.['id']).data : undefined;
    if (slug === undefined) return failureResponse(row, event, noSuchPortal());
    const { portal, session, license } = await readPortal(app.table, slug, portalTokenHash(token ?? ''), licenseId);
    if (!portal) return failureResponse(row, event, noSuchPortal());
    const now = app.clock();
    if (token === undefined) return failureResponse(row, event, fail('unauthorized'));
    const origin = await originOf(app, event);
    if (!session || !isLiveSession(portal, session, now))
      return failureResponse(row, event, refuseCredential('refused.portal_session', event.resource, origin));
    if (row.allow !== undefined && !portal.allow.includes(row.allow))
      return failureResponse(row, event, fail('forbidden', 'This is not offered here'));

    const input = parseRequest(row, event);
    if (isFailure(input)) return failureResponse(row, event, input);
    if (isUseRecorded(session, now)) await recordUse(app.table, session.hash, now);
    const audited = isAudited(row) ? app.recording(auditTrailOf(row, portal, session, licenseId, origin.request_id)) : app;
    const ownLicense = (): Promise<Failure | License> => readOwn(app, session, license);
    return response(row, event, await operation({ ...input, app: audited, event, portal, session, now, ownLicense }));
  });
}

/**
 * The audit trail identifies the buyer by the hash of the e-mail address. The trail does not contain the IP address, because an erasure of
 * the buyer's data does not remove audit entries.
 */
const auditTrailOf = (
  row: Endpoint,
  { product_id }: Portal,
  { address }: Session,
  licenseId: number | undefined,
  requestId: string | null,
) =>
  new AuditTrail(
    {
      actor: 'buyer',
      actor_name: 'buyer',
      action: row.name,
      product_id,
      license_id: licenseId ?? null,
      target: addressHash(address),
      request_id: requestId,
      source_ip: null,
      user_agent: null,
    },
    { what: row.summary, details: [] },
  );

async function readOwn(app: App, session: Session, at: LicenseAddress | undefined): Promise<Failure | License> {
  if (!at || at.productId !== session.product_id) return noSuchLicense();
  const item = await getItem(app.table, licenseKey(at.productId, at.key));
  if (!item) return noSuchLicense();
  // If the row is the marker of a dead key, the license was moved to a new key in the meantime.
  const license = isDeadKey(item) ? await getLicense(app.table, Number(item['id'])) : toLicense(item);
  return license && isOwn(license, session) ? license : noSuchLicense();
}
