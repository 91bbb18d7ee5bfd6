import fc from 'fast-check';
import type { OpenApiDocument } from '../../lambdas/contract/openapi';
import { baseUrl, get } from '../support/http';
import { startReceiver } from '../support/receiver';
import { bytes, sendBytes } from './bytes';
import { Document, type Route } from './document';
import { plans } from './plans';
import { bytesOf, send } from './requests';
import { World } from './world';

/** How often each status occurred, by operation. */
export type Tally = Map<string, Map<number, number>>;

const count = (tally: Tally, name: string, status: number): void => {
  const counts = tally.get(name) ?? new Map<number, number>();
  tally.set(name, counts.set(status, (counts.get(status) ?? 0) + 1));
};

export interface Campaign {
  /** The counts of valid requests. */
  readonly sound: Tally;
  /** The counts of requests with one mistake. */
  readonly twisted: Tally;
  readonly raw: Tally;
  /** The number of all responses. */
  total(): number;
  /** Sends this number of groups of planned requests. */
  requests(crowds: number, seed: number): Promise<void>;
  /** Sends this number of groups of random bytes. */
  bytes(crowds: number, seed: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates products, licenses and other rows for the requests of a campaign. If the campaign fails, the error shows the request and the
 * seed. The failing case is not shrunk, because a request depends on rows that other requests have changed.
 *
 * @param crowd maximum number of simultaneous requests
 */
export async function startCampaign(crowd: number): Promise<Campaign> {
  const receiver = await startReceiver();
  const world = await World.create(receiver.url);
  const document = new Document((await get<OpenApiDocument>('/openapi.json')).body);
  const sound: Tally = new Map();
  const twisted: Tally = new Map();
  const raw: Tally = new Map();
  // Rotations are left out, because the API key that other requests use would become invalid after two rotations, or after one rotation
  // without an overlap. Revocations of admin tokens are left out, because they could revoke a token that another test uses.
  const isExcluded = ({ name }: Route): boolean => ['rotateApiKey', 'revokeToken'].includes(name);
  const plan = plans(document.routes.filter((route) => !isExcluded(route)));
  return {
    sound,
    twisted,
    raw,
    total: () => [sound, twisted, raw].flatMap((tally) => [...total(tally).values()]).reduce((sum, times) => sum + times, 0),
    requests: (crowds, seed) =>
      fc.assert(
        fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: crowd, size: 'max' }), async (all) => {
          await world.signIn();
          const outcomes = await Promise.allSettled(all.map(async (one) => ({ one, answer: await send(one, world, document, baseUrl()) })));
          for (const outcome of outcomes) {
            if (outcome.status === 'rejected') throw outcome.reason;
            count(outcome.value.one.twist === undefined ? sound : twisted, outcome.value.one.route.name, outcome.value.answer.status);
          }
        }),
        { numRuns: crowds, seed, endOnFailure: true },
      ),
    bytes: (crowds, seed) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(bytes(plan.map((one) => Buffer.concat(bytesOf(one, world)))), { minLength: 1, maxLength: crowd, size: 'max' }),
          async (all) => {
            const outcomes = await Promise.allSettled(all.map((one) => sendBytes(one, baseUrl())));
            for (const outcome of outcomes) {
              if (outcome.status === 'rejected') throw outcome.reason;
              for (const status of outcome.value) count(raw, 'bytes', status);
            }
            const { status } = await get('/healthz');
            if (status !== 200) throw new Error(`The health check responded with ${status}`);
          },
        ),
        { numRuns: crowds, seed, endOnFailure: true },
      ),
    close: () => receiver.close(),
  };
}

/** The share of a route's responses that have a status of 2xx. */
export function successes(counts: ReadonlyMap<number, number> | undefined): number {
  const all = [...(counts ?? [])];
  const sum = (some: typeof all): number => some.reduce((total, [, times]) => total + times, 0);
  return sum(all.filter(([status]) => status < 300)) / Math.max(1, sum(all));
}

/** The counts of all routes together. */
export function total(tally: Tally): ReadonlyMap<number, number> {
  const sum = new Map<number, number>();
  for (const counts of tally.values()) for (const [status, times] of counts) sum.set(status, (sum.get(status) ?? 0) + times);
  return sum;
}

/** The counts as a table in text form. */
export const show = (tally: Tally): string =>
  [...tally]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, counts]) =>
        `${name.padEnd(20)} ${[...counts]
          .sort(([a], [b]) => a - b)
          .map(([status, times]) => `${status}: ${times}`)
          .join('  ')}`,
    )
    .join('\n');
