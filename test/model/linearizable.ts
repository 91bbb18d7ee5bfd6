import { isDeepStrictEqual } from 'node:util';
import type { LicenseView } from '../../lambdas/contract/resources';
import type { EventRow } from '../support/table';
import { adminView, isRefusal, payload, refusals, written, type DeviceWrite, type License, type LicenseEvent, type Step } from './license';
import type { Task } from './turns';

/**
 * Linearizability (Herlihy and Wing): operations that ran at the same time must have responded as if each had
 * happened at one instant between its begin and its end, in an order that the specification explains. The
 * events of a license say in which order its changes happened, so that only what has no event is to be placed.
 */

/** A license, and the responses that its idempotent requests have stored. */
export interface State {
  readonly license: License;
  readonly stored: ReadonlyMap<string, object>;
}

type Span = Pick<Task, 'begin' | 'end'>;

export interface Operation {
  /** Operations with the same text ask for the same. */
  readonly what: string;
  /**
   * What the specification makes of it, if `next` is the event that follows: what is drawn at random, such as a new key, is taken from
   * there.
   */
  readonly rule: (state: State, next: EventRow | undefined) => Step<object> & { readonly stored?: State['stored'] };
  readonly task: Span;
  /**
   * What of its admin view is of another moment than its change: seats and devices that are read after it
   * (docs/decisions.md, 61), or leases that are read before it.
   */
  readonly shows?: 'later seats' | 'earlier leases';
  /** The response, as it can be compared; undefined if nobody received it. */
  response?: { readonly status: number; readonly code: string | undefined; readonly body: unknown };
}

/** The write of a device's lease: it follows the check that decided on it, at an instant of its own (docs/decisions.md, 56). */
interface Write extends DeviceWrite {
  readonly id: string;
  readonly task: Span;
  /** False if the function may have died before it. */
  readonly isCertain: boolean;
}
type Item = Operation | Write;
const isWrite = (item: Item): item is Write => 'isCertain' in item;

const withoutSeats = (body: unknown): unknown => ({ ...(body as object), seats: undefined, activations: undefined });
const withoutLeases = (body: unknown): unknown => ({
  ...(body as object),
  activations: (body as LicenseView).activations.map((device) => ({ ...device, lease_expires_at: undefined })),
});
const comparable = { 'later seats': withoutSeats, 'earlier leases': withoutLeases, everything: (body: unknown): unknown => body } as const;

function isResponse({ response: expected }: Step<object>, { response: received, shows }: Operation): boolean {
  if (!received) return true;
  const compared = comparable[shows ?? 'everything'];
  if (isRefusal(expected)) return received.status === refusals[expected.refused] && received.code === expected.refused;
  return received.status < 300 && isDeepStrictEqual(compared(received.body), compared(expected));
}

/** One way on: what it leads to, and what is then left to place. */
interface Way {
  readonly what: string;
  readonly isWrite: boolean;
  readonly end: number;
  readonly state: State;
  readonly left: readonly Item[];
  readonly place: number;
}

/**
 * The state to which the operations lead, if some order of them explains every response, every event and the
 * license as it is shown in the end; undefined if none does.
 *
 * @param events those since `state`, in their order
 */
export function explain(
  state: State,
  operations: readonly Operation[],
  events: readonly EventRow[],
  shown: LicenseView,
  now: number,
): State | undefined {
  /** What was tried in vain: this number of events explained, these items left, and these leases. */
  const inVain = new Set<string>();
  const idOf = (item: Item): string => (isWrite(item) ? item.id : String(operations.indexOf(item)));

  const areNext = (expected: readonly LicenseEvent[], place: number): boolean =>
    expected.every((one, offset) => {
      const event = events[place + offset];
      return event !== undefined && isDeepStrictEqual(event.payload, { id: event.id, ...payload(one, now) });
    });

  const waysOf = (item: Item, { license, stored }: State, left: readonly Item[], place: number): Way[] => {
    // What ended before another began comes before it.
    if (left.some((other) => other.task.end < item.task.begin)) return [];
    const others = left.filter((other) => other !== item);
    const { end } = item.task;
    if (isWrite(item)) {
      const after = written(license, item);
      return after ? [{ what: item.id, isWrite: true, end, state: { license: after, stored }, left: others, place }] : [];
    }
    const step = item.rule({ license, stored }, events[place]);
    if (!areNext(step.events, place)) return [];
    const way = {
      what: item.what,
      isWrite: false,
      end,
      state: { license: step.license, stored: step.stored ?? stored },
      place: place + step.events.length,
    };
    if (!step.write) {
      // Nobody needs to know when something happened whose response nobody received and that changed nothing.
      const isNothing = !item.response && step.events.length === 0 && (step.stored ?? stored) === stored;
      return isResponse(step, item) && !isNothing ? [{ ...way, left: others }] : [];
    }
    const { read, device } = step.write;
    const write: Write = {
      read,
      device,
      id: `${JSON.stringify(step.write)} until ${end}`,
      task: item.task,
      isCertain: item.response !== undefined,
    };
    return [
      ...(isResponse(step, item) ? [{ ...way, left: [...others, write] }] : []),
      // If the device is freed before the write, the check is made again; what it has reported by then stays.
      ...(step.events.length > 0 ? [{ ...way, what: `${item.what}, first try`, left }] : []),
    ];
  };

  const search = (state: State, left: readonly Item[], place: number): State | undefined => {
    const isDone = place === events.length && left.every((item) => (isWrite(item) ? !item.isCertain : !item.response));
    if (isDone && isDeepStrictEqual(adminView(state.license), shown)) return state;
    const tried = `${place} ${left.map(idOf).sort().join()} ${JSON.stringify(state.license.devices)} ${state.stored.size}`;
    if (inVain.has(tried)) return undefined;
    inVain.add(tried);

    const ways = left.flatMap((item) => waysOf(item, state, left, place));
    // What has no event stands in nobody's way, and a write usually follows its check at once. Of those that ask for
    // the same, who ended first came first.
    ways.sort((a, b) => a.place - b.place || Number(b.isWrite) - Number(a.isWrite) || a.end - b.end);
    const distinct = ways.filter(
      ({ what, place: next }, index) => !ways.slice(0, index).some((other) => other.what === what && other.place === next),
    );
    for (const way of distinct) {
      const end = search(way.state, way.left, way.place);
      if (end) return end;
    }
    return undefined;
  };
  return search(state, operations, 0);
}
