import { isPastExpiry } from '../../domain/license';
import type { Notification } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import { DAY_MS } from '../../domain/time';
import type { App } from '../../runtime/app';
import { unmovedLicenses } from '../../store/licenses/of-order';
import { findOrders } from '../../store/payments/orders';

/** License keys are shown in responses for this period, in ms, after the licenses were issued. */
const SHOWN_MS = DAY_MS;

/** A license key for the shop that sold it. */
export interface IssuedLicense {
  readonly id: number;
  readonly key: string;
  /** The id of the line for which the license was issued. */
  readonly line: string;
}

/**
 * The licenses of the order of a sale, as its shop may show them to the buyer. A license is left out if it is no longer active, if it has
 * another key than the issued one, or if it was issued more than 24 hours ago.
 */
export async function issuedLicenses(
  { table }: App,
  { id, product_id }: Connection,
  { leadingId, ids }: Notification,
  now: number,
): Promise<IssuedLicense[]> {
  const orders = await findOrders(table, id, leadingId ? [leadingId] : ids);
  const refs = orders.flatMap(({ licenses }) => licenses.filter(({ reissued }) => !reissued));
  const licenses = await unmovedLicenses(
    table,
    product_id,
    refs.map(({ key }) => key),
  );
  return licenses
    .filter((license) => license.status === 'active' && !isPastExpiry(license, now) && now - license.created_at < SHOWN_MS)
    .map((license) => ({ id: license.id, key: license.key, line: refs.find((ref) => ref.id === license.id)?.line ?? '' }));
}
