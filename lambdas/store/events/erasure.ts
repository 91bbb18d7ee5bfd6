import { withoutResponse, type Delivery } from '../../domain/delivery';
import { addressHash } from '../../domain/audit';
import { erasedBody } from '../../domain/erasure';
import { addressIn, MAILTO, memberIn, sequenceOf } from '../../domain/event';
import type { ErasureNote } from '../erasure';
import { licenseEvents } from '../keys';
import { readRows } from '../row';
import { queryPages, wholePartition } from '../items';
import type { Table } from '../table';
import { packBody } from './compression';
import { toDelivery } from './rows';
import { updateIf } from './update';
import { chunks } from '../chunks';

/** Erases the buyer's data from the events of a license, and from the mails about the license. */

/** Number of events that are updated at the same time. */
const PARALLEL = 20;

/** The text that replaces an error message that may contain a buyer's address. */
export const ERASED_ERROR = 'the error message was erased';

/** The fields of an event without the person's data. */
interface Erased extends Pick<Delivery, 'body' | 'url' | 'history'> {
  /** Whether the event keeps its reference to long metadata, because the metadata belongs to another person. */
  readonly keepsMetadata?: boolean;
}

/** The event without the person's data; undefined if the event contains no data of the person. */
function erased(delivery: Delivery, note: ErasureNote): Erased | undefined {
  const { url = '', body, history = [] } = delivery;
  const sequence = sequenceOf(delivery.id);
  const address = addressIn(delivery);
  const isBefore = sequence < note.sequence;
  const isErased = (one: string | null): boolean => isBefore && one !== null && addressHash(one) === note.address_hash;
  const isTheirs = !note.is_previous || isErased(address);
  const isMember = isErased(memberIn(delivery));
  if (delivery.channel === 'mail') {
    // An error message may contain the e-mail address, perhaps in lower case, in another encoding, or cut off. The mail may have been sent
    // to another address afterwards, because a reminder is sent to the current address of its license.
    const hasError = history.some(({ error }) => error !== null && error !== ERASED_ERROR);
    const isNamed = isTheirs && address !== null;
    if (!isBefore || !(isNamed || hasError)) return undefined;
    const clean = history.map((attempt) => ({ ...attempt, error: attempt.error === null ? null : ERASED_ERROR }));
    return { body, url: isNamed ? MAILTO : url, ...(delivery.history && { history: clean }) };
  }
  if (!isTheirs && !isMember) return undefined;
  const without = erasedBody(body, { sequence, created_at: delivery.created_at }, note, { buyer: isTheirs, member: isMember });
  const hasMetadata = isTheirs && isBefore && delivery.metadata_ref !== undefined;
  // A receiver may respond with what it received.
  const hasResponse = isBefore && history.some(({ response }) => response !== undefined);
  if (without === body && !hasMetadata && !hasResponse) return undefined;
  return { body: without, keepsMetadata: !isTheirs, ...(hasResponse && { history: history.map(withoutResponse) }) };
}

/** Stores an event without the buyer's data. Returns false if the event must be delivered first. */
async function eraseEvent(table: Table, delivery: Delivery, { body, url, history, keepsMetadata = false }: Erased): Promise<boolean> {
  if (delivery.status === 'pending') return false;
  const { isWritten } = await updateIf(table, delivery.id, {
    UpdateExpression: `SET body = :body${url === undefined ? '' : ', #url = :url'}${history ? ', history = :history' : ''}${keepsMetadata ? '' : ' REMOVE metadata_ref'}`,
    // If a redelivery has started in the meantime, the event is not changed yet, because the redelivery must send the complete event. If
    // the redelivery has already ended, the history that was read does not contain its attempts.
    ConditionExpression: `#status = :status${history ? ' AND attempts = :attempts' : ''}`,
    ExpressionAttributeNames: { '#status': 'status', ...(url !== undefined && { '#url': 'url' }) },
    ExpressionAttributeValues: {
      ':body': packBody(body),
      ':status': delivery.status,
      ...(url !== undefined && { ':url': url }),
      ...(history && { ':history': history, ':attempts': delivery.attempts }),
    },
  });
  return isWritten;
}

/** The result of erasing the buyer's data from the events of a license. */
export interface ErasedEvents {
  /** Number of events that still contain the buyer's data, because they must be delivered first. */
  readonly pending: number;
  /** False if the maximum time was reached before the last event was processed. */
  readonly isComplete: boolean;
}

/**
 * Erases the buyer's data from the events of a license except pending events: from all events, or, if the license had another address when
 * the erasure began, from the events that contain the erased address.
 *
 * @param until the time at which the function stops, epoch ms of the real clock
 */
export async function eraseEvents(table: Table, note: ErasureNote, until: number): Promise<ErasedEvents> {
  let pending = 0;
  for await (const page of queryPages(table, wholePartition(licenseEvents(note.license_id)))) {
    const found = readRows(page, toDelivery).entities.flatMap((delivery) => {
      const without = erased(delivery, note);
      return without ? [{ delivery, without }] : [];
    });
    for (const batch of chunks(found, PARALLEL)) {
      if (table.realClock() >= until) return { pending, isComplete: false };
      const done = await Promise.all(batch.map(({ delivery, without }) => eraseEvent(table, delivery, without)));
      pending += done.filter((isErased) => !isErased).length;
    }
  }
  return { pending, isComplete: true };
}
