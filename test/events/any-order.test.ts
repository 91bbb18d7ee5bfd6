import * as fc from 'fast-check';
import { RETRY_DELAYS_MS } from '../../lambdas/domain/delivery';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { startEventHarness, type EventHarness } from '../support/event-harness';
import { captureLogs } from '../support/logs';
import { ownTable } from '../support/own-table';
import { startReceiver, type Receiver } from '../support/receiver';

/**
 * Tests deliveries with a queue that duplicates, delays, reorders or loses messages, or delivers messages early. The sweeper and an
 * operator act at the same time. The delivery of each event must end on schedule, with no more posts than allowed.
 */

captureLogs();
let table: string;
let backend: Receiver;
beforeAll(async () => {
  table = await ownTable();
  backend = await startReceiver();
});
afterAll(() => backend.close());

type Step =
  | { readonly do: 'deliver'; readonly which: number; readonly times: number; readonly keep: boolean }
  | { readonly do: 'redeliver' | 'lose'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'sweep' | 'create' };

const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('deliver' as const), which, times: fc.integer({ min: 1, max: 3 }), keep: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('lose' as const, 'redeliver' as const), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 500, 1000, 5000, 15_000, 70_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('sweep' as const, 'create' as const) }) },
);
/** The receiver's response to each post, and how long it takes. */
const answers = fc.array(fc.record({ status: fc.constantFrom(200, 500, 500, 500), ms: fc.constantFrom(0, 10, 9999) }), { maxLength: 30 });

interface Post {
  readonly id: string;
  readonly bytes: string;
  readonly began: number;
  readonly ended: number;
  readonly accepted: boolean;
}

async function play(
  service: EventHarness,
  steps: readonly Step[],
  script: { status: number; ms: number }[],
): Promise<{ posts: Post[]; deliveries: DeliveryView[]; rounds: Map<string, number> }> {
  const posts: Post[] = [];
  const remaining = [...script];
  backend.answer = ({ id, raw }) => {
    const { status, ms } = remaining.shift() ?? { status: 500, ms: 0 };
    const began = service.now();
    service.advance(ms);
    posts.push({ id, bytes: raw.toString(), began, ended: service.now(), accepted: status < 400 });
    return status;
  };
  const product = await service.newProduct(backend.url);
  const rounds = new Map<string, number>();
  const create = async () => {
    const { id } = await service.ok<{ id: string }>('testWebhook', { params: { id: product.id } });
    rounds.set(id, 1);
  };
  await create();

  for (const it of steps) {
    const place = 'which' in it ? it.which % Math.max(1, service.queue.length) : 0;
    const message = service.queue[place];
    if (it.do === 'wait') service.advance(it.ms);
    else if (it.do === 'sweep') await service.sweep();
    else if (it.do === 'create') await create();
    else if (it.do === 'redeliver') {
      const id = [...rounds.keys()][it.which % rounds.size]!;
      const { status } = await service.ok<DeliveryView>('getDelivery', { params: { event_id: id } });
      await service.ok('redeliver', { params: { event_id: id } });
      if (status !== 'pending') rounds.set(id, (rounds.get(id) ?? 0) + 1);
    } else if (message) {
      if (it.do !== 'deliver' || !it.keep) service.queue.splice(place, 1);
      if (it.do === 'deliver') await service.deliver(...Array.from({ length: it.times }, () => message));
    }
  }
  await service.recover();
  return { posts, deliveries: await product.deliveries(), rounds };
}

test('with any order, loss or duplication of messages, an event is posted on schedule, at most four times per round, and never after it was accepted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), answers, async (steps, script) => {
      const service = startEventHarness(table);
      try {
        const { posts, deliveries, rounds } = await play(service, steps, script);
        expect(deliveries).toHaveLength(rounds.size);
        for (const { id, status, attempts, history } of deliveries) {
          const own = posts.filter((post) => post.id === id);
          expect(new Set(own.map(({ bytes }) => bytes)).size).toBe(1);
          // The delivery log contains exactly the posts that the receiver got.
          expect(history.map(({ at, duration_ms, error }) => [Date.parse(at), duration_ms, error === null])).toEqual(
            own.map(({ began, ended, accepted }) => [began, ended - began, accepted]),
          );
          expect(attempts).toBe(own.length);
          expect(status).toBe(own.at(-1)?.accepted ? 'delivered' : 'failed');

          // A round of attempts ends with an accepted post or with the fourth post. The posts of a round follow the schedule.
          let inRound = 0;
          let roundsSeen = 1;
          for (const [place, post] of own.entries()) {
            const before = own[place - 1];
            if (before?.accepted || inRound === 4) {
              inRound = 0;
              roundsSeen += 1;
            }
            if (inRound > 0) expect(post.began - before!.ended).toBeGreaterThanOrEqual(RETRY_DELAYS_MS[inRound - 1]!);
            inRound += 1;
          }
          expect(roundsSeen).toBe(rounds.get(id));
        }
      } finally {
        service.close();
      }
    }),
    { numRuns: 10 },
  );
});
