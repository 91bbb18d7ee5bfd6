import { randomBytes } from 'node:crypto';
import { OVERVIEW_DAYS } from '../../lambdas/contract/overview';
import { DAY_MS } from '../../lambdas/domain/time';
import { parseConfig } from '../../lambdas/runtime/config';
import { countEvents } from '../../lambdas/store/stats/count';
import { transact } from '../../lambdas/store/transaction';
import { startHarness, type Harness } from '../support/harness';
import { ownTable } from '../support/own-table';
import { atMost, type Section } from './report';
import { inTurns, median } from './rounds';

const PRODUCTS = [10, 1_000];
/** The number of licenses that are sold per day, over all products. The same number of licenses is renewed per day. */
const SALES_A_DAY = 100;
const ROUNDS = 20;
const CALLS = 5;

/**
 * Creates a deployment with a given number of products. The total number of sales is always the same, and the sales are distributed equally
 * over the products.
 */
async function sold(products: number): Promise<Harness> {
  const harness = startHarness({ config: { ...parseConfig({}), tableName: await ownTable() } });
  const { table } = harness.app;
  const count = async (place: number): Promise<void> => {
    const sale = Math.floor(place / 2);
    const delivery = {
      id: randomBytes(16).toString('hex'),
      product_id: 1 + (sale % products),
      created_at: harness.now() - (Math.floor(sale / SALES_A_DAY) % OVERVIEW_DAYS) * DAY_MS,
    };
    const isNew = place % 2 === 0;
    const tally = {
      day: { [isNew ? 'issued' : 'renewed']: 1, delivered: 1 },
      ...(isNew && { license: { typeId: delivery.product_id, to: 'active' as const } }),
      counted: { counted: true as const },
    };
    await transact(table, countEvents([{ delivery, tally }]));
  };
  const places = Array.from({ length: SALES_A_DAY * 2 * OVERVIEW_DAYS }, (_, place) => place);
  while (places.length > 0) await Promise.all(places.splice(0, 10).map(count));
  return harness;
}

async function timed(harness: Harness): Promise<number> {
  const begun = performance.now();
  for (let call = 0; call < CALLS; call += 1) {
    const { status } = await harness.call('getDeploymentOverview');
    if (status !== 200) throw new Error(`Expected 200, got ${status}`);
  }
  return (performance.now() - begun) / CALLS;
}

/** Measures whether the overview of a deployment takes longer if the same sales are distributed over more products. */
export async function overview(): Promise<Section> {
  const harnesses: Harness[] = [];
  for (const products of PRODUCTS) harnesses.push(await sold(products));
  const name = (place: number): string => `GET /v1/overview, ${(PRODUCTS[place] ?? 0).toLocaleString('en-US')} products`;
  const found = await inTurns(ROUNDS, Object.fromEntries(harnesses.map((harness, place) => [name(place), () => timed(harness)])));
  for (const harness of harnesses) harness.close();
  const values = PRODUCTS.map((_, place) => median(found[name(place)] ?? []));
  return {
    title: 'Growth of the overview',
    how: `Medians of ${ROUNDS} rounds of ${CALLS} calls of the handler in one process. The measurements of the tables alternate. In each table, all products together have sold ${SALES_A_DAY} licenses and renewed ${SALES_A_DAY} licenses on each of ${OVERVIEW_DAYS} days.`,
    results: values.map((value, place) => ({
      what: name(place),
      kind: 'GET /v1/overview, more products',
      value,
      unit: 'ms',
      ...(place > 0 && { against: { what: 'the fewest', value: values[0] ?? Number.NaN }, goal: atMost(1.2) }),
    })),
  };
}
