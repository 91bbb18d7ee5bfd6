import { isFailure } from '../contract/errors';
import { createSigningKey } from '../contract/product-credentials';
import { addSigningKey } from '../domain/product';
import { operator, serve } from '../runtime/http';
import { editProduct } from '../store/products';
import { RESPONSE_EXISTS } from '../store/transaction';

export const handler = serve(createSigningKey, operator, async ({ params, app, now }) => {
  const context = { seal: await app.secrets.sealer('signing_seed'), random: app.random, now };
  const edited = await editProduct(app.table, params.id, ({ product, seeds }) => addSigningKey(product, seeds, context), {
    withSeeds: true,
  });
  return isFailure(edited) || edited === RESPONSE_EXISTS ? edited : edited.key;
});
