import { EVENT_RANDOM_BYTES, licenseEvent, type Event } from '../../domain/event';
import { initialTransition, type License } from '../../domain/license';
import { recordEvent } from '../events/record';
import { counterKey, licenseIdKey } from '../keys';
import { nextId, type Table } from '../table';
import { create, RESPONSE_EXISTS, transactOnce, type Action, type ResponseExists } from '../transaction';
import { licenseItem } from './rows';

export const nextLicenseId = (table: Table): Promise<number> => nextId(table, counterKey('license'));

/** Records a new license with its event. The event is returned for the queue. */
export async function createLicense(table: Table, license: License, storeResponse?: Action): Promise<ResponseExists | Event> {
  const event = licenseEvent({ event: initialTransition.event ?? 'license.created', license, at: license.created_at }, table.random(EVENT_RANDOM_BYTES));
  const outcome = await transactOnce(
    table,
    [
      create(licenseItem(license)),
      create({ ...licenseIdKey(license.id), product_id: license.product_id, key: license.key }),
      recordEvent(event),
    ],
    storeResponse,
  );
  if (outcome === RESPONSE_EXISTS) return RESPONSE_EXISTS;
  if (!outcome.committed) throw new Error(`License ${license.id} or its key exists already`);
  return event;
}
