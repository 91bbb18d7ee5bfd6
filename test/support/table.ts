import { QueryCommand, ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb';
import { partitions } from '../../lambdas/contract/access';
import { unpackBody } from '../../lambdas/store/events/compression';
import { eventKey } from '../../lambdas/store/keys';
import { connect, tableName } from './harness';

/** Reads the rows of the table directly, not through the service. */

/** The client of all reads. Creating a client takes as much processor time as several reads. */
let client: ReturnType<typeof connect> | undefined;
const reader = (): ReturnType<typeof connect> => (client ??= connect());

type Row = Readonly<Record<string, unknown>>;

export interface EventRow {
  readonly id: string;
  readonly event: string;
  readonly license_id: number;
  readonly created_at: number;
  /** The payload of the event, which is sent to the webhook. */
  readonly payload: {
    readonly id: string;
    readonly event: string;
    readonly data: {
      readonly license: { readonly sequence: number; readonly status: string; readonly seats: { readonly used: number } };
      readonly device?: { readonly fingerprint: string; readonly name: string };
    };
  };
}

async function* pages(
  read: (start: Row | undefined) => Promise<{ Items?: Row[] | undefined; LastEvaluatedKey?: Row | undefined }>,
): AsyncGenerator<Row> {
  let start: Row | undefined;
  do {
    const page = await read(start);
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
  } while (start);
}

/** An event's partition key and sort key are the two parts of its id. */
const eventIdOf = ({ pk, sk }: Row): string => `${String(pk).slice(partitions.event.length)}${String(sk)}`;

/** The events of a license, in the order of its changes. */
export async function eventsOf(licenseId: number, table = tableName()): Promise<EventRow[]> {
  const { pk } = eventKey(licenseId.toString(16).padStart(10, '0'));
  const events: EventRow[] = [];
  for await (const row of pages((ExclusiveStartKey) =>
    reader().send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    ),
  )) {
    events.push({
      ...row,
      id: eventIdOf(row),
      payload: JSON.parse(unpackBody(row['body'] as Uint8Array)) as EventRow['payload'],
    } as EventRow);
  }
  return events;
}

/** All rows of the table, or those that match a filter. */
export async function everyRow(
  table = tableName(),
  filter: Pick<ScanCommandInput, 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> = {},
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of pages((ExclusiveStartKey) =>
    reader().send(new ScanCommand({ ...filter, TableName: table, ConsistentRead: true, ExclusiveStartKey })),
  ))
    rows.push(row);
  return rows;
}

/** The rows whose partition keys begin with a prefix. The database filters them: the common table has tens of thousands of rows. */
export const rowsBelow = (prefix: string, table = tableName()): Promise<Row[]> =>
  everyRow(table, { FilterExpression: 'begins_with(pk, :prefix)', ExpressionAttributeValues: { ':prefix': prefix } });

/** Expects that the events of a license are complete: one event for each change, numbered without gaps. */
export function expectWholeHistory(events: readonly EventRow[]): void {
  expect(events.map(({ payload }) => payload.data.license.sequence)).toEqual(events.map((_, place) => place + 1));
  for (const { id, event, license_id, payload } of events)
    expect(payload).toMatchObject({ id, event, data: { license: { id: license_id } } });
}
