import { getCurrentToken } from '../contract/tokens';
import { operator, serve } from '../runtime/http';

export const handler = serve(getCurrentToken, operator, ({ actor: { id, name, scopes, product_id, renewal_days } }) => ({
  actor: id,
  name,
  scopes: [...scopes],
  product_id,
  renewal_days,
}));
