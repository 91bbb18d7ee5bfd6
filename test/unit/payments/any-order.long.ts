import { processors } from '../../../lambdas/contract/processors';
import { longRun, print } from '../../model/runs';
import { playArrivals, playEdits } from '../../support/histories';

/** The properties of any-order.property.test.ts, with many new histories of each processor. */
describe.each(processors)('%s', (processor) => {
  const runs = longRun(2000);
  test('the licenses that continue do not depend on order, repetition or batches', async () => {
    print(`Any order at ${processor}: LKS_SEED=${runs.seed}`);
    await playArrivals(processor, runs);
  });

  test("an operator's edits survive", () => playEdits(processor, runs));
});
