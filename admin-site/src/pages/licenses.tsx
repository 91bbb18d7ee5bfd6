import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { License } from '../api';
import { exportName } from '../download';
import { dayOf, duration, isLimited, isUtcDay, shortCoverage, shownStatus } from '../format';
import { licenseColumnNames, prefer, usePreferences, usualLicenseColumns, type LicenseColumnName } from '../preferences';
import type { DayRange } from '../queries/days';
import {
  exportLicenses,
  licenseSorts,
  licensesToChoose,
  PAGE_ROWS,
  useLicenses,
  type LicenseFilter,
  type LicenseSort,
  type SeatsFilter,
  type StatusFilter,
  isSearchable,
} from '../queries/license-list';
import { useOverview } from '../queries/overview';
import { useProduct, useProductName, useProductSlug, useTypes } from '../queries/products';
import { go, href, Link } from '../router';
import { number, plural, t } from '../texts';
import { Act } from '../ui/act';
import { Check } from '../ui/check';
import { CopyButton } from '../ui/copy-button';
import { DayFields } from '../ui/day-fields';
import { Dialog, DialogActions } from '../ui/dialog';
import { FilterIcon, KeyIcon, LayersIcon, PlusIcon, SearchIcon, UploadIcon } from '../ui/icons';
import { Dim, PageHead, Panel, Stack } from '../ui/page';
import { Pager } from '../ui/pager';
import { Seats } from '../ui/seats';
import { Empty, Failed, LeftOut, Loaded, Loading, Working } from '../ui/states';
import { Status } from '../ui/status';
import { Name, Table, tableClasses, type Column, type Selection } from '../ui/table';
import { Ago, Expiry } from '../ui/time';
import { useNewDialog } from '../use-new-dialog';
import { BulkActions, BulkDialog, type BulkRun } from './bulk-actions';
import { ExportButton } from './export-button';
import { ImportLicenses } from './import-licenses';
import { IssueMany } from './issue-many';
import { NewLicense } from './new-license';
import { SavedFilters } from './saved-filters';
import classes from './licenses.module.css';

/** The titles of the columns that can be hidden. */
const columnTitles: Readonly<Record<LicenseColumnName, string>> = {
  Id: t('Id'),
  Status: t('Status'),
  Covers: t('Covers'),
  Expiry: t('Expiry'),
  Issued: t('Issued'),
  Buyer: t('Buyer'),
  Type: t('Type'),
  Seats: t('Seats'),
};
const titled = (id: LicenseColumnName) => ({ id, name: columnTitles[id] });

const statuses = ['active', 'suspended', 'expired', 'revoked'] as const;
const choices: readonly { readonly value: StatusFilter; readonly label: string }[] = [
  { value: 'active', label: t('Active') },
  { value: 'expiring', label: t('Expiring within 30 days') },
  { value: 'pending', label: t('Not started yet') },
  { value: 'suspended', label: t('Suspended') },
  { value: 'expired', label: t('Expired') },
  { value: 'revoked', label: t('Revoked') },
];
const statusOf = (text: string | null): StatusFilter | undefined => choices.find(({ value }) => value === text)?.value;
const seatsOf = (text: string | null): SeatsFilter | undefined => (text === 'full' || text === 'unused' ? text : undefined);
/** The choices of the filter for devices that were not seen for a number of days. */
const unseenDays = [30, 90, 365] as const;
const unseenOf = (text: string | null): number | undefined => unseenDays.find((days) => String(days) === text);
const rangeOf = (query: URLSearchParams, name: string): DayRange => ({
  from: dayOf(query.get(`${name}_from`)),
  to: dayOf(query.get(`${name}_to`)),
});

/** Filters are part of the page's URL, so that a view can be bookmarked and sent to a colleague. */
const filterOf = (query: URLSearchParams): LicenseFilter => ({
  search: query.get('q') ?? '',
  status: statusOf(query.get('status')),
  type: query.get('type') ?? undefined,
  seats: seatsOf(query.get('seats')),
  member: query.get('member') ?? undefined,
  unseen: unseenOf(query.get('unseen')),
  issued: rangeOf(query, 'issued'),
  expires: rangeOf(query, 'expires'),
  sort: licenseSorts.find((sort) => sort === query.get('sort')),
});

/** A filter as query parameters of the page. */
const addressOf = ({
  search,
  status,
  type,
  seats,
  member,
  unseen,
  issued,
  expires,
  sort,
}: LicenseFilter): Readonly<Record<string, string | undefined>> => ({
  q: search,
  status,
  type,
  seats,
  member,
  unseen: unseen === undefined ? undefined : String(unseen),
  issued_from: issued?.from,
  issued_to: issued?.to,
  expires_from: expires?.from,
  expires_to: expires?.to,
  sort,
});

const given = (query: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''));

const hasDays = ({ from, to }: DayRange = {}): boolean => from !== undefined || to !== undefined;
/** The number of active filters that are hidden under "More filters". */
const countMore = ({ seats, member, unseen, issued, expires }: LicenseFilter): number =>
  [seats !== undefined, member !== undefined, unseen !== undefined, hasDays(issued), hasDays(expires)].filter(Boolean).length;
const isNarrowed = (filter: LicenseFilter): boolean =>
  filter.search !== '' || filter.status !== undefined || filter.type !== undefined || countMore(filter) > 0;

/** A table of licenses; the search over all products uses it too. */
export function LicenseTable({
  licenses,
  busy = false,
  label,
  selection,
  sort,
}: {
  licenses: readonly License[];
  busy?: boolean;
  label: string;
  selection?: Selection<License>;
  sort?: { readonly sorted: 'ascending' | 'descending' | 'none'; readonly onSort: () => void };
}) {
  const { licenseColumns: chosen } = usePreferences();
  const columns: readonly (Column<License> & { readonly id: LicenseColumnName })[] = [
    { ...titled('Id'), right: true, cell: ({ id }) => <Dim>{id}</Dim> },
    { ...titled('Status'), clear: true, cell: (license) => <Status status={shownStatus(license)} /> },
    ...(chosen?.includes('Covers') || licenses.some(isLimited)
      ? [
          {
            ...titled('Covers'),
            extra: chosen === null,
            cell: (license: License) => <Name>{shortCoverage(license)}</Name>,
          } as const,
        ]
      : []),
    { ...titled('Expiry'), ...(sort && { sort }), cell: (license) => <Expiry license={license} /> },
    { ...titled('Issued'), cell: ({ created_at: at }) => <Ago at={at} /> },
    {
      ...titled('Buyer'),
      clear: true,
      cell: ({ customer_email: email }) =>
        email === null ? (
          <Dim>{t('No buyer')}</Dim>
        ) : (
          <span className={`${tableClasses['copied'] ?? ''} ${classes['buyer'] ?? ''}`}>
            <bdi className={tableClasses['cut']} title={email}>
              {email}
            </bdi>
            <CopyButton text={email} what={t('e-mail')} />
          </span>
        ),
    },
    { ...titled('Type'), clear: true, cell: ({ license_type: { name } }) => <Name>{name}</Name> },
    { ...titled('Seats'), cell: ({ seats }) => <Seats seats={seats} /> },
  ];
  const shown = columns.filter(({ id }) => (chosen ?? usualLicenseColumns).includes(id));
  return (
    <Table
      label={label}
      items={licenses}
      id={({ id }) => id}
      href={({ id }) => href(`/licenses/${id}`)}
      selection={selection}
      busy={busy}
      columns={[
        {
          name: t('Key'),
          cell: ({ id, key }) => (
            <span className={tableClasses['copied']}>
              <Link to={href(`/licenses/${id}`)} className={`${tableClasses['link'] ?? ''} ${tableClasses['mono'] ?? ''}`}>
                {key}
              </Link>
              <CopyButton text={key} what={t('license key')} />
            </span>
          ),
        },
        ...shown,
      ]}
    />
  );
}

/** Lets the operator choose the columns of the list. The choice applies to all products. */
function Columns() {
  const { licenseColumns: chosen } = usePreferences();
  const [opened, setOpened] = useState(false);
  const shown = chosen ?? usualLicenseColumns;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('Choose columns')}
      </Button>
      <Dialog title={t('Columns')} opened={opened} onClose={() => setOpened(false)}>
        <Stack>
          <div className={classes['columns']}>
            {licenseColumnNames.map((name) => (
              <Check
                key={name}
                label={columnTitles[name]}
                checked={shown.includes(name)}
                onChange={(isShown) =>
                  prefer({ licenseColumns: licenseColumnNames.filter((one) => (one === name ? isShown : shown.includes(one))) })
                }
              />
            ))}
          </div>
          <DialogActions>
            {chosen !== null && (
              <Button variant="default" onClick={() => prefer({ licenseColumns: null })}>
                {t('Show the usual columns')}
              </Button>
            )}
            <Button onClick={() => setOpened(false)}>{t('Done')}</Button>
          </DialogActions>
        </Stack>
      </Dialog>
    </>
  );
}

/** The sort orders of the list. What a search has found is not sorted by expiry. */
const orders: readonly { readonly value: LicenseSort | ''; readonly label: string }[] = [
  { value: '', label: t('Newest first') },
  { value: 'created_at', label: t('Oldest first') },
  { value: 'expires_at', label: t('Earliest expiry first') },
  { value: '-expires_at', label: t('Latest expiry first') },
];

/** The filter by the e-mail address of a member. It applies when the operator leaves the field or presses Enter. */
function MemberField({ member, onChange }: { member: string; onChange: (member: string | undefined) => void }) {
  const [text, setText] = useState(member);
  const apply = (): void => {
    if (text.trim() !== member) onChange(text.trim() || undefined);
  };
  return (
    <TextInput
      size="xs"
      label={t('Member')}
      placeholder={t('Whole e-mail')}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        apply();
      }}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

/** The filters that are hidden at first. */
function MoreFilters({
  productId,
  filter,
  show,
}: {
  productId: number;
  filter: LicenseFilter;
  show: (change: Partial<LicenseFilter>) => void;
}) {
  const isSearch = filter.search !== '';
  const isByExpiry = !isSearch && (filter.status === 'expired' || filter.status === 'expiring');
  const usual = !isByExpiry ? '' : filter.status === 'expiring' ? 'expires_at' : '-expires_at';
  const choices = orders.filter(({ value }) => (isSearch ? !value.includes('expires_at') : !isByExpiry || value.includes('expires_at')));
  return (
    <div className={classes['more']} role="group" aria-label={t('More filters')}>
      <NativeSelect
        size="xs"
        label={t('Order')}
        value={choices.find(({ value }) => value === filter.sort)?.value ?? usual}
        onChange={({ currentTarget: { value } }) => show({ sort: licenseSorts.find((sort) => sort === value) })}
        data={[...choices]}
      />
      <NativeSelect
        size="xs"
        label={t('Seats')}
        value={filter.seats ?? ''}
        onChange={(event) => show({ seats: seatsOf(event.currentTarget.value) })}
        data={[
          { value: '', label: t('Any') },
          { value: 'full', label: t('Full') },
          { value: 'unused', label: t('Unused') },
        ]}
      />
      <MemberField key={filter.member} member={filter.member ?? ''} onChange={(member) => show({ member })} />
      <NativeSelect
        size="xs"
        label={t('Devices')}
        value={filter.unseen ?? ''}
        onChange={(event) => show({ unseen: unseenOf(event.currentTarget.value) })}
        data={[
          { value: '', label: t('Any') },
          ...unseenDays.map((days) => ({ value: String(days), label: t('None seen for {duration}', { duration: duration(days) }) })),
        ]}
      />
      <DayFields label={t('Issued')} range={filter.issued} onChange={(issued) => show({ issued })} />
      <DayFields label={t('Expires')} range={filter.expires} onChange={(expires) => show({ expires })} />
      {countMore(filter) > 0 && (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => show({ seats: undefined, member: undefined, unseen: undefined, issued: {}, expires: {} })}
        >
          {t('Clear these filters')}
        </Button>
      )}
      <SavedFilters productId={productId} query={given(addressOf(filter))} />
      <Columns />
      <p className={classes['cost']}>
        {[filter.issued, filter.expires].some((range) => isUtcDay(range?.from) || isUtcDay(range?.to))
          ? t('These days are UTC, like those of the charts.')
          : t('Days are in your time zone.')}{' '}
        {t(
          'For a filter by seats, devices or day of issue, the service reads every license. In a long list, you may have to continue the search several times.',
        )}
      </p>
    </div>
  );
}

/** Shows the filters of the list. Each change of a filter adds an entry to the browser's history. */
function Filters({ productId, filter }: { productId: number; filter: LicenseFilter }) {
  const types = useTypes(productId);
  const [text, setText] = useState(filter.search);
  const more = countMore(filter);
  // Active filters are shown until the operator hides them.
  const [unfolded, setUnfolded] = useState<boolean>();
  const opened = unfolded ?? more > 0;
  useEffect(() => setText(filter.search), [filter.search]);
  const show = (change: Partial<LicenseFilter>): void => {
    go(href(`/products/${productId}/licenses`, addressOf({ ...filter, ...change })));
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    show({ search: text.trim() });
  };
  const onChange = (value: string): void => {
    setText(value);
    // When the field becomes empty, the search ends immediately. For any other text, the search starts only when the form is submitted.
    if (value.trim() === '') show({ search: '' });
  };
  return (
    <form role="search" aria-label={t('Licenses of this product')} className={classes['filters']} onSubmit={onSubmit}>
      <TextInput
        type="search"
        className={classes['text'] ?? ''}
        aria-label={t('Key, e-mail, name, order or device')}
        placeholder={t('Key, e-mail, name, order…')}
        maxLength={200}
        leftSection={<SearchIcon size={16} />}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        data-search
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit" variant="default">
        {t('Search')}
      </Button>
      <NativeSelect
        className={classes['choice'] ?? ''}
        aria-label={t('Status')}
        value={filter.status ?? ''}
        onChange={(event) => show({ status: statusOf(event.currentTarget.value) })}
        data={[{ value: '', label: t('Any status') }, ...choices]}
      />
      <NativeSelect
        className={classes['choice'] ?? ''}
        aria-label={t('License type')}
        value={filter.type ?? ''}
        onChange={(event) => show({ type: event.currentTarget.value === '' ? undefined : event.currentTarget.value })}
        data={[{ value: '', label: t('Any type') }, ...(types.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))]}
      />
      <Button variant="default" leftSection={<FilterIcon size={16} />} aria-expanded={opened} onClick={() => setUnfolded(!opened)}>
        {more > 0 ? t('More filters ({count})', { count: String(more) }) : t('More filters')}
      </Button>
      {opened && <MoreFilters productId={productId} filter={filter} show={show} />}
    </form>
  );
}

/** Says what a search finds. */
export const searchHint = (): string =>
  t(
    'The search finds licenses by the beginning of a key, an e-mail address, a word of a name or company, an order id or a device name; by a domain, such as @northwind.example; or by a whole device fingerprint.',
  );

/** The current page of the list, from the page's URL. */
interface Place {
  readonly cursor: string | undefined;
  /** The page's number, starting at 1. */
  readonly page: number;
  /** The cursors of the previous pages. Empty if the operator opened this page directly, for example from a bookmark. */
  readonly trail: readonly string[];
}

interface Listed {
  readonly productId: number;
  readonly filter: LicenseFilter;
  readonly place: Place;
  readonly create: ReactNode;
}

/** The selected licenses by their ids. */
type Chosen = ReadonlyMap<number, License>;

function Results(listed: Listed) {
  const [run, setRun] = useState<BulkRun>();
  const [chosen, setChosen] = useState<Chosen>(new Map());
  // The licenses stay selected after an action, so the selection gets their new values for the next action.
  const onChanged = (licenses: readonly License[]): void =>
    setChosen((before) => {
      const changed = new Map(licenses.map((license) => [license.id, license]));
      return new Map([...before].map(([id, license]) => [id, changed.get(id) ?? license]));
    });
  return (
    <>
      <List {...listed} chosen={chosen} setChosen={setChosen} onRun={setRun} />
      <BulkDialog run={run} productId={listed.productId} onChanged={onChanged} onClose={() => setRun(undefined)} />
    </>
  );
}

function List({
  productId,
  filter,
  place,
  create,
  chosen,
  setChosen,
  onRun,
}: Listed & { chosen: Chosen; setChosen: (chosen: Chosen) => void; onRun: (run: BulkRun) => void }) {
  const { cursor, page, trail } = place;
  const query = useLicenses(productId, filter, cursor);
  const overview = useOverview(productId);
  const top = useRef<HTMLDivElement>(null);
  const isFiltered = isNarrowed(filter);

  if (query.error && !query.data) return <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />;
  if (!query.data) return <Loading lines={8} />;
  const { rows, next, unreadable } = query.data;
  if (rows.length === 0 && unreadable === 0 && page === 1 && next === undefined) {
    return isFiltered ? (
      <Empty
        icon={<SearchIcon size={26} />}
        title={t('No licenses match these filters')}
        action={<Link to={href(`/products/${productId}/licenses`)}>{t('Show all licenses')}</Link>}
      >
        {filter.search !== '' && (isSearchable(filter.search) ? searchHint() : t('A search needs at least 3 characters.'))}
      </Empty>
    ) : (
      <Empty icon={<KeyIcon size={26} />} title={t('No licenses yet')} action={create}>
        {t('Issue a license here, or let your shop issue licenses through the API.')}
      </Empty>
    );
  }
  const before = (page - 1) * PAGE_ROWS;
  const all = overview.data?.licenses.reduce((sum, row) => sum + statuses.reduce((total, status) => total + row[status], 0), 0) ?? 0;
  const range = `${number(before + 1)}–${number(before + rows.length)}`;
  const show = (to: { cursor?: string | undefined; page: number; trail: readonly string[] }): void => {
    go(
      href(`/products/${productId}/licenses`, {
        ...addressOf(filter),
        cursor: to.cursor,
        page: to.cursor === undefined ? undefined : String(to.page),
      }),
      to.trail,
    );
    // Scroll to the top of the new page.
    top.current?.scrollIntoView({ block: 'start' });
    top.current?.focus({ preventScroll: true });
  };
  const isSoonest = filter.sort === 'expires_at' || (filter.status === 'expiring' && filter.sort !== '-expires_at');
  const isLatest = filter.sort === '-expires_at' || (filter.status === 'expired' && filter.sort !== 'expires_at');
  // Expired licenses are always sorted by expiry, so the button only changes the direction.
  const nextSort = isSoonest ? '-expires_at' : isLatest && filter.status !== 'expired' ? undefined : 'expires_at';
  const sort = {
    sorted: isSoonest ? ('ascending' as const) : isLatest ? ('descending' as const) : ('none' as const),
    onSort: () => go(href(`/products/${productId}/licenses`, addressOf({ ...filter, sort: nextSort }))),
  };
  const selection: Selection<License> = {
    chosen: new Set(chosen.keys()),
    nameOf: ({ key }) => t('license {key}', { key }),
    onChange: (ids) =>
      setChosen(new Map([...chosen, ...rows.map((license) => [license.id, license] as const)].filter(([id]) => ids.has(id)))),
  };
  const chooseAll = async (onProgress: (count: number) => void, signal: AbortSignal): Promise<void> =>
    setChosen(new Map((await licensesToChoose(productId, filter, onProgress, signal)).map((license) => [license.id, license])));
  return (
    <div ref={top} tabIndex={-1} className={classes['results']}>
      {query.error && <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />}
      {query.isPlaceholderData && <Working>{t('Searching…')}</Working>}
      <LeftOut count={unreadable} />
      {chosen.size > 0 && (
        <BulkActions
          productId={productId}
          licenses={[...chosen.values()]}
          onRun={onRun}
          onAll={page > 1 || next !== undefined ? chooseAll : undefined}
          onClear={() => setChosen(new Map())}
        />
      )}
      {rows.length > 0 ? (
        <LicenseTable
          label={t('Licenses')}
          licenses={rows}
          busy={query.isPlaceholderData}
          selection={selection}
          {...(filter.search === '' && { sort })}
        />
      ) : (
        next !== undefined && <p>{t('No matches so far. There are more licenses to search.')}</p>
      )}
      {(page > 1 || next !== undefined || rows.length > 5) && (
        <Pager
          words={
            rows.length === 0
              ? t('No licenses on this page')
              : page > 1 || next !== undefined
                ? !isFiltered && all > rows.length
                  ? t('{range} of about {all}', { range, all: number(all) })
                  : range
                : plural(rows.length, '{count} license', '{count} licenses')
          }
          busy={query.isFetching && query.isPlaceholderData}
          previous={page > 2 && trail.length === 0 ? t('First page') : t('Previous')}
          onPrevious={
            page > 1
              ? () => show({ cursor: trail.at(-1) || undefined, page: trail.length === 0 ? 1 : page - 1, trail: trail.slice(0, -1) })
              : undefined
          }
          onNext={
            next !== undefined
              ? () => show({ cursor: next, page: page + 1, trail: page > 1 && trail.length === 0 ? [] : [...trail, cursor ?? ''] })
              : undefined
          }
        />
      )}
    </div>
  );
}

export function LicensesPage({ productId, query, trail }: { productId: number; query: URLSearchParams; trail: readonly string[] }) {
  const name = useProductName(productId);
  const product = useProduct(productId);
  const slug = useProductSlug(productId);
  const [creating, setCreating] = useNewDialog();
  const [issuing, setIssuing] = useNewDialog('many');
  const [importing, setImporting] = useNewDialog('import');
  const filter = filterOf(query);
  const cursor = query.get('cursor') ?? undefined;
  const place: Place = { cursor, page: cursor === undefined ? 1 : Math.max(2, Number(query.get('page')) || 2), trail };
  const create = (
    <Act call="createLicense" primary Icon={PlusIcon} onClick={() => setCreating(true)}>
      {t('New license')}
    </Act>
  );
  // A page of a product that does not exist shows only the error, without buttons.
  if (product.error && !product.data)
    return (
      <Loaded query={product} page={t('Licenses')}>
        {() => null}
      </Loaded>
    );
  return (
    <>
      <PageHead
        title={t('Licenses')}
        back={{ to: href(`/products/${productId}`), label: name }}
        action={
          <>
            <ExportButton file={exportName('licenses', 'csv', slug)} read={(signal) => exportLicenses(productId, filter, signal)} />
            <Act call="createLicense" Icon={UploadIcon} onClick={() => setImporting(true)}>
              {t('Import')}
            </Act>
            <Act call="createLicense" Icon={LayersIcon} onClick={() => setIssuing(true)}>
              {t('Issue many')}
            </Act>
            {create}
          </>
        }
      />
      <Panel>
        <Filters productId={productId} filter={filter} />
        <Results key={JSON.stringify(filter)} productId={productId} filter={filter} place={place} create={create} />
      </Panel>
      <NewLicense productId={productId} opened={creating} onClose={() => setCreating(false)} />
      <IssueMany productId={productId} opened={issuing} onClose={() => setIssuing(false)} />
      <ImportLicenses productId={productId} opened={importing} onClose={() => setImporting(false)} />
    </>
  );
}
