import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ownTable } from '../support/own-table';
import { suite } from './suite';

/*
 * Before any test: a module that the first test of a run loaded would count as covered by it, though what is
 * changed where a module loads is never seen, for it loads once.
 */
for (const folder of ['api', 'events']) {
  const handlers = resolve(__dirname, '../../lambdas', folder);
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- at once.
  for (const file of readdirSync(handlers)) require(join(handlers, file));
}

// One run's rows are not another's to walk through.
beforeAll(async () => void (process.env['LKS_TABLE'] = process.env['LKS_STACK_TABLE'] = await ownTable()));

// The domain's part in deliveries, for itself.
suite('test/unit/domain', (name) => ['delivery', 'tally', 'webhook-signature'].includes(name));
// The rest needs the whole stack, or is about something else.
suite('test/store', (name) => name !== 'secrets');
suite('test/api', (name) => ['activation', 'idempotency', 'licenses', 'products'].includes(name));
suite('test/events', (name) => ['delivery', 'overview', 'sweeper'].includes(name));
