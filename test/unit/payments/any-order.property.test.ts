import fc from 'fast-check';
import { processors } from '../../../lambdas/contract/processors';
import { joinedFacts, noFacts, type Facts } from '../../../lambdas/domain/payments/facts';
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

test('when two orders turn out to be one, their latest cancellation and end count, whichever order came first', () => {
  const time = fc.integer({ min: 1, max: 3 });
  const state = fc.record({
    cancellation: fc.option(fc.record({ at: time, endsAt: fc.option(time) })),
    ended: fc.option(fc.record({ at: time, endedAt: fc.option(time) })),
  });
  const states = (orders: readonly Partial<Facts>[]) => {
    const { cancellation, ended } = joinedFacts(orders.map((order) => ({ ...noFacts, ...order })));
    return { cancellation, ended };
  };
  fc.assert(fc.property(fc.array(state, { maxLength: 3 }), (orders) => expect(states(orders.toReversed())).toEqual(states(orders))));
});
