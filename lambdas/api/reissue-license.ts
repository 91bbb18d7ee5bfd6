import { isFailure } from '../contract/errors';
import { reissueLicense } from '../contract/license-operations';
import { EVENT_RANDOM_BYTES, type Event } from '../domain/event';
import { keyMailFor } from '../domain/key-mail';
import { generateKey, KEY_RANDOM_BYTES } from '../domain/license-key';
import { reissue } from '../domain/license-operations';
import { operator, serve } from '../runtime/http';
import { notify } from '../runtime/queue';
import { recordEvent } from '../store/events/record';
import { findLicense } from '../store/licenses/read';
import { getProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';
import { freedDevices } from '../store/licenses/freed-devices';
import { moveMeters } from '../store/meters';
import { applyAndShow } from '../use-cases/change-license';

export const handler = serve(reissueLicense, operator, async (call) => {
  const { app, now, params } = call;
  const key = generateKey(app.random(KEY_RANDOM_BYTES));
  const found = await findLicense(app.table, params.id);
  const product = found && (await getProduct(app.table, found.productId));
  let mail: Event | undefined;
  const shown = await applyAndShow(call, (license) => reissue(license, key, now), {
    readProduct: product,
    alongside: async (transition) => {
      mail = product && keyMailFor(product, [transition.after], now, app.random(EVENT_RANDOM_BYTES));
      return [...freedDevices(transition), ...(await moveMeters(app.table, transition)), ...(mail ? [recordEvent(mail)] : [])];
    },
  });
  if (mail && shown !== RESPONSE_EXISTS && !isFailure(shown)) await notify(app, [mail]);
  return shown;
});
