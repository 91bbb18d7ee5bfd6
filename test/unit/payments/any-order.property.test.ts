import { processors } from '../../../lambdas/contract/processors';
import { runsOf } from '../../model/runs';
import { playArrivals, playEdits } from '../../support/histories';

/**
 * Random histories of an order, made from everything that the processor reports. If one fails, a buyer has other licenses because the
 * network delivered notifications late, twice or in another order, or a payment undoes what an operator decided.
 */
describe.each(processors)('%s', (processor) => {
  test('the licenses that continue and the last states of the rows do not depend on order, repetition or batches', () =>
    playArrivals(processor, runsOf(100, 2000)));

  test("an operator's edits survive", () => playEdits(processor, runsOf(100, 2000)));
});
