import { getCurrentToken } from '../contract/tokens';
import { serve } from '../runtime/http/serve';

export const handler = serve(getCurrentToken, ({ actor: { id, name, scopes, product_id } }) => ({
  actor: id,
  name,
  scopes: [...scopes],
  product_id,
}));
