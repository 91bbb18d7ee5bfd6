import { addressHash } from '../../domain/audit';
import { eraseBuyer } from '../../domain/erasure';
import { memberId } from '../../domain/member';
import { removeMember } from '../../domain/members';
import { unchanged } from '../../domain/transition';
import { isFailure } from '../../contract/errors';
import { hasAddress, type License } from '../../domain/license';
import { adapters } from '../../domain/payments';
import type { App } from '../../runtime/app';
import { eraseEvents } from '../../store/events/erasure';
import {
  eraseDevices,
  erasureNotes,
  finishErasure,
  metadataRefs,
  noteErasure,
  notePreviousEvents,
  type ErasureNote,
} from '../../store/erasure';
import { deleteResponses } from '../../store/idempotency';
import type { LicenseState } from '../../store/licenses/commit';
import { licensesOfBuyer, trialsWithAddress } from '../../store/licenses/of-buyer';
import { membershipsOf } from '../../store/licenses/of-member';
import { getLicense } from '../../store/licenses/read';
import { isDeadKey, toLicense } from '../../store/licenses/rows';
import { deleteNotesUntil } from '../../store/notes';
import { getConnection } from '../../store/payments/connections';
import { eraseBuyerOfOrder, eraseRowsOfBuyer, rowsOfBuyer } from '../../store/payments/of-buyer';
import { findOrders } from '../../store/payments/orders';
import { listConnectionIds } from './connections';
import { licenseKey } from '../../store/keys';
import { endBuyer } from '../../store/portal/buyers';
import { beginErasure, licensesWithPreviousAddress } from '../../store/previous-addresses';
import { listProductIds } from '../../store/products';
import { deleteRefusals } from '../../store/refusals';
import { eraseSuppression } from '../../store/suppressions';
import { getItem } from '../../store/items';
import { applyDecision, followLicense } from '../apply-decision';
import { applyToMember } from '../members';

/**
 * Erases a buyer's data (docs/spec/operator.md, A buyer's data). If the erasure is interrupted, another call or the worker continues it.
 */

export interface CustomerErasure {
  /** Number of licenses whose e-mail address and metadata were removed. */
  readonly licenses: number;
  /** Number of events that still contain the buyer's data, because they must be delivered before the data is erased. */
  readonly pending_events: number;
  /** True if no data of the buyer is left. */
  readonly complete: boolean;
}

/**
 * Removes the e-mail address and the metadata from a license, and writes an erasure note (see `ErasureNote`) for the remaining work.
 * Returns false if the license received another address in the meantime.
 */
async function eraseLicense(app: App, read: License, email: string, hash: string, now: number): Promise<boolean> {
  const refs = await metadataRefs(app.table, read.id);
  const erased = await applyDecision<LicenseState, boolean>(
    app,
    { license: read },
    ({ license }) => (hasAddress(license, email) ? { transition: eraseBuyer(license, now).transition, result: true } : unchanged(false)),
    { follow: followLicense(app, read.id), alongside: (transition) => [noteErasure(hash, refs, transition)], isOneOfMany: true },
  );
  return erased ?? false;
}

/**
 * Removes a person from a license of which the person is a member, and frees the person's devices. The same transaction writes an erasure
 * note for the events that contain the address. Returns false if the person is not a member any more.
 */
async function eraseMembership(app: App, licenseId: number, email: string, hash: string, now: number): Promise<boolean> {
  const erased = await applyToMember(
    { app, now, licenseId },
    memberId(licenseId, email),
    'remove',
    ({ license, member, devices }) => removeMember(license, member, devices, now, true),
    async ({ after }) => [notePreviousEvents(hash, licenseId, after.sequence + 1)],
    true,
  );
  return !isFailure(erased) && erased.removed;
}

/**
 * The result of {@link continueErasure}. `pending` is the number of events that must be delivered before the buyer's data in them is
 * erased.
 */
type Rest = 'done' | 'unfinished' | { readonly pending: number };

/**
 * Continues to erase the buyer's data from a license whose e-mail address was already removed. The erasure note contains the progress.
 *
 * @param until the time after which no further part of the erasure begins, epoch ms of the real clock
 */
async function continueErasure(app: App, note: ErasureNote, until: number): Promise<Rest> {
  const { table } = app;
  const license = await getLicense(table, note.license_id);
  await deleteResponses(table, note.license_id);
  const erased = note.is_previous ? note : await eraseLicenseRows(app, note, license, until);
  if (!erased) return 'unfinished';
  const { pending, isComplete } = await eraseEvents(table, erased, until);
  if (!isComplete) return 'unfinished';
  if (pending > 0) return { pending };
  await finishErasure(table, erased, license);
  return 'done';
}

/**
 * Erases the buyer's data from a license's devices, refusals, notes and order. Returns the note with the progress; undefined if the work is
 * not finished.
 */
async function eraseLicenseRows(
  app: App,
  note: ErasureNote,
  license: License | undefined,
  until: number,
): Promise<ErasureNote | undefined> {
  const { table } = app;
  const erased = note.devices_erased_at === null && license ? await eraseDevices(table, note, license, until) : note;
  if (!erased || table.realClock() >= until) return undefined;
  await deleteRefusals(table, note.license_id);
  await deleteNotesUntil(table, note.license_id, erased.devices_erased_at ?? 0);
  return license?.order && !(await eraseOrders(app, license.order, note.address_hash)) ? undefined : erased;
}

/**
 * Erases the buyer's data from the order that a license was issued for, unless the order has the address of another buyer. Returns false if
 * other requests changed the order in the meantime.
 */
async function eraseOrders({ table }: App, { connection_id, order_id }: NonNullable<License['order']>, hash: string): Promise<boolean> {
  const connection = await getConnection(table, connection_id);
  if (!connection) return true;
  const orders = await findOrders(
    table,
    connection_id,
    adapters[connection.processor].idKinds.map((kind) => ({ kind, id: order_id })),
  );
  const own = orders.filter(({ facts: { customerEmail } }) => customerEmail === null || addressHash(customerEmail) === hash);
  const done = await Promise.all(own.map((order) => eraseBuyerOfOrder(table, connection_id, order)));
  return done.every(Boolean);
}

/**
 * Continues all erasures that have a note for the e-mail address with this hash. If no hash is given, all erasures with notes are
 * continued.
 */
async function continueErasures(app: App, until: number, hash?: string): Promise<Omit<CustomerErasure, 'licenses'>> {
  let pending_events = 0;
  let complete = true;
  for await (const note of erasureNotes(app.table, hash)) {
    if (app.realClock() >= until) return { pending_events, complete: false };
    const rest = await continueErasure(app, note, until);
    if (rest === 'done') continue;
    complete = false;
    if (rest !== 'unfinished') pending_events += rest.pending;
  }
  return { pending_events, complete };
}

/** Continues all erasures. The worker calls this function, so that interrupted erasures are finished. */
export const continueAllErasures = (app: App, until: number): Promise<unknown> => continueErasures(app, until);

/**
 * Erases all data about the buyer with the given e-mail address.
 *
 * @param productId the only product whose data is erased; null: all products
 * @param until epoch ms; no further part of the erasure is started after this time
 */
export async function eraseCustomer(
  app: App,
  email: string,
  productId: number | null,
  now: number,
  until: number,
): Promise<CustomerErasure> {
  const hash = addressHash(email);
  const { table } = app;
  table.audit?.describe({ target: hash, details: [] });
  let licenses = 0;
  let complete = true;
  const products = productId === null ? await listProductIds(table) : [productId];
  /** Ends the buyer's portal sessions, codes and links, and forgets that mails bounced. Returns false if there was not enough time. */
  const endSessions = async (): Promise<boolean> => {
    for (const id of products) {
      if (app.realClock() >= until) return false;
      await endBuyer(table, id, email);
      await eraseSuppression(table, id, email);
    }
    return true;
  };
  if (!(await endSessions())) return { licenses, pending_events: 0, complete: false };
  for (const { productId: of, key } of [
    ...(await licensesOfBuyer(table, email, productId)),
    ...(await trialsWithAddress(table, email, productId)),
  ]) {
    if (app.realClock() >= until) return { licenses, pending_events: 0, complete: false };
    const item = await getItem(table, licenseKey(of, key));
    // The license was moved to another key since it was listed. The next call finds it under the new key.
    if (!item || isDeadKey(item)) complete = false;
    else if (await eraseLicense(app, toLicense(item), email, hash, now)) licenses += 1;
  }
  let memberships = 0;
  for (const { id } of await membershipsOf(table, email, productId)) {
    if (app.realClock() >= until) return { licenses, pending_events: 0, complete: false };
    if (await eraseMembership(app, id, email, hash, now)) memberships += 1;
  }
  // A code may have been mailed to the address before the address was removed from the last license.
  if (licenses + memberships > 0 && !(await endSessions())) return { licenses, pending_events: 0, complete: false };
  for (const connectionId of await listConnectionIds(app, productId)) {
    if (app.realClock() >= until) return { licenses, pending_events: 0, complete: false };
    complete = (await eraseRowsOfBuyer(table, connectionId, await rowsOfBuyer(table, connectionId, email))) && complete;
  }
  for (const previous of await licensesWithPreviousAddress(table, hash, productId)) await beginErasure(table, hash, previous);
  const rest = await continueErasures(app, until, hash);
  return { licenses, pending_events: rest.pending_events, complete: complete && rest.complete };
}
