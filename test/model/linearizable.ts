import { isDeepStrictEqual } from 'node:util';
import type { LicenseView } from '../../lambdas/contract/resources';
import type { EventRow } from '../support/table';
import { adminView, isRefusal, payload, refusals, written, type DeviceWrite, type License, type LicenseEvent, type Step } from './license';
import type { Task } from './turns';

/**
 * Checks linearizability (Herlihy and Wing): simultaneous operations must have the same results as if each had happened at one moment
 * between its start and its end. The specification must explain the results in the order of these moments. The events of a license already
 * show the order of its changes, so the search only has to find the positions of operations without events.
 */

/** A license, and the stored responses of its idempotent requests. */
export interface State {
  readonly license: License;
  readonly stored: ReadonlyMap<string, object>;
}

type Span = Pick<Task, 'begin' | 'end'>;

export interface Operation {
  /** Describes the request. Two operations with the same text have equal requests. */
  readonly what: string;
  /**
   * Returns the effect of the operation according to the specification. `next` is the next recorded event, from which the rule takes random
   * values such as a new key.
   */
  readonly rule: (state: State, next: EventRow | undefined) => Step<object> & { readonly stored?: State['stored'] };
  readonly task: Span;
  /**
   * The part of the response that is not compared, because the service does not always read this part at the moment of the change: seats
   * and devices may be read after the change (docs/decisions.md, 61), and leases before the change.
   */
  readonly shows?: 'later seats' | 'earlier leases';
  /** The response in a comparable form; undefined if it was lost. */
  response?: { readonly status: number; readonly code: string | undefined; readonly body: unknown };
}

/**
 * The write of a device's lease. It happens later than the check that decided to write, and other operations may happen between the check
 * and the write (docs/decisions.md, 56).
 */
interface Write extends DeviceWrite {
  readonly id: string;
  readonly task: Span;
  /** False if the function may have died before the write. */
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

/** A possible next step: the resulting state, and the operations that remain to be placed. */
interface Way {
  readonly what: string;
  readonly isWrite: boolean;
  readonly end: number;
  readonly state: State;
  readonly left: readonly Item[];
  readonly place: number;
}

/**
 * Searches for an order of the operations that explains every response and every event, and that leads to the final view of the license.
 * Returns the state after the last operation, or undefined if there is no such order.
 *
 * @param events the events since `state`, in their order
 */
export function explain(
  state: State,
  operations: readonly Operation[],
  events: readonly EventRow[],
  shown: LicenseView,
  now: number,
): State | undefined {
  /**
   * Combinations that were tried without success: the number of explained events, the remaining operations, the devices with their leases,
   * and the number of stored responses.
   */
  const inVain = new Set<string>();
  const idOf = (item: Item): string => (isWrite(item) ? item.id : String(operations.indexOf(item)));

  const areNext = (expected: readonly LicenseEvent[], place: number): boolean =>
    expected.every((one, offset) => {
      const event = events[place + offset];
      return event !== undefined && isDeepStrictEqual(event.payload, { id: event.id, ...payload(one, now) });
    });

  const waysOf = (item: Item, { license, stored }: State, left: readonly Item[], place: number): Way[] => {
    // If one of the remaining operations ended before this operation began, that operation must come first.
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
      // An operation without effect whose response was lost may be left out.
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
      // If the device is freed before the write, the function repeats the check. The events that the first check recorded remain.
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
    // Operations without events are tried first, and a write is tried right after its check. Of equal requests, the one that ended first is
    // tried first.
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
