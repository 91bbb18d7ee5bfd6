import { deactivate } from '../contract/activations';
import { fail } from '../contract/errors';
import * as domain from '../domain/license';
import { change } from '../use-cases/change-license';
import { serveClient } from '../runtime/http/serve-client';

export const handler = serveClient(deactivate, async ({ license, device, app, now }) => {
  if (!license) return fail('not_found', 'There is no such license');
  return change(app, { license, device }, (state) => domain.deactivate(state.license, state.device, now));
});
