import { fail } from '../contract/errors';
import { correctMeter } from '../contract/meters';
import { operator, serve } from '../runtime/http';
import { correct } from '../use-cases/correct-meter';

export const handler = serve(
  correctMeter,
  operator,
  async ({ params, body, app, storeResponse }) =>
    (await correct(app, params, body, storeResponse)) ?? fail('not_found', 'There is no such license'),
);
