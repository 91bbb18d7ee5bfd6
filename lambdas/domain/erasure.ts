import { unchanged, decide, type Decision } from './transition';
import { isFailure } from '../contract/errors';
import type { License } from './license';
import { metadataOf } from './metadata';

/** The data of a buyer that an erasure removes (docs/spec/operator.md, A buyer's data). */

/**
 * Removes the buyer's e-mail address and label, and the metadata from a license. The license is marked as erased, so that no payment
 * processor fills in the address again.
 */
export function eraseBuyer(license: License, now: number): Decision<License> {
  const { transition, result } = decide(license, 'annotate', now, (after) => after, {
    patch: { customer_email: null, unverified_email: null, label: null, metadata: metadataOf('{}'), erased_at: now },
  });
  // A license can be annotated in every status, so the result is never a failure.
  return isFailure(result) ? unchanged(license) : { transition, result };
}

/** Identifies the data about the buyer that was recorded before the erasure. */
export interface Erasure {
  /** The sequence of the license's event that reports the erasure. */
  readonly sequence: number;
  /** When the labels of the license's devices were removed, in epoch ms. Labels that were recorded later remain. */
  readonly devices_erased_at: number | null;
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Whose data an event contains that an erasure removes: the buyer's, the member's, or both. */
export interface ErasedPeople {
  readonly buyer: boolean;
  readonly member: boolean;
}

/**
 * The stored body of an event without the data that an erasure removes: the buyer's e-mail address and label, the metadata, the address of
 * the member, and the labels of the device. If the body has no such data, it is returned unchanged.
 *
 * @param event the event's sequence, and when it was recorded
 */
export function erasedBody(
  body: string,
  event: { readonly sequence: number; readonly created_at: number },
  erasure: Erasure,
  of: ErasedPeople = { buyer: true, member: false },
): string {
  const payload = JSON.parse(body) as { data: Fields } & Fields;
  const { license, device, member } = payload.data;
  const isBefore = event.sequence < erasure.sequence;
  const data = {
    ...payload.data,
    ...(of.buyer && isBefore && isObject(license) && { license: { ...license, customer_email: null, label: null, metadata: {} } }),
    ...(of.member && isObject(member) && { member: { ...member, email: null } }),
    ...((of.member || isBefore || event.created_at <= (erasure.devices_erased_at ?? 0)) &&
      isObject(device) && { device: { ...device, name: '', platform: '' } }),
  };
  return JSON.stringify({ ...payload, data });
}
