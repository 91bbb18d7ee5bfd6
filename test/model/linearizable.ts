import { isDeepStrictEqual } from 'node:util';
import type { EventRow } from '../support/table';
import { isRefusal, payload, refusals, type License, type Step } from './license';
import type { Task } from './turns';

/**
 * Linearizability (Herlihy and Wing): operations that ran at the same time must have answered as if each had
 * happened at one instant between its begin and its end, in an order that the specification explains. The
 * events of a license say in which order its changes happened, so that only what changes nothing is to be placed.
 */

/** A license, and what idempotent renewals of it were answered. */
export interface State {
  readonly license: License;
  readonly renewals: ReadonlyMap<string, object>;
}

export interface Operation {
  /** Operations with the same text ask for the same. */
  readonly what: string;
  /** What the specification makes of it. */
  readonly rule: (state: State) => Step<object> & { readonly renewals?: State['renewals'] };
  readonly task: Pick<Task, 'begin' | 'end'>;
  /** True if the seats and devices of its response are read after its change: they may be those of a later moment (docs/decisions.md, 61). */
  readonly showsLaterSeats?: boolean;
  /** What was answered, as it can be compared; undefined where nobody heard it. */
  answer?: { readonly status: number; readonly body: unknown };
}

/** An admin view without what of it may be of a later moment. */
const withoutSeats = (body: unknown): unknown => ({ ...(body as object), seats: undefined, activations: undefined });

const answers = ({ answer }: Step<object>, { answer: heard, showsLaterSeats }: Operation): boolean => {
  if (!heard) return true;
  if (isRefusal(answer)) return heard.status === refusals[answer.refused];
  const shown = (body: unknown): unknown => (showsLaterSeats ? withoutSeats(body) : body);
  return heard.status < 300 && isDeepStrictEqual(shown(heard.body), shown(answer));
};

/**
 * The state to which the operations lead, where some order of them explains every answer and every event;
 * undefined where none does.
 *
 * @param events those since `state`, in their order
 */
export function explain(state: State, operations: readonly Operation[], events: readonly EventRow[], now: number): State | undefined {
  /** What was tried in vain: so many events explained, and these operations left. */
  const inVain = new Set<string>();

  const search = (state: State, left: readonly Operation[], place: number): State | undefined => {
    const event = events[place];
    if (!event && left.every(({ answer }) => !answer)) return state;
    const tried = `${place} ${left.map((operation) => operations.indexOf(operation)).join()}`;
    if (inVain.has(tried)) return undefined;
    inVain.add(tried);

    const steps = left.flatMap((operation) => {
      // What ended before another began comes before it.
      if (left.some((other) => other.task.end < operation.task.begin)) return [];
      const step = operation.rule(state);
      if (!answers(step, operation)) return [];
      // Nobody needs to know when something happened that nobody heard of and that changed nothing.
      if (step.told === undefined) return operation.answer ? [{ operation, step, next: place }] : [];
      const isIt = event && isDeepStrictEqual(event.payload, { id: event.id, ...payload(step.told, step.license, step.device, now) });
      return isIt ? [{ operation, step, next: place + 1 }] : [];
    });
    // What changes nothing stands in nobody's way. Of those that ask for the same, who ended first came first.
    steps.sort((a, b) => a.next - b.next || a.operation.task.end - b.operation.task.end);
    const distinct = steps.filter(({ operation, next }, index) => !steps.slice(0, index).some((other) => other.operation.what === operation.what && other.next === next));
    for (const { operation, step, next } of distinct) {
      const after = { license: step.license, renewals: step.renewals ?? state.renewals };
      const end = search(after, left.filter((other) => other !== operation), next);
      if (end) return end;
    }
    return undefined;
  };
  return search(state, operations, 0);
}
