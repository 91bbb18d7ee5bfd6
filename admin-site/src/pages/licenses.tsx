import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useState, type FormEvent } from 'react';
import type { License } from '../api';
import { number, plural } from '../format';
import { PAGE_ROWS, useLicenses, useOverview, useProduct, useTypes, type LicenseFilter } from '../queries';
import { href, Link, replace } from '../router';
import { KeyIcon, PlusIcon, SearchIcon } from '../ui/icons';
import { PageHead, Panel } from '../ui/page';
import { Pager } from '../ui/pager';
import { Seats } from '../ui/seats';
import { Empty, Failed, Loaded, Loading, Working } from '../ui/states';
import { Status } from '../ui/status';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { NewLicense } from './new-license';
import classes from './licenses.module.css';

const statuses = ['active', 'expired', 'revoked'] as const;
const statusOf = (text: string | null): License['status'] | undefined => statuses.find((status) => status === text);

/** Licenses as rows; shared with the search over all products. */
export function LicenseTable({ licenses, busy = false, label }: { licenses: readonly License[]; busy?: boolean; label: string }) {
  return (
    <Table
      label={label}
      items={licenses}
      id={({ id }) => id}
      busy={busy}
      columns={[
        {
          name: 'Key',
          cell: ({ id, key }) => (
            <Link to={href(`/licenses/${id}`)} className={`${tableClasses['link'] ?? ''} ${tableClasses['mono'] ?? ''}`}>
              {key}
            </Link>
          ),
        },
        { name: 'Status', cell: ({ status }) => <Status status={status} /> },
        {
          name: 'Buyer',
          cell: ({ customer_email: email }) =>
            email === null ? (
              <span className={tableClasses['dim']}>None given</span>
            ) : (
              <bdi className={tableClasses['cut']} title={email}>
                {email}
              </bdi>
            ),
        },
        { name: 'Type', cell: ({ license_type: { name } }) => <Name>{name}</Name> },
        { name: 'Seats', cell: ({ seats }) => <Seats seats={seats} /> },
        {
          name: 'Expiry',
          cell: ({ expires_at: at }) => <span className={tableClasses['whole']}>{at === null ? 'Never' : <Ago at={at} />}</span>,
        },
      ]}
    />
  );
}

/** Filters live in the address, so that a view can be kept and sent to a colleague. */
function Filters({ productId, filter }: { productId: number; filter: LicenseFilter }) {
  const types = useTypes(productId);
  const [text, setText] = useState(filter.search);
  useEffect(() => setText(filter.search), [filter.search]);
  const show = (change: Partial<LicenseFilter>): void => {
    const { search, status, type } = { ...filter, ...change };
    replace(href(`/products/${productId}/licenses`, { q: search, status, type }));
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    show({ search: text.trim() });
  };
  const onChange = (value: string): void => {
    setText(value);
    // A pasted key or address is complete; what was emptied asks for everything.
    if (value.trim() === '') show({ search: '' });
  };
  return (
    <form role="search" aria-label="Licenses of this product" className={classes['filters']} onSubmit={onSubmit}>
      <TextInput
        type="search"
        className={classes['text'] ?? ''}
        aria-label="Key or e-mail"
        placeholder="Whole key or e-mail"
        leftSection={<SearchIcon size={16} />}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        data-search
        autoComplete="off"
        spellCheck={false}
      />
      <Button type="submit" variant="default">
        Search
      </Button>
      <NativeSelect
        className={classes['choice'] ?? ''}
        aria-label="Status"
        value={filter.status ?? ''}
        onChange={(event) => show({ status: statusOf(event.currentTarget.value) })}
        data={[{ value: '', label: 'Any status' }, ...statuses.map((status) => ({ value: status, label: status[0]?.toUpperCase() + status.slice(1) }))]}
      />
      <NativeSelect
        className={classes['choice'] ?? ''}
        aria-label="License type"
        value={filter.type ?? ''}
        onChange={(event) => show({ type: event.currentTarget.value === '' ? undefined : event.currentTarget.value })}
        data={[{ value: '', label: 'Any type' }, ...(types.data ?? []).map(({ id, name }) => ({ value: String(id), label: name }))]}
      />
    </form>
  );
}

function Results({ productId, filter, create }: { productId: number; filter: LicenseFilter; create: React.ReactNode }) {
  // Where each page up to the present one starts; the API knows only the next.
  const [starts, setStarts] = useState<readonly (string | undefined)[]>([undefined]);
  const query = useLicenses(productId, filter, starts.at(-1));
  const overview = useOverview(productId);
  const isFiltered = filter.search !== '' || filter.status !== undefined || filter.type !== undefined;

  if (query.error && !query.data) return <Failed error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  if (!query.data) return <Loading lines={8} />;
  const { rows, next } = query.data;
  if (rows.length === 0 && starts.length === 1 && next === undefined) {
    return isFiltered ? (
      <Empty icon={<SearchIcon size={26} />} title="No license fits" action={<Link to={href(`/products/${productId}/licenses`)}>Show all licenses</Link>}>
        Keys and addresses are looked up whole: check for missing characters. Case, spaces and hyphens don’t matter in a key.
      </Empty>
    ) : (
      <Empty icon={<KeyIcon size={26} />} title="No licenses yet" action={create}>
        Issue one by hand here, or let your shop issue them through the API.
      </Empty>
    );
  }
  const before = (starts.length - 1) * PAGE_ROWS;
  const all = overview.data?.licenses.reduce((sum, { active, expired, revoked }) => sum + active + expired + revoked, 0) ?? 0;
  const ofAll = !isFiltered && all > rows.length ? ` of about ${number(all)}` : '';
  return (
    <>
      {query.error && <Failed error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />}
      {query.isPlaceholderData && <Working>Looking…</Working>}
      {rows.length > 0 ? <LicenseTable label="Licenses" licenses={rows} busy={query.isPlaceholderData} /> : <p>None found so far: there are more licenses to look through.</p>}
      {(starts.length > 1 || next !== undefined || rows.length > 5) && (
        <Pager
          words={rows.length === 0 ? 'Nothing on this page' : starts.length > 1 || next !== undefined ? `${number(before + 1)}–${number(before + rows.length)}${ofAll}` : plural(rows.length, 'license')}
          busy={query.isFetching}
          onPrevious={starts.length > 1 ? () => setStarts(starts.slice(0, -1)) : undefined}
          onNext={next !== undefined ? () => setStarts([...starts, next]) : undefined}
        />
      )}
    </>
  );
}

export function LicensesPage({ productId, query }: { productId: number; query: URLSearchParams }) {
  const product = useProduct(productId);
  const [creating, setCreating] = useState(query.has('new'));
  const filter: LicenseFilter = { search: query.get('q') ?? '', status: statusOf(query.get('status')), type: query.get('type') ?? undefined };
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      New license
    </Button>
  );
  return (
    <Loaded query={product}>
      {({ name }) => (
        <>
          <PageHead title="Licenses" back={{ to: href(`/products/${productId}`), label: name }} action={create} />
          <Panel>
            <Filters productId={productId} filter={filter} />
            <Results key={JSON.stringify(filter)} productId={productId} filter={filter} create={create} />
          </Panel>
          <NewLicense productId={productId} opened={creating} onClose={() => setCreating(false)} />
        </>
      )}
    </Loaded>
  );
}
