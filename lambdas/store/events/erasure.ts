import type { Delivery } from '../../domain/delivery';
import { erasedBody, type Erasure } from '../../domain/erasure';
import { MAILTO, sequenceOf } from '../../domain/event';
import { licenseEvents } from '../keys';
import { readRows } from '../row';
import { queryPages } from '../items';
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

/** The event without the buyer's data; undefined if the event contains no data of the buyer. */
function erased(delivery: Delivery, erasure: Erasure): Pick<Delivery, 'body' | 'url' | 'history'> | undefined {
  const { url = '' } = delivery;
  const sequence = sequenceOf(delivery.id);
  if (delivery.channel === 'mail') {
    if (url === '' || url === MAILTO || sequence >= erasure.sequence) return undefined;
    // The error message of a mail server may contain the e-mail address, perhaps in lower case, in another encoding, or cut off.
    const history = delivery.history?.map((attempt) => ({ ...attempt, error: attempt.error === null ? null : ERASED_ERROR }));
    return { body: delivery.body, url: MAILTO, ...(history && { history }) };
  }
  const body = erasedBody(delivery.body, { sequence, created_at: delivery.created_at }, erasure);
  return body === delivery.body && (delivery.metadata_ref === undefined || sequence >= erasure.sequence) ? undefined : { body };
}

/** Stores an event without the buyer's data. Returns false if the event must be delivered first. */
async function eraseEvent(
  table: Table,
  delivery: Delivery,
  { body, url, history }: Pick<Delivery, 'body' | 'url' | 'history'>,
): Promise<boolean> {
  if (delivery.status === 'pending') return false;
  const { isWritten } = await updateIf(table, delivery.id, {
    expression: `SET body = :body${url === undefined ? '' : ', #url = :url'}${history ? ', history = :history' : ''} REMOVE metadata_ref`,
    // If a redelivery has started in the meantime, the event is not changed yet, because the redelivery must send the complete event. If
    // the redelivery has already ended, the history that was read does not contain its attempts.
    condition: `#status = :status${history ? ' AND attempts = :attempts' : ''}`,
    names: { '#status': 'status', ...(url !== undefined && { '#url': 'url' }) },
    values: {
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
 * Erases the buyer's data from all events of a license except pending events.
 *
 * @param until the time at which the function stops, epoch ms
 */
export async function eraseEvents(table: Table, licenseId: number, erasure: Erasure, until: number): Promise<ErasedEvents> {
  let pending = 0;
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': licenseEvents(licenseId) },
  })) {
    const found = readRows(page, toDelivery).entities.flatMap((delivery) => {
      const without = erased(delivery, erasure);
      return without ? [{ delivery, without }] : [];
    });
    for (const batch of chunks(found, PARALLEL)) {
      if (table.clock() >= until) return { pending, isComplete: false };
      const done = await Promise.all(batch.map(({ delivery, without }) => eraseEvent(table, delivery, without)));
      pending += done.filter((isErased) => !isErased).length;
    }
  }
  return { pending, isComplete: true };
}
