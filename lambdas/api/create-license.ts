import { fail } from '../contract/errors';
import { createLicense } from '../contract/licenses';
import { issue } from '../domain/license';
import { generateKey, KEY_RANDOM_BYTES } from '../domain/license-key';
import { licenseView } from '../domain/views';
import { announce } from '../use-cases/announce';
import { serve } from '../runtime/http/serve';
import { getProductAndType } from '../store/license-types';
import * as licenses from '../store/licenses/create';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(createLicense, async ({ params, body, app, now, storeResponse }) => {
  const { product, type } = await getProductAndType(app.table, params.id, body.license_type_id);
  if (!product) return fail('not_found', 'There is no such product');
  if (!type) return fail('not_found', 'There is no such license type of this product');

  const license = issue(
    {
      id: await licenses.nextLicenseId(app.table),
      product_id: product.id,
      product_slug: product.slug,
      key: generateKey(app.random(KEY_RANDOM_BYTES)),
      license_type: { id: type.id, name: type.name, kind: type.kind, max_seats: type.max_seats, duration_days: type.duration_days },
      customer_email: body.customer_email ?? null,
      metadata: JSON.stringify(body.metadata ?? {}),
      expires_at: body.expires_at ?? null,
    },
    now,
  );
  const view = licenseView(license, []);
  const event = await licenses.createLicense(app.table, license, storeResponse(view));
  if (event === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  await announce(app, event);
  return view;
});
