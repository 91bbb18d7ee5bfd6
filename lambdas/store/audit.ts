import { AUDIT_DAYS } from '../contract/limits';
import { auditEntrySchema, type AuditChange, type AuditedLicense, type AuditEntry } from '../domain/audit';
import { shownEmail } from '../domain/license';
import { create, type Action } from './action';
import type { AuditFacts } from './audit-trail';
import { AUDIT_LIST, auditKey, eventPosition, licenseAudit, productAudit } from './keys';
import { readLicenses, rowKeysOf } from './licenses/read';
import { ListReader, readRow } from './row';
import { END, newestFirst, scanPage } from './scan';
import type { Item } from './codec';
import type { Table } from './table';

export type { AuditFacts } from './audit-trail';

/** The audit log. An entry is written in the same transaction as the change that it records. */

/**
 * Maximum length of a stored text, in characters. This limit keeps an entry below 1 KB, because DynamoDB charges more for larger writes.
 */
const MAX_TEXT = 300;
const cut = (text: string | null): string | null => text && text.slice(0, MAX_TEXT);

/** Maximum number of characters of an entry's summary, user agent and changes together. */
const ROOM = 2 * MAX_TEXT;

/** Selects the changes that fit into a number of characters. If a change does not fit, only the summary names its field. */
function fitting(changes: readonly AuditChange[], room: number): AuditChange[] {
  let left = room;
  return changes.filter((change) => {
    left -= JSON.stringify(change).length;
    return left >= 0;
  });
}

const toItem = (entry: AuditEntry): Item => {
  const position = eventPosition(entry.at, entry.id);
  const [summary, agent] = [cut(entry.summary), cut(entry.user_agent)];
  const changes = fitting(entry.changes ?? [], ROOM - (summary?.length ?? 0) - (agent?.length ?? 0));
  return {
    ...auditKey(entry.product_id, entry.at, entry.id),
    version: 1,
    ...entry,
    summary,
    user_agent: agent,
    changes: changes.length === 0 ? undefined : changes,
    list_pk: AUDIT_LIST,
    list_sk: position,
    ...(entry.license_id !== null && { lookup_pk: licenseAudit(entry.license_id), lookup_sk: position }),
    ttl: Math.ceil(entry.at / 1000) + AUDIT_DAYS * 86_400,
  };
};

/** The action that adds an entry to the log. */
export const recordAudit = (table: Pick<Table, 'clock' | 'random'>, facts: AuditFacts): Action =>
  create(toItem({ ...facts, id: Buffer.from(table.random(16)).toString('hex'), at: table.clock() }));

export interface AuditFilter {
  readonly product_id?: number | undefined;
  readonly license_id?: number | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Start of the period, epoch ms; the period includes this time. */
  readonly created_after?: number | undefined;
  /** End of the period, epoch ms; the period does not include this time. */
  readonly created_before?: number | undefined;
}

/** Maximum number of rows that one call reads, so that the call returns in time even if few rows match the filter. */
const MAX_ROWS = 10_000;
const PAGE = 200;

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly unreadable: number;
  /** The position of the next page; undefined if there are no more entries. */
  readonly next?: string;
}

/** The position of an entry in the audit log. */
export const auditPosition = ({ at, id }: Pick<AuditEntry, 'at' | 'id'>): string => eventPosition(at, id);

/** Selects the smallest partition that contains all entries that match the filter. */
function source({ product_id, license_id }: AuditFilter): { readonly index?: 'list' | 'lookup'; readonly partition: string } {
  if (license_id !== undefined) return { index: 'lookup', partition: licenseAudit(license_id) };
  if (product_id !== undefined) return { partition: productAudit(product_id) };
  return { index: 'list', partition: AUDIT_LIST };
}

/** Lists up to `limit` entries that match the filter and are older than the position `past`, newest first. */
export async function listAudit(
  table: Table,
  filter: AuditFilter,
  past: string | undefined,
  limit: number,
  maxRows = MAX_ROWS,
): Promise<AuditPage> {
  const { index, partition } = source(filter);
  const matches = (entry: AuditEntry): boolean =>
    (filter.product_id === undefined || entry.product_id === filter.product_id) &&
    (filter.actor === undefined || entry.actor === filter.actor) &&
    (filter.action === undefined || entry.action === filter.action);
  const { created_after: from = 0, created_before: end } = filter;
  const [before] = [past, end === undefined ? undefined : eventPosition(end)].filter((bound) => bound !== undefined).sort();
  const reader = new ListReader((item: Item): AuditEntry => readRow(auditEntrySchema, item));
  const query = { ...newestFirst(partition, before, index), Limit: Math.min(limit + 1, PAGE) };
  const { entries, last } = await scanPage(table, query, {
    ...(index && { load: () => true }),
    keep: (item) => {
      const entry = reader.read(item);
      if (entry && entry.at < from) return END;
      return entry && matches(entry) ? entry : undefined;
    },
    limit,
    budget: maxRows,
  });
  return { entries, unreadable: reader.unreadable, ...(last && { next: String(last[index ? `${index}_sk` : 'sk']) }) };
}

/**
 * The current license keys and buyers' e-mail addresses of the licenses in audit entries, by license id. A license that cannot be read is
 * left out.
 */
export async function licensesOfAudit(table: Table, entries: readonly AuditEntry[]): Promise<ReadonlyMap<number, AuditedLicense>> {
  const ids = [...new Set(entries.flatMap(({ license_id: id }) => (id === null ? [] : [id])))];
  const { entities } = await readLicenses(table, await rowKeysOf(table, ids));
  return new Map(entities.map(({ license }) => [license.id, { key: license.key, customer_email: shownEmail(license) }]));
}
