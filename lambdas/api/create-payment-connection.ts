import { fail, isFailure } from '../contract/errors';
import { createPaymentConnection, MAX_CONNECTIONS } from '../contract/payments';
import type { Connection } from '../domain/payments/connection';
import { operator, serve } from '../runtime/http';
import * as connections from '../store/payments/connections';
import { getProduct } from '../store/products';
import { retry, TRY_AGAIN } from '../store/retry';
import { RESPONSE_EXISTS } from '../store/transaction';
import { secretPlace, TOKEN_BYTES, tokenHashOf } from '../use-cases/payments/secrets';
import { withSettings } from '../use-cases/payments/settings';
import { showConnection } from '../use-cases/payments/show';

/** The display names of processors. */
const names: Readonly<Record<Connection['processor'], string>> = {
  stripe: 'Stripe',
  paddle: 'Paddle',
  lemonsqueezy: 'Lemon Squeezy',
  polar: 'Polar',
  gumroad: 'Gumroad',
  custom: 'Custom',
};

export const handler = serve(createPaymentConnection, operator, async ({ params, body, app, event, now, storeResponse }) => {
  if (!(await getProduct(app.table, params.id))) return fail('not_found', 'There is no such product');
  const { processor, ...settings } = body;
  return retry(app.table, 'The list of payment connections', async () => {
    const place = (await connections.listConnectionIds(app.table, params.id)).length;
    if (place >= MAX_CONNECTIONS) return fail('invalid_request', `The product has ${MAX_CONNECTIONS} connections, the maximum`);
    const id = await connections.nextConnectionId(app.table);
    const token = Buffer.from(app.random(TOKEN_BYTES)).toString('base64url');
    const seal = await app.secrets.sealer('payment_secret');
    const blank: Connection = {
      id,
      product_id: params.id,
      processor,
      mode: 'live',
      name: names[processor],
      enabled: true,
      signing_secrets: [],
      api_key: null,
      plans: [],
      default_license_type_id: null,
      grace_days: 3,
      on_payment_failed: 'nothing',
      on_dispute: 'suspend',
      on_partial_refund: 'nothing',
      token: seal('payment_secret', token, secretPlace(id, 'token')),
      last_received_at: null,
      last_reconciled_at: null,
      rejected_count: 0,
      rejected_at: null,
      created_at: now,
      updated_at: now,
    };
    const made = await withSettings(app, blank, settings, now);
    if (isFailure(made)) return made;
    const connection = { ...made, updated_at: now };
    const view = await showConnection(app, event, connection);
    const transaction = await connections.createConnection(app.table, connection, place, tokenHashOf(token), storeResponse(view));
    if (transaction === RESPONSE_EXISTS) return RESPONSE_EXISTS;
    return transaction.committed ? view : TRY_AGAIN;
  });
});
