import { AUDIT_DAYS } from '../contract/audit';
import type { AuditEntry } from '../domain/audit';
import { create, type Action } from './action';
import type { AuditFacts } from './audit-trail';
import { AUDIT_LIST, auditKey, eventPosition, licenseAudit, productAudit, type Key } from './keys';
import { readRows, RowReader } from './row';
import { getItems, queryPages, type Item, type Table } from './table';

export type { AuditFacts } from './audit-trail';

/** The audit log. An entry is a row that is written in the transaction of the change that it records. */

/** Maximum length of a stored text, in characters: an entry then stays below 1 KB, which is the cheapest size to write. */
const MAX_TEXT = 300;
const cut = (text: string | null): string | null => text && text.slice(0, MAX_TEXT);

const toItem = (entry: AuditEntry): Item => {
  const position = eventPosition(entry.at, entry.id);
  return {
    ...auditKey(entry.product_id, entry.at, entry.id),
    version: 1,
    ...entry,
    summary: cut(entry.summary),
    user_agent: cut(entry.user_agent),
    list_pk: AUDIT_LIST,
    list_sk: position,
    ...(entry.license_id !== null && { lookup_pk: licenseAudit(entry.license_id), lookup_sk: position }),
    ttl: Math.ceil(entry.at / 1000) + AUDIT_DAYS * 86_400,
  };
};

/** @throws UnreadableRow */
function toEntry(item: Item): AuditEntry {
  const row = new RowReader(item);
  return {
    id: row.string('id'),
    at: row.number('at'),
    actor: row.string('actor'),
    actor_name: row.string('actor_name'),
    action: row.string('action'),
    product_id: row.nullableNumber('product_id'),
    license_id: row.nullableNumber('license_id'),
    target: row.nullableString('target'),
    summary: row.string('summary'),
    request_id: row.nullableString('request_id'),
    source_ip: row.nullableString('source_ip'),
    user_agent: row.nullableString('user_agent'),
  };
}

/** The action that adds an entry to the log. */
export const recordAudit = (table: Pick<Table, 'clock' | 'random'>, facts: AuditFacts): Action =>
  create(toItem({ ...facts, id: Buffer.from(table.random(16)).toString('hex'), at: table.clock() }));

export interface AuditFilter {
  readonly product_id?: number | undefined;
  readonly license_id?: number | undefined;
  readonly actor?: string | undefined;
}

/** Maximum number of rows that one call reads, so that a filter with few matches still responds in time. */
const MAX_ROWS = 10_000;
const PAGE = 200;

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly unreadable: number;
  /** The position of the next page; undefined if there is none. */
  readonly next?: string;
}

/** An entry's position in the log. */
export const auditPosition = ({ at, id }: Pick<AuditEntry, 'at' | 'id'>): string => eventPosition(at, id);

/** The smallest partition that contains all entries that match the filter. */
function source({ product_id, license_id }: AuditFilter): {
  readonly index?: 'list' | 'lookup';
  readonly partition: string;
  readonly pk: string;
  readonly sk: string;
} {
  if (license_id !== undefined) return { index: 'lookup', partition: licenseAudit(license_id), pk: 'lookup_pk', sk: 'lookup_sk' };
  if (product_id !== undefined) return { partition: productAudit(product_id), pk: 'pk', sk: 'sk' };
  return { index: 'list', partition: AUDIT_LIST, pk: 'list_pk', sk: 'list_sk' };
}

/** Up to `limit` entries that match, newest first, that are older than `before`. */
export async function listAudit(
  table: Table,
  filter: AuditFilter,
  before: string | undefined,
  limit: number,
  maxRows = MAX_ROWS,
): Promise<AuditPage> {
  const { index, partition, pk, sk } = source(filter);
  const matches = (entry: AuditEntry): boolean =>
    (filter.product_id === undefined || entry.product_id === filter.product_id) &&
    (filter.actor === undefined || entry.actor === filter.actor);
  const entries: AuditEntry[] = [];
  let unreadable = 0;
  let rowsRead = 0;
  for await (const page of queryPages(table, {
    ...(index ? { IndexName: index } : { ConsistentRead: true }),
    ScanIndexForward: false,
    KeyConditionExpression: `${pk} = :pk${before === undefined ? '' : ` AND ${sk} < :before`}`,
    ExpressionAttributeValues: { ':pk': partition, ...(before !== undefined && { ':before': before }) },
    Limit: Math.min(limit + 1, PAGE),
  })) {
    const items = index
      ? await getItems(
          table,
          page.map((item): Key => ({ pk: String(item['pk']), sk: String(item['sk']) })),
        )
      : page;
    const read = readRows(
      items.filter((item) => item !== undefined),
      toEntry,
    );
    unreadable += read.unreadable;
    for (const entry of read.entities.filter(matches)) {
      const last = entries.at(-1);
      if (entries.length === limit && last) return { entries, unreadable, next: auditPosition(last) };
      entries.push(entry);
    }
    rowsRead += page.length;
    const scanned: unknown = page.at(-1)?.[sk];
    if (rowsRead >= maxRows && typeof scanned === 'string') return { entries, unreadable, next: scanned };
  }
  return { entries, unreadable };
}
