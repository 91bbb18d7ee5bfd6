import { eventsOf, type Event } from '../../domain/event';
import type { Issue } from '../../domain/license-operations';
import { recordEvent } from '../events/record';
import { counterKey, licenseIdKey } from '../keys';
import { putMetadata } from '../metadata';
import { updatesKeys } from '../reminders/updates';
import { nextId, type Item, type Table } from '../table';
import { create, type Action } from '../transaction';
import { deviceItem, licenseItem } from './rows';

export const nextLicenseId = (table: Table): Promise<number> => nextId(table, counterKey('license'));

/** What leads from a license's id to its row, and from the end of its updates to its id. */
export const licensePointer = ({ license, at }: Pick<Issue, 'license' | 'at'>): Item => ({
  ...licenseIdKey(license.id),
  product_id: license.product_id,
  key: license.key,
  ...updatesKeys(license, at),
});

/** The actions that record a new license with its events. The first fails when its key is taken. */
export function issueActions(table: Table, issue: Issue): { readonly actions: readonly Action[]; readonly events: readonly Event[] } {
  const { license, devices } = issue;
  const events = eventsOf(issue, table.random);
  return {
    actions: [
      create(licenseItem(license)),
      create(licensePointer(issue)),
      ...putMetadata(license),
      ...devices.map(({ device }) => create(deviceItem(license, device))),
      ...events.map(recordEvent),
    ],
    events,
  };
}
