import { isDeepStrictEqual } from 'node:util';
import { chances } from './intercept';

/** Tests code whose result must not depend on the order in which messages arrive. */

type Places = readonly number[];

const permutations = (places: Places): readonly Places[] =>
  places.length < 2
    ? [places]
    : places.flatMap((first) => permutations(places.filter((place) => place !== first)).map((rest) => [first, ...rest]));

const shuffled = (places: Places, chance: () => number): Places =>
  places
    .map((place) => [chance(), place] as const)
    .sort(([a], [b]) => a - b)
    .map(([, place]) => place);

/** All triples (a, b, c) of places such that a comes before b and b before c in an order. Each triple is encoded as one number. */
const triplesOf = (order: Places): Places =>
  order.flatMap((a, i) =>
    order.slice(i + 1).flatMap((b, j) => order.slice(i + j + 2).map((c) => (a * order.length + b) * order.length + c)),
  );

/**
 * Returns a set of orders. For any three messages, each of their six possible sequences occurs in at least one of these orders. The
 * function repeatedly draws several random orders, and keeps the order with the most new triples.
 */
function coveringOrders(places: Places): readonly Places[] {
  const chance = chances(places.length);
  const covered = new Set<number>();
  const orders: Places[] = [];
  const count = places.length * (places.length - 1) * (places.length - 2);
  while (covered.size < count) {
    const candidates = Array.from({ length: 20 }, () => {
      const order = shuffled(places, chance);
      return { order, added: triplesOf(order).filter((triple) => !covered.has(triple)) };
    });
    const best = candidates.reduce((one, other) => (other.added.length > one.added.length ? other : one));
    orders.push(best.order);
    for (const triple of best.added) covered.add(triple);
  }
  return orders;
}

const known = new Map<number, readonly Places[]>();
function ordersOf(length: number): readonly Places[] {
  const places = Array.from({ length }, (_, place) => place);
  const orders = known.get(length) ?? (length <= 4 ? permutations(places) : coveringOrders(places));
  known.set(length, orders);
  return orders;
}

/**
 * Expects the same result for messages in any order, even if some arrive again. It tries all orders of up to four messages. For more
 * messages it tries some orders, in which any three of them arrive in each of their six possible sequences. In each order, up to three
 * messages arrive again.
 */
export function expectAnyOrder<Message>(messages: readonly Message[], result: (arriving: readonly Message[]) => unknown): void {
  const expected = result(messages);
  // The search does not use `expect`, because a call of `expect` takes longer than most calls of `result`.
  const differs = ordersOf(messages.length)
    .map((order) => [...order, ...order.slice(0, 3)])
    .find((order) => !isDeepStrictEqual(result(order.map((place) => messages[place]!)), expected));
  if (differs) expect([differs, result(differs.map((place) => messages[place]!))]).toEqual([differs, expected]);
}
