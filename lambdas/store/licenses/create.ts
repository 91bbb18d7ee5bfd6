import { eventsOf, type Event, type Recorder } from '../../domain/event';
import type { Issue } from '../../domain/license-operations';
import { recordEvent } from '../events/record';
import { counterKey } from '../keys';
import { putMetadata } from '../metadata';
import { recordUpdatesEnd } from '../reminders/updates';
import { nextId } from '../items';
import type { Table } from '../table';
import { create, type Action } from '../transaction';
import { createPointer } from './pointer';
import { deviceItem, licenseItem } from './rows';

export const nextLicenseId = (table: Table): Promise<number> => nextId(table, counterKey('license'));

/**
 * The actions that record a new license with its events. The first action fails if the license key is taken. The default actor of the
 * events is the actor of the request. `updatesEnd` contains the actions that record the end of updates. These actions are also part of
 * `actions`. The caller may leave them out of the transaction, and write their rows before it.
 */
export function issueActions(
  table: Table,
  issue: Issue,
  recorder: Recorder = {},
): { readonly actions: readonly Action[]; readonly events: readonly Event[]; readonly updatesEnd: readonly Action[] } {
  const { license, devices } = issue;
  const updatesEnd = recordUpdatesEnd(issue);
  const events = eventsOf(issue, table.random, { ...table.audit?.recorder, ...recorder });
  return {
    actions: [
      create(licenseItem(license)),
      ...createPointer(license),
      ...updatesEnd,
      ...putMetadata(license),
      ...devices.map(({ device }) => create(deviceItem(license, device))),
      ...events.map(recordEvent),
    ],
    events,
    updatesEnd,
  };
}
