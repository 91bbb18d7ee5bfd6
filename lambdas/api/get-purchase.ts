import { getPurchase } from '../contract/payments';
import { adapters, isPurchaseId } from '../domain/payments';
import { DAY_MS, timestampOrNull } from '../domain/time';
import { serveProduct } from '../runtime/http/serve-client';
import { getLicense } from '../store/licenses/read';
import { listConnections } from '../store/payments/connections';
import { findOrders } from '../store/payments/orders';

/** How long the keys of a purchase are shown, in ms. */
const SHOWN_MS = DAY_MS;

const pending = { status: 'pending' as const };

export const handler = serveProduct(getPurchase, async ({ claim: { order: id }, product, app, now }) => {
  const connections = await listConnections(app.table, product.id);
  const found = await Promise.all(
    connections.map(({ id: connectionId, processor }) => {
      const adapter = adapters[processor];
      return findOrders(app.table, connectionId, adapter.purchaseKinds.map((kind) => ({ kind, id })).filter((one) => isPurchaseId(adapter, one)));
    }),
  );
  const order = found.flat().find(({ licenses }) => licenses.length > 0);
  if (!order || order.issued_at === null || now - order.issued_at >= SHOWN_MS) return pending;
  const licenses = await Promise.all(order.licenses.map(({ id: licenseId }) => getLicense(app.table, licenseId)));
  return {
    status: 'ready' as const,
    licenses: licenses.flatMap((license) =>
      license ? [{ key: license.key, license_type: { name: license.license_type.name, kind: license.license_type.kind }, expires_at: timestampOrNull(license.expires_at) }] : [],
    ),
  };
});
