import { deactivate } from '../contract/activations';
import { fail } from '../contract/errors';
import * as domain from '../domain/activation';
import { serveClient } from '../runtime/http/serve-client';
import { applyDecision } from '../use-cases/apply-decision';

export const handler = serveClient(deactivate, async ({ license, device, isDeadKey, app, now }) => {
  if (isDeadKey) return { freed: false };
  if (!license) return fail('not_found', 'There is no such license');
  // Undefined: the license was moved to a new key in the meantime, which freed every seat.
  return (
    (await applyDecision(app, { license, device }, (state) => domain.deactivate(state.license, state.device, now))) ?? { freed: false }
  );
});
