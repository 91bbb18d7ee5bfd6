import { NativeSelect } from '@mantine/core';
import type { AuditEntry } from '../api';
import { exportName } from '../download';
import { actorName, date, dayOf, duration } from '../format';
import { exportAudit, useAudit, type AuditFilter } from '../queries/audit';
import { useProductName } from '../queries/products';
import { useTokens } from '../queries/tokens';
import { go, href, Link } from '../router';
import { number, t } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { DayFields } from '../ui/day-fields';
import { HistoryIcon, SearchIcon } from '../ui/icons';
import { Dim, PageHead, Panel, Row } from '../ui/page';
import { LoadedPages } from '../ui/pages';
import { Empty } from '../ui/states';
import { capitalized, statusWords } from '../ui/status';
import { Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import classes from './audit.module.css';
import { ExportButton } from './export-button';

/** The summary of each operation that the log records, by operation. The build inserts the summaries from the contract (infra/site.ts). */
declare const AUDITED_ACTIONS: Readonly<Record<string, string>>;

/** The audit log's filter, from the query parameters of the page. */
const filterOf = (query: URLSearchParams): AuditFilter => ({
  product: query.get('product') ?? undefined,
  license: query.get('license') ?? undefined,
  actor: query.get('actor') ?? undefined,
  action: query.get('action') ?? undefined,
  days: { from: dayOf(query.get('from')), to: dayOf(query.get('to')) },
});

/** The URL of the audit log with a filter. @param productId undefined for the log of all products */
const auditAddress = ({ product, license, actor, action, days }: AuditFilter, productId: number | undefined): string =>
  href(productId === undefined ? '/audit' : `/products/${productId}/audit`, {
    product: productId === undefined ? product : undefined,
    license,
    actor,
    action,
    from: days?.from,
    to: days?.to,
  });

/** Words for fields whose names in the API are not clear enough for operators. */
const fieldWords: Readonly<Record<string, string>> = {
  customer_email: t('buyer'),
  license_type_id: t('license type'),
  expires_at: t('expiry'),
  updates_until: t('end of updates'),
  max_seats: t('seats'),
  max_major: t('major version'),
  duration_days: t('duration'),
  updates_days: t('updates'),
  lease_minutes: t('minutes of a lease'),
  new_devices_per_week: t('new devices in 7 days'),
};
const wordsOf = (field: string): string => fieldWords[field] ?? field.replaceAll('_', ' ');
/** Fields that are not shown, because the name of the operation already says that they changed. */
const IMPLIED = new Set(['revoked_at', 'suspended_at', 'suspended_by', 'suspended_cause', 'sequence']);

/** Describes the value of a field in words. */
function valueWords(field: string, value: string | null): string {
  if (value === null || value === '') return field === 'expires_at' ? t('never') : t('none');
  if (field === 'expires_at' || field === 'updates_until') return date(value);
  if (field === 'duration_days' || field === 'updates_days') return duration(Number(value));
  if (field === 'max_seats') return value === '0' ? t('unlimited') : number(Number(value));
  if (field === 'status') return statusWords(value);
  return { true: t('yes'), false: t('no') }[value] ?? value;
}

/**
 * Divides an entry's summary into two texts. `what` is the summary without its list of API field names. `others` lists, in words, the
 * changed fields whose values the log does not contain.
 */
function inWords({ summary, changes }: AuditEntry): { readonly what: string; readonly others: string | undefined } {
  const [, what, fields] = /^(.*?): ([a-z_]+(?:, [a-z_]+)*)$/.exec(summary) ?? [];
  if (what === undefined || fields === undefined) return { what: summary, others: undefined };
  // A change of the field `license_type_id` has the name `license_type` in `changes`, because the log shows the type's name.
  const shown = new Set(changes.flatMap(({ field }) => [field, `${field}_id`]));
  const others = fields
    .split(', ')
    .filter((field) => !IMPLIED.has(field) && !shown.has(field) && field !== 'status')
    .map(wordsOf);
  return { what, others: others.length === 0 ? undefined : others.join(', ') };
}

/** The description of an audit entry, with the old and new values of the changed fields. */
function What({ entry }: { entry: AuditEntry }) {
  const { what, others } = inWords(entry);
  return (
    <div className={classes['what']} title={entry.action}>
      {/* The text comes from the service, always in English. */}
      <bdi lang="en">{what}</bdi>
      {(entry.changes.length > 0 || others !== undefined) && (
        <ul className={classes['changes']}>
          {entry.changes.map(({ field, before, after }) => (
            <li key={field}>
              {capitalized(wordsOf(field))}: <bdi>{valueWords(field, before)}</bdi> → <bdi>{valueWords(field, after)}</bdi>
            </li>
          ))}
          {others !== undefined && <li>{t('Changed: {fields}', { fields: others })}</li>}
        </ul>
      )}
    </div>
  );
}

/** The product that an entry is about. */
const OfProduct = ({ id }: { id: number }) => (
  <Link to={href(`/products/${id}`)}>
    <bdi>{useProductName(id)}</bdi>
  </Link>
);

/** What an entry is about, if it is neither a license nor a product: an admin token by its name, or the text of the entry. */
function OfTarget({ target }: { target: string | null }) {
  const tokens = useTokens();
  const id = /^token\/(\d+)$/.exec(target ?? '')?.[1];
  const token = tokens.data?.pages.flatMap(({ rows }) => rows).find((row) => String(row.id) === id);
  return (
    <bdi className={tableClasses['cut']} title={target ?? undefined}>
      {token ? t('Token {name}', { name: token.name }) : (target ?? t('The deployment'))}
    </bdi>
  );
}

/** The key and the buyer of the license that an entry is about. */
const OfLicense = ({ id, licenseKey, buyer }: { id: number; licenseKey: string | null; buyer: string | null }) => (
  <span className={classes['license']}>
    <Link to={href(`/licenses/${id}`)} className={licenseKey === null ? undefined : tableClasses['mono']}>
      {licenseKey ?? t('License {id}', { id: String(id) })}
    </Link>
    {buyer !== null && (
      <bdi className={classes['buyer']} title={buyer}>
        {buyer}
      </bdi>
    )}
  </span>
);

/** Entries of the audit log. The name of an actor links to all entries of that actor. */
function Entries({
  entries,
  filter,
  productId,
  busy,
}: {
  entries: readonly AuditEntry[];
  filter: AuditFilter;
  productId: number | undefined;
  busy: boolean;
}) {
  return (
    <Table
      label={t('Audit log')}
      items={entries}
      id={({ id }) => id}
      busy={busy}
      columns={[
        { name: t('What'), cell: (entry) => <What entry={entry} /> },
        {
          name: t('Who'),
          cell: ({ actor, actor_name: name }) => (
            <Link to={auditAddress({ ...filter, actor }, productId)}>
              <bdi>{actorName(name)}</bdi>
            </Link>
          ),
        },
        {
          name: t('About'),
          cell: ({ license_id: license, license_key: key = null, customer_email: buyer = null, product_id: product, target }) =>
            license !== null ? (
              <OfLicense id={license} licenseKey={key} buyer={buyer} />
            ) : product !== null ? (
              <OfProduct id={product} />
            ) : (
              <OfTarget target={target} />
            ),
        },
        {
          name: t('From'),
          extra: true,
          cell: ({ source_ip: address, user_agent: agent }) => (
            <bdi className={tableClasses['dim']} title={agent ?? undefined}>
              {address ?? t('No request')}
            </bdi>
          ),
        },
        {
          name: t('Request'),
          extra: true,
          cell: ({ request_id: request }) =>
            request === null ? (
              <Dim>{t('None')}</Dim>
            ) : (
              <span className={tableClasses['copied']}>
                <code className={classes['request']} title={request}>
                  {request}
                </code>
                <CopyButton text={request} what={t('request id')} />
              </span>
            ),
        },
        { name: t('When'), clear: true, cell: ({ at }) => <Ago at={at} /> },
      ]}
    />
  );
}

/** The choices for the filter by actor: all admin tokens, and the actors of the entries that are shown. */
function useActors(entries: readonly AuditEntry[], chosen: string | undefined): { value: string; label: string }[] {
  const tokens = useTokens();
  const names = new Map<string, string>([['deployment', actorName('deployment')]]);
  for (const { id, name } of tokens.data?.pages.flatMap(({ rows }) => rows) ?? []) names.set(String(id), name);
  for (const { actor, actor_name: name } of entries) if (!names.has(actor)) names.set(actor, actorName(name));
  if (chosen !== undefined && !names.has(chosen)) names.set(chosen, chosen);
  return [...names].map(([value, label]) => ({ value, label }));
}

const actions = Object.entries(AUDITED_ACTIONS)
  .map(([value, label]) => ({ value, label }))
  .sort((a, b) => a.label.localeCompare(b.label));

/** The filters of the log. Each change of a filter adds an entry to the browser's history. */
function Filters({ filter, productId, entries }: { filter: AuditFilter; productId: number | undefined; entries: readonly AuditEntry[] }) {
  const actors = useActors(entries, filter.actor);
  const show = (change: Partial<AuditFilter>): void => go(auditAddress({ ...filter, ...change }, productId));
  const words = [
    ...(productId === undefined && filter.product ? [t('product {id}', { id: filter.product })] : []),
    ...(filter.license ? [t('license {id}', { id: filter.license })] : []),
  ];
  const isFiltered = words.length > 0 || filter.actor || filter.action || filter.days?.from || filter.days?.to;
  return (
    <div className={classes['filters']} role="group" aria-label={t('Filters')}>
      <NativeSelect
        size="xs"
        label={t('Action')}
        value={filter.action ?? ''}
        onChange={(event) => show({ action: event.currentTarget.value || undefined })}
      >
        <option value="">{t('Any action')}</option>
        {actions.map(({ value, label }) => (
          <option key={value} value={value} lang="en">
            {label}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        size="xs"
        label={t('Person or service')}
        value={filter.actor ?? ''}
        onChange={(event) => show({ actor: event.currentTarget.value || undefined })}
        data={[{ value: '', label: t('Anyone') }, ...actors]}
      />
      <DayFields label={t('Period')} range={filter.days} onChange={(days) => show({ days })} />
      {isFiltered && (
        <Row>
          {words.length > 0 && <span>{t('Only {objects}.', { objects: words.join(', ') })}</span>}
          <Link to={auditAddress({}, productId)}>{t('Show everything')}</Link>
        </Row>
      )}
    </div>
  );
}

/** @param productId undefined for the log of all products */
function Log({ filter, productId }: { filter: AuditFilter; productId?: number }) {
  const asked = productId === undefined ? filter : { ...filter, product: String(productId) };
  const query = useAudit(asked);
  const entries = query.data?.pages.flatMap(({ rows }) => rows);
  const isFiltered = JSON.stringify(filter) !== JSON.stringify({ days: {} });
  return (
    <Panel
      title={t('Changes')}
      action={<ExportButton size="xs" file={exportName('audit-log', 'csv')} read={(signal) => exportAudit(asked, signal)} />}
    >
      <Filters filter={filter} productId={productId} entries={entries ?? []} />
      <LoadedPages
        query={query}
        empty={
          isFiltered ? (
            <Empty icon={<SearchIcon size={26} />} title={t('No changes match these filters')}>
              {t('Entries are kept for 400 days.')}
            </Empty>
          ) : (
            <Empty icon={<HistoryIcon size={26} />} title={t('No changes yet')}>
              {t('Every change by an operator or a payment processor is listed here for 400 days.')}
            </Empty>
          )
        }
      >
        {(rows) =>
          rows.length > 0 ? (
            <Entries entries={rows} filter={filter} productId={productId} busy={query.isPlaceholderData} />
          ) : (
            query.hasNextPage && <p>{t('No matches so far. There are more entries to search.')}</p>
          )
        }
      </LoadedPages>
    </Panel>
  );
}

export function AuditPage({ query }: { query: URLSearchParams }) {
  return (
    <>
      <PageHead title={t('Audit log')}>{t('Who changed what, newest first. Entries are kept for 400 days.')}</PageHead>
      <Log filter={filterOf(query)} />
    </>
  );
}

export function ProductAuditPage({ productId, query }: { productId: number; query: URLSearchParams }) {
  const name = useProductName(productId);
  return (
    <>
      <PageHead title={t('Audit log')} back={{ to: href(`/products/${productId}`), label: name }}>
        {t('Who changed what in this product and its licenses, newest first. Entries are kept for 400 days.')}
      </PageHead>
      <Log filter={filterOf(query)} productId={productId} />
    </>
  );
}
