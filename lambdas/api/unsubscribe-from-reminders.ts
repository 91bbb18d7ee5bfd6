import { fail } from '../contract/errors';
import { unsubscribeFromReminders } from '../contract/reminders';
import { unsubscribePage } from '../domain/unsubscribe-page';
import { languageOf } from '../domain/portal/language';
import { header } from '../runtime/http/request';
import { pageReply } from '../runtime/http/page';
import { anyone, serve } from '../runtime/http';
import { getProduct } from '../store/products';
import { unsubscribe } from '../store/reminders/sent';
import { openUnsubscribeToken } from '../use-cases/reminders/unsubscribe';

export const handler = serve(unsubscribeFromReminders, anyone, async ({ params, app, event, now }) => {
  const wish = await openUnsubscribeToken(app, params.token);
  const product = wish && (await getProduct(app.table, wish.product_id));
  if (!product) return fail('not_found');
  await unsubscribe(app.table, wish.product_id, wish.address_hash, now);
  return pageReply(unsubscribePage(product, languageOf(header(event, 'accept-language')), true));
});
