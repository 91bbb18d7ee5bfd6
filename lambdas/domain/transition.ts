import { fail, isFailure, type Failure } from '../contract/errors';
import type { EventName } from '../contract/events';
import type { Device, License } from './license';
import { lifecycle, type Trigger } from './lifecycle';

/** What happens to a license: decided here, committed by the store in one transaction with its events. */

/** What is done to a device's row. */
export type DeviceTransition =
  /** Binds the device: it must not hold a seat yet. */
  | { readonly action: 'bind'; readonly device: Device }
  /** Frees the device: it must still be as it was read, so that a lease renewed meanwhile keeps its seat. */
  | { readonly action: 'free'; readonly device: Device };

/** Something that happened to a license, to be reported by an event. */
export interface Occurrence {
  readonly event: EventName;
  /** The license right after it; its `sequence` is the event's. */
  readonly license: License;
  /** Its status right before. */
  readonly previous_status: License['status'];
  /** Id of its license type right before; undefined: the same. */
  readonly previous_type_id?: number | undefined;
  readonly device?: Device | undefined;
  /** What the event's `data` holds in addition, such as a reason. */
  readonly details?: Readonly<Record<string, string>> | undefined;
}

/** What is decided to happen to a license, with its devices and events, each event with its own sequence number: all committed or nothing. */
export interface Transition {
  readonly before: License;
  readonly after: License;
  readonly devices: readonly DeviceTransition[];
  readonly occurrences: readonly Occurrence[];
  readonly at: number;
}

/** What a request makes of a license: a result, and the transition that it rests on, if any. */
export interface Decision<Result> {
  readonly transition: Transition | null;
  readonly result: Result;
}

export const unchanged = <Result>(result: Result): Decision<Result> => ({ transition: null, result });

/**
 * The refusal of a first look at the seats: the decision is made again on a state that was read more closely. A
 * transition that comes with it is committed before.
 */
export const LOOK_CLOSER: Failure = fail('no_seats');

/** A license on its way through one or several triggers, all at one instant. */
export interface Progress {
  readonly before: License;
  readonly license: License;
  readonly devices: readonly DeviceTransition[];
  readonly occurrences: readonly Occurrence[];
  readonly at: number;
}

export const begin = (license: License, at: number): Progress => ({ before: license, license, devices: [], occurrences: [], at });

interface Effect {
  /** What changes besides the status. */
  readonly patch?: Partial<License>;
  readonly device?: DeviceTransition;
  readonly details?: Readonly<Record<string, string>>;
}

/** Fires a trigger: the refusal, the same progress when nothing happens, or the next step with its event. */
export function fire(progress: Progress, trigger: Trigger, { patch, device, details }: Effect = {}): Failure | Progress {
  const { license } = progress;
  const edge = lifecycle[license.status][trigger];
  if (typeof edge === 'string') return fail(edge);
  if (edge.event === null) return progress;
  const after: License = { ...license, ...patch, status: edge.to, sequence: license.sequence + 1 };
  return {
    ...progress,
    license: after,
    devices: device ? [...progress.devices, device] : progress.devices,
    occurrences: [
      ...progress.occurrences,
      {
        event: edge.event,
        license: after,
        previous_status: license.status,
        ...(after.license_type.id !== license.license_type.id && { previous_type_id: license.license_type.id }),
        device: device?.device,
        details,
      },
    ],
  };
}

/** The decision that a progress amounts to. */
export function conclude<Result>({ before, license, devices, occurrences, at }: Progress, result: Result): Decision<Result> {
  return { transition: occurrences.length === 0 ? null : { before, after: license, devices, occurrences, at }, result };
}

/** The decision of one trigger; `result` is made of the license as it is afterwards. */
export function decide<Result>(
  license: License,
  trigger: Trigger,
  at: number,
  result: (after: License) => Result,
  effect: Effect = {},
): Decision<Failure | Result> {
  const next = fire(begin(license, at), trigger, effect);
  return isFailure(next) ? unchanged(next) : conclude(next, result(next.license));
}
