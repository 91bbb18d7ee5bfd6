import { fail, isFailure, type Failure } from '../contract/errors';
import type { EventName } from '../contract/events';
import type { Device, License } from './license';
import type { MemberChange } from './member';
import { edgeOf, type Trigger } from './lifecycle';

/** Changes of a license. The domain decides a transition, and the store commits it in one transaction with its events. */

/** The change of a device's row. */
export type DeviceTransition =
  /** Binds the device, which must not have a seat yet. `freed` is the row of the same device that a reset has freed before. */
  | { readonly action: 'bind'; readonly device: Device; readonly freed?: Device | undefined }
  /**
   * Replaces the row of a bound device, which has a new key or another member. The commit fails if the row was changed since it was read.
   */
  | { readonly action: 'rebind'; readonly device: Device; readonly read: Device }
  /**
   * Frees the device. The commit fails if the device's row was changed since it was read, so that a device that has renewed its lease keeps
   * its seat.
   */
  | { readonly action: 'free'; readonly device: Device };

/** Something that happened to a license. An event will report it. */
export interface Occurrence {
  readonly event: EventName;
  /** The license right after the occurrence. Its `sequence` is also the sequence of the event. */
  readonly license: License;
  /** The license's status right before the occurrence. */
  readonly previous_status: License['status'];
  /** Id of the previous license type; undefined if the type did not change. */
  readonly previous_type_id?: number | undefined;
  readonly device?: Device | undefined;
  /** Additional fields of the event's `data`, such as a reason. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * The decided change of a license and its devices, with its events. Each event has its own sequence number. The store commits everything or
 * nothing.
 */
export interface Transition {
  readonly before: License;
  readonly after: License;
  readonly devices: readonly DeviceTransition[];
  /** The changed members. Each member has at most one change. */
  readonly members: readonly MemberChange[];
  readonly occurrences: readonly Occurrence[];
  readonly at: number;
}

/** The result of a request about a license, and the transition that must be committed with it, if any. */
export interface Decision<Result> {
  readonly transition: Transition | null;
  readonly result: Result;
}

export const unchanged = <Result>(result: Result): Decision<Result> => ({ transition: null, result });

/**
 * A decision that can be made only with all devices of the license. The transition, if any, is committed first. The caller then reads the
 * devices and decides again.
 */
export interface NeedsDevices {
  readonly needs: 'devices';
  readonly transition: Transition | null;
}

/** A change without an event, such as the id of an order, which changes nothing for apps and buyers. */
export const withoutEvent = (before: License, after: License, at: number, members: readonly MemberChange[] = []): Transition => ({
  before,
  after,
  devices: [],
  members,
  occurrences: [],
  at,
});

/** The state of a license while one or several triggers fire. All of them have the same time (`at`). */
export interface Progress extends Omit<Transition, 'after'> {
  readonly license: License;
}

export const begin = (license: License, at: number): Progress => ({
  before: license,
  license,
  devices: [],
  members: [],
  occurrences: [],
  at,
});

interface Effect {
  /** Fields of the license that change besides the status. */
  readonly patch?: Partial<License>;
  readonly device?: DeviceTransition;
  /** The device that the event names, if it differs from the device whose row changes. */
  readonly about?: Device;
  readonly members?: readonly MemberChange[];
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Fires a trigger. The result is the refusal, or the progress after the change, with the event of the change. If the trigger changes
 * nothing, the result is the given progress.
 */
export function fire(
  progress: Progress,
  trigger: Trigger,
  { patch, device, about = device?.device, members = [], details }: Effect = {},
): Failure | Progress {
  const { license } = progress;
  const edge = edgeOf(license.status, trigger);
  if (typeof edge === 'string') return fail(edge);
  if (edge.event === null) return progress;
  const after: License = { ...license, ...patch, status: edge.to, sequence: license.sequence + 1 };
  return {
    ...progress,
    license: after,
    devices: device ? [...progress.devices, device] : progress.devices,
    members: [...progress.members, ...members],
    occurrences: [
      ...progress.occurrences,
      {
        event: edge.event,
        license: after,
        previous_status: license.status,
        ...(after.license_type.id !== license.license_type.id && { previous_type_id: license.license_type.id }),
        device: about,
        details,
      },
    ],
  };
}

/** All changes of a progress; null if no trigger has changed anything. */
export const transitionOf = ({ before, license, devices, members, occurrences, at }: Progress): Transition | null =>
  occurrences.length === 0 && devices.length === 0 ? null : { before, after: license, devices, members, occurrences, at };

/** The decision with all changes of a progress. */
export const conclude = <Result>(progress: Progress, result: Result): Decision<Result> => ({ transition: transitionOf(progress), result });

/** The decision of one trigger. `result` computes the result from the license after the trigger. */
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
