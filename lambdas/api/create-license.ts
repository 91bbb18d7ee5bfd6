import { fail } from '../contract/errors';
import { createLicense } from '../contract/licenses';
import { EVENT_RANDOM_BYTES } from '../domain/event';
import { keyMailFor } from '../domain/key-mail';
import { deviceKeyHash } from '../domain/device-key';
import { generateKey, KEY_RANDOM_BYTES, normalizeDeviceKey } from '../domain/license-key';
import { issue } from '../domain/license-operations';
import { metadataOf } from '../domain/metadata';
import { termsOf } from '../domain/license-type';
import { licenseView } from '../domain/views';
import { operator, serve } from '../runtime/http';
import { getProductAndType } from '../store/license-types';
import { findDeviceKey } from '../store/licenses/device-keys';
import { issueActions, nextLicenseId } from '../store/licenses/create';
import { recordEvent } from '../store/events/record';
import { RESPONSE_EXISTS, transactOnce } from '../store/transaction';
import { announce } from '../use-cases/announce';

export const handler = serve(createLicense, operator, async ({ params, body, app, now, storeResponse }) => {
  const { product, type } = await getProductAndType(app.table, params.id, body.license_type_id);
  if (!product) return fail('not_found', 'There is no such product');
  if (!type) return fail('not_found', 'There is no such license type of this product');
  if (type.archived) return fail('invalid_request', 'license_type_id must not name a license type that is archived');
  if (body.created_at != null && body.created_at > now) return fail('invalid_request', 'created_at must not be in the future');

  const deviceKey = body.key == null ? undefined : normalizeDeviceKey(body.key);
  if (deviceKey !== undefined && (await findDeviceKey(app.table, deviceKeyHash(deviceKey)))?.product_id === product.id)
    return fail('key_taken');

  const issued = issue(
    {
      id: await nextLicenseId(app.table),
      product_id: product.id,
      product_slug: product.slug,
      key: body.key ?? generateKey(app.random(KEY_RANDOM_BYTES)),
      license_type: termsOf(type),
      customer_email: body.customer_email ?? null,
      language: body.language ?? null,
      metadata: metadataOf(JSON.stringify(body.metadata ?? {})),
      expires_at: body.expires_at ?? undefined,
      updates_until: body.updates_until,
      max_major: body.max_major,
      created_at: body.created_at ?? undefined,
      max_seats: body.max_seats ?? null,
      features: body.features ?? null,
      limits: body.limits ?? null,
      meters: body.meters ?? null,
    },
    now,
  );
  const view = licenseView(issued.license, []);
  const { actions, events } = issueActions(app.table, issued, { readProduct: product });
  const mail = body.mail === false ? undefined : keyMailFor(product, [issued.license], now, app.random(EVENT_RANDOM_BYTES));
  app.table.audit?.describe({ license_id: issued.license.id, target: `license/${issued.license.id}` });
  const transaction = await transactOnce(app.table, [...actions, ...(mail ? [recordEvent(mail)] : [])], storeResponse(view));
  if (transaction === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (!transaction.committed) {
    if (body.key != null && transaction.failed[0] !== undefined) return fail('key_taken');
    throw new Error(`License ${issued.license.id} or its key already exists`);
  }
  await announce(app, [...events, ...(mail ? [mail] : [])]);
  return view;
});
