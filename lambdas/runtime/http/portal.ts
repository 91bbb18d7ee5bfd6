import { credentialHeaders, isAudited } from '../../contract/endpoint';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { isHidden, type PortalAction } from '../../contract/portal-actions';
import { pathId, slug as slugSchema } from '../../contract/resources';
import { addressHash, type RequestOrigin } from '../../domain/audit';
import type { License } from '../../domain/license';
import { noSuchLicense, notOffered, onlyForBuyer } from '../../domain/portal/license';
import { isLiveSession, isUseRecorded, portalTokenHash, type Session } from '../../domain/portal/session';
import type { Portal } from '../../domain/portal/settings';
import { portalAccessOf, type PortalAccess } from '../../domain/portal/access';
import { AuditTrail } from '../../store/audit-trail';
import { getItem } from '../../store/items';
import { licenseKey } from '../../store/keys';
import { getLicense, type LicenseAddress } from '../../store/licenses/read';
import { isDeadKey, toLicense } from '../../store/licenses/rows';
import { getOwnMember } from '../../store/members';
import { readPortal, recordUse } from '../../store/portal/sessions';
import { getOpenPortal } from '../../store/portal/settings';
import type { App } from '../app';
import { refuseCredential } from './refuse-credential';
import { header, type ApiRequest } from './request';
import { originOf } from './request-origin';
import type { Access } from './serve';

/**
 * The access to the routes of the portal (docs/spec/portal.md). If the portal does not exist or is turned off, the response is 404. This
 * check comes before all others.
 */

interface Visitor {
  readonly portal: Portal;
}

interface Buyer extends Visitor {
  readonly session: Session;
  readonly origin: RequestOrigin;
  /** The address of the license that the path names, if the path names one. */
  readonly address: LicenseAddress | undefined;
}

interface BuyerRequest {
  /** The app, which records an audited request in the audit log. */
  readonly app: App;
  /** Returns the license that the path names, and what the signed-in person is for it; 404 if neither its buyer nor a member. */
  readonly openLicense: () => Promise<Failure | OpenLicense>;
  /** Returns the license that the path names. The response is 404 if it is none of the signed-in person's, and 403 for a member. */
  readonly ownLicense: () => Promise<Failure | License>;
}

/** A license in the portal of a person who is its buyer or a member. */
export interface OpenLicense {
  readonly license: License;
  readonly access: PortalAccess;
}

const noSuchPortal = (): Failure => fail('not_found', 'There is no such page');

/** The portal's slug in the path; undefined if the text cannot be a slug. */
const slugOf = ({ event }: ApiRequest): string | undefined => slugSchema.safeParse(event.pathParameters?.['slug']).data;

/** The id of the license in the path; undefined if the path contains none. */
const licenseIdOf = ({ row, event }: ApiRequest): number | undefined =>
  row.path.includes('{id}') ? pathId.safeParse(event.pathParameters?.['id']).data : undefined;

const isAllowed = ({ allow }: Portal, action: PortalAction | undefined): boolean => action === undefined || allow.includes(action);

/** The access to the routes of a portal that need no session. */
export const visitor: Access<'none', Visitor> = {
  authenticate: async (request) => {
    const slug = slugOf(request);
    const portal = slug === undefined ? undefined : await getOpenPortal(request.app.table, slug);
    return portal ? { portal } : noSuchPortal();
  },
};

/**
 * The access to the routes of a portal for signed-in buyers. One call reads the portal, the session and, if the path names a license, the
 * license's product and key. The checks are in this order: the portal (404), the session (401), the portal's permissions (403).
 * A route of a hidden action is 404 unless the portal permits the action.
 */
export const buyer: Access<'portal', Buyer, BuyerRequest> = {
  authenticate: async (request) => {
    const { app, row, event } = request;
    const slug = slugOf(request);
    const token = header(event, credentialHeaders.portal);
    if (slug === undefined) return noSuchPortal();
    const { portal, session, license } = await readPortal(app.table, slug, portalTokenHash(token ?? ''), licenseIdOf(request));
    if (!portal || (isHidden(row.allow) && !isAllowed(portal, row.allow))) return noSuchPortal();
    if (token === undefined) return fail('unauthorized');
    const origin = await originOf(app, event);
    if (!session || !isLiveSession(portal, session, app.clock())) return refuseCredential('refused.portal_session', event.resource, origin);
    if (!isAllowed(portal, row.allow)) return notOffered();
    return { portal, session, origin, address: license };
  },
  load: async (request) => {
    const { app, row, session, address } = request;
    const now = app.clock();
    if (isUseRecorded(session, now)) await recordUse(app.table, session.hash, now);
    return {
      app: isAudited(row) ? app.recording(auditTrailOf(request)) : app,
      openLicense: () => readOpen(app, session, address),
      ownLicense: async () => {
        const open = await readOpen(app, session, address);
        if (isFailure(open)) return open;
        return open.access.role === 'buyer' ? open.license : onlyForBuyer();
      },
    };
  },
};

/**
 * The audit trail identifies the buyer by the hash of the e-mail address. The trail does not contain the IP address, because an erasure of
 * the buyer's data does not remove audit entries.
 */
const auditTrailOf = (request: ApiRequest & Buyer): AuditTrail =>
  new AuditTrail(
    {
      actor: 'buyer',
      actor_name: 'buyer',
      action: request.row.name,
      product_id: request.portal.product_id,
      license_id: licenseIdOf(request) ?? null,
      target: addressHash(request.session.address),
      request_id: request.origin.request_id,
      source_ip: null,
      user_agent: null,
    },
    { what: request.row.summary, details: [] },
  );

async function readOpen(app: App, session: Session, at: LicenseAddress | undefined): Promise<Failure | OpenLicense> {
  if (!at || at.productId !== session.product_id) return noSuchLicense();
  const item = await getItem(app.table, licenseKey(at.productId, at.key));
  if (!item) return noSuchLicense();
  // If the row is the marker of a dead key, the license was moved to a new key in the meantime.
  const license = isDeadKey(item) ? await getLicense(app.table, Number(item['id'])) : toLicense(item);
  const member = license && (await getOwnMember(app.table, license, session.address));
  const access = license && portalAccessOf(license, member, session);
  return access ? { license, access } : noSuchLicense();
}
