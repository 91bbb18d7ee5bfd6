import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ownTable } from '../support/own-table';
import { suite } from './suite';

/*
 * Loads these modules before all tests. Stryker would otherwise attribute the code that runs while a module loads to the first test that
 * loads it. The changes in such code can't be tested, because a module loads only once.
 */
for (const folder of ['api', 'events']) {
  const handlers = resolve(__dirname, '../../lambdas', folder);
  // oxlint-disable-next-line typescript/no-require-imports -- the modules must load immediately
  for (const file of readdirSync(handlers)) require(join(handlers, file));
}

// The tests of a run must not read the rows of other tests.
beforeAll(async () => void (process.env['LKS_TABLE'] = process.env['LKS_STACK_TABLE'] = await ownTable()));

// These unit tests check only the rules of deliveries.
suite('test/unit/domain', (name) => ['delivery', 'tally', 'webhook-signature'].includes(name));
// These tests need the whole stack, or test something else.
suite('test/store', (name) => name !== 'secrets');
suite('test/api', (name) => ['activation', 'idempotency', 'licenses', 'products'].includes(name));
suite('test/events', (name) => ['delivery', 'overview', 'sweeper'].includes(name));
