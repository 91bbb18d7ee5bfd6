import type { Action, Update } from '../action';
import { eventKey } from '../keys';
import { updateItem, type Written } from '../items';
import type { Table } from '../table';

/** An update of one event, whose condition always exists. */
export type EventUpdate = Omit<Update, 'Key'> & { readonly ConditionExpression: string };

/** The action that updates one event. */
export const eventUpdate = (id: string, update: EventUpdate): Action => ({ Update: { Key: eventKey(id), ...update } });

/** Updates one event. The result contains the updated item or, if the condition was false, the current item. */
export const updateIf = (table: Table, id: string, update: EventUpdate): Promise<Written> =>
  updateItem(table, { Key: eventKey(id), ...update }, 'ALL_NEW');
