import { fail } from '../contract/errors';
import { showUnsubscribe } from '../contract/reminders';
import { unsubscribePage } from '../domain/unsubscribe-page';
import { languageOf } from '../domain/portal/language';
import { header } from '../runtime/http/request';
import { anyone, serve } from '../runtime/http';
import { pageReply } from '../runtime/http/page';
import { getProduct } from '../store/products';
import { openUnsubscribeToken } from '../use-cases/reminders/unsubscribe';

export const handler = serve(showUnsubscribe, anyone, async ({ params, app, event }) => {
  const wish = await openUnsubscribeToken(app, params.token);
  const product = wish && (await getProduct(app.table, wish.product_id));
  if (!product) return fail('not_found');
  return pageReply(unsubscribePage(product, languageOf(header(event, 'accept-language')), false));
});
