import { fail } from '../contract/errors';
import { DEVICES_PER_USER } from '../contract/license-kinds';
import { createLicenseType } from '../contract/license-types';
import { licenseTypeView } from '../domain/views';
import { operator, serve } from '../runtime/http';
import * as licenseTypes from '../store/license-types';
import { getProduct } from '../store/products';

export const handler = serve(createLicenseType, operator, async ({ params, body, app, now, storeResponse }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const type = {
    id: await licenseTypes.nextLicenseTypeId(app.table),
    product_id: params.id,
    name: body.name,
    kind: body.kind,
    max_seats: body.max_seats,
    duration_days: body.duration_days ?? null,
    features: body.features ?? [],
    limits: body.limits ?? {},
    meters: body.meters ?? [],
    lease_minutes: body.lease_minutes ?? null,
    new_devices_per_week: body.new_devices_per_week ?? 0,
    updates_days: body.updates_days ?? null,
    max_major: body.max_major ?? null,
    starts: body.starts ?? ('creation' as const),
    downloads_when_expired: body.downloads_when_expired ?? false,
    binding: body.binding ?? ('device' as const),
    devices_per_user: body.binding === 'user' ? (body.devices_per_user ?? DEVICES_PER_USER) : null,
    self_service: body.self_service ?? false,
    archived: false,
    created_at: now,
  };
  const view = licenseTypeView(type);
  return (await licenseTypes.createLicenseType(app.table, type, storeResponse(view))) ?? view;
});
