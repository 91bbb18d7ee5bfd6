import { getPurchase } from '../contract/payments';
import { isPastExpiry } from '../domain/license';
import { adapters, isPurchaseId } from '../domain/payments';
import { DAY_MS, timestampOrNull } from '../domain/time';
import { client, serve } from '../runtime/http';
import { unmovedLicenses } from '../store/licenses/of-order';
import { listConnections } from '../store/payments/connections';
import { findOrdersOf } from '../store/payments/orders';

/** The license keys of a purchase are shown for this period, in ms, after the purchase. */
const SHOWN_MS = DAY_MS;

const pending = { status: 'pending' as const };

export const handler = serve(getPurchase, client, async ({ query: { order: id }, product, app, now }) => {
  const { entities: connections } = await listConnections(app.table, product.id);
  const found = await findOrdersOf(
    app.table,
    connections.map(({ id: connectionId, processor }) => {
      const adapter = adapters[processor];
      return { connectionId, ids: adapter.purchaseKinds.map((kind) => ({ kind, id })).filter((one) => isPurchaseId(adapter, one)) };
    }),
  );
  const order = found.find(({ licenses }) => licenses.length > 0);
  if (!order || order.issued_at === null || now - order.issued_at >= SHOWN_MS) return pending;
  // Anyone who knows the id of the order can see its license keys. If a license was reissued under a new key, the new key is not shown
  // here, because people who know only the order's id must not learn the new key.
  const issued = order.licenses.filter(({ reissued }) => !reissued).map(({ key }) => key);
  const licenses = (await unmovedLicenses(app.table, product.id, issued)).filter(
    (license) => license.status === 'active' && !isPastExpiry(license, now),
  );
  if (licenses.length === 0) return pending;
  return {
    status: 'ready' as const,
    licenses: licenses.map(({ key, license_type: { name, kind }, expires_at }) => ({
      key,
      license_type: { name, kind },
      expires_at: timestampOrNull(expires_at),
    })),
  };
});
