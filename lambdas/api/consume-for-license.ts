import { fail } from '../contract/errors';
import { consumeForLicense } from '../contract/meters';
import { operator, serve } from '../runtime/http';
import { consume, readMeterById } from '../use-cases/meters';

export const handler = serve(consumeForLicense, operator, async ({ params, body, app }) => {
  const reread = () => readMeterById(app, params.id, body.meter);
  const read = await reread();
  const consumed = read && (await consume(app, read, body, { needsSeat: false, reread }));
  return consumed ?? fail('not_found', 'There is no such license');
});
