import fc from 'fast-check';
import { openShop } from '../support/shop';
import { DAY } from './license';
import { hold, type Runs } from './runs';

/**
 * Compares the meter of one license with a model in memory, in random sequences (docs/spec/meters.md): a buyer is neither refused what is
 * included nor given more, whatever happened before.
 */

type Act =
  | { readonly act: 'consume'; readonly amount: number; readonly id: number }
  | { readonly act: 'correct'; readonly add: number }
  | { readonly act: 'renew' }
  | { readonly act: 'plan'; readonly plan: number }
  | { readonly act: 'wait'; readonly days: number };

const acts = fc.array(
  fc.oneof<fc.Arbitrary<Act>[]>(
    fc.record({ act: fc.constant('consume' as const), amount: fc.constantFrom(1, 3, 6, -2), id: fc.nat(30) }),
    fc.record({ act: fc.constant('consume' as const), amount: fc.constantFrom(1, 3, 6, -2), id: fc.nat(30) }),
    fc.record({ act: fc.constant('correct' as const), add: fc.constantFrom(-4, 5) }),
    fc.constant({ act: 'renew' as const }),
    fc.record({ act: fc.constant('plan' as const), plan: fc.nat(3) }),
    fc.record({ act: fc.constant('wait' as const), days: fc.constantFrom(1, 15, 29) }),
  ),
  { minLength: 10, maxLength: 40, size: 'max' },
);

const plans = [
  { included: 10, period: 'none', overage: 'refuse', returnable: true },
  { included: 20, period: 'none', overage: 'allow', returnable: false },
  { included: 10, period: 'term', overage: 'refuse', returnable: false },
  { included: 15, period: 'term', overage: 'allow', returnable: false },
] as const;

async function play(sequence: readonly Act[]): Promise<void> {
  const shop = await openShop({ kind: 'subscription', duration_days: 30, meters: [{ name: 'exports', ...plans[0] }] });
  const params = { id: shop.productId };
  const types = [shop.typeId];
  for (const plan of plans.slice(1)) {
    const body = { name: JSON.stringify(plan), kind: 'subscription', duration_days: 30, meters: [{ name: 'exports', ...plan }] };
    types.push(Number((await shop.call('createLicenseType', { params, body })).body['id']));
  }
  const { id } = await shop.newLicense();
  const created = shop.now();
  let [plan, used, expiry, begins]: [(typeof plans)[number], number, number, number] = [plans[0], 0, created + 30 * DAY, 0];
  const starts = [created];
  const first = new Map<number, { amount: number; used: number; at: number }>();
  /** The start of the current period. What was consumed in an earlier period no longer counts. */
  const turn = (): void => {
    const current = plan.period === 'none' ? 0 : Math.max(...starts.filter((start) => start <= shop.now()));
    if (current !== begins) [used, begins] = [0, current];
  };
  for (const one of sequence) {
    turn();
    if (one.act === 'wait') shop.advance(one.days * DAY);
    if (one.act === 'renew') {
      expect((await shop.call('renewLicense', { params: { id } })).status).toBe(200);
      starts.push(Math.max(shop.now(), expiry));
      expiry = Math.max(shop.now(), expiry) + 30 * DAY;
    }
    if (one.act === 'plan') {
      await shop.call('updateLicense', { params: { id }, body: { license_type_id: types[one.plan] } });
      if (plans[one.plan]!.period !== plan.period) used = 0;
      plan = plans[one.plan]!;
      begins = plan.period === 'none' ? 0 : Math.max(...starts.filter((start) => start <= shop.now()));
    }
    if (one.act === 'correct') {
      await shop.call('correctMeter', { params: { id, name: 'exports' }, body: { add: one.add } });
      used = Math.max(0, used + one.add);
    }
    if (one.act === 'consume') {
      const body = { meter: 'exports', amount: one.amount, id: `consumption-${one.id}` };
      const { status, body: response } = await shop.call('consumeForLicense', { params: { id }, body });
      const known = first.get(one.id);
      const repeated = known && shop.now() < known.at + 30 * DAY ? known : undefined;
      const fits = plan.overage === 'allow' || one.amount < 0 || used + one.amount <= plan.included;
      const judged = (): number => {
        if (shop.now() >= expiry) return 403;
        if (repeated) return repeated.amount === one.amount ? 200 : 409;
        if (one.amount < 0 && !plan.returnable) return 422;
        return fits ? 200 : 429;
      };
      expect(status).toBe(judged());
      if (status === 200 && !repeated) {
        used = Math.max(0, used + one.amount);
        first.set(one.id, { amount: one.amount, used, at: shop.now() });
      }
      if (status === 200) expect(response['used']).toBe((repeated ?? { used }).used);
    }
    turn();
    const { body } = await shop.call('listLicenseMeters', { params: { id } });
    expect(body).toMatchObject([{ used, included: plan.included, period: plan.period }]);
  }
}

export const playMeters = (runs: Runs): Promise<void> =>
  hold('model/meters', runs, acts, (run) => run.map((one) => JSON.stringify(one)), play);
