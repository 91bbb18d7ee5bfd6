import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { DAY_MS, dateOf } from '../../../lambdas/domain/time';
import type { Product, ProductOverview } from '../api';
import { dayName, number, plural } from '../format';
import { May } from '../permission';
import { useAllProducts, useDailyNumbers, useOverviews, useProducts } from '../queries';
import { href, Link } from '../router';
import { CopyButton } from '../ui/copy-button';
import { BoxIcon, PlusIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { useSeen } from '../ui/seen';
import { Empty, LeftOut, Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { DailyCharts, DailyHead, dayList, spanOf, spanQuery, type Daily } from './daily';
import { NewProduct } from './new-product';
import classes from './products.module.css';

interface Line extends Product {
  readonly numbers: ProductOverview | undefined;
}

/** Products with a failing webhook come first, because somebody must act on them. */
const byNeed = (a: Line, b: Line): number =>
  Number((b.numbers?.failed_deliveries ?? 0) > 0) - Number((a.numbers?.failed_deliveries ?? 0) > 0);

function Products({ products, pages }: { products: readonly Product[]; pages: number }) {
  const { data, isPending } = useOverviews(pages);
  const lines = products.map((product): Line => ({ ...product, numbers: data.get(product.id) })).sort(byNeed);
  const instead = <span className={tableClasses['dim']}>{isPending ? '…' : 'Unknown'}</span>;
  return (
    <Table
      label="Products"
      items={lines}
      id={({ id }) => id}
      href={({ id }) => href(`/products/${id}`)}
      columns={[
        {
          name: 'Product',
          cell: ({ id, name }) => (
            <Link to={href(`/products/${id}`)} className={tableClasses['link']}>
              <Name>{name}</Name>
            </Link>
          ),
        },
        { name: 'Id', right: true, extra: true, cell: ({ id }) => <span className={tableClasses['dim']}>{id}</span> },
        {
          name: 'Slug',
          clear: true,
          cell: ({ slug }) => (
            <span className={tableClasses['copied']}>
              <code className={tableClasses['cut']} title={slug}>
                {slug}
              </code>
              <CopyButton text={slug} what="slug" />
            </span>
          ),
        },
        { name: 'Active licenses', right: true, cell: ({ numbers }) => (numbers ? number(numbers.licenses.active) : instead) },
        {
          name: 'Failed deliveries',
          right: true,
          cell: ({ id, numbers }) =>
            !numbers ? (
              instead
            ) : numbers.failed_deliveries > 0 ? (
              <Link
                to={href(`/products/${id}/webhooks`, { status: 'failed' })}
                className={tableClasses['alarm']}
                title="In the last 30 days"
              >
                {plural(numbers.failed_deliveries, 'failure')}
              </Link>
            ) : (
              <span className={tableClasses['dim']}>None</span>
            ),
        },
        { name: 'Created', extra: true, cell: ({ created_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}

const isDaily = (text: string | null): text is Daily => text === 'issued' || text === 'renewed' || text === 'expiring';

const dayTitles: Readonly<Record<Daily, string>> = { issued: 'Issued on', renewed: 'Renewed on', expiring: 'Expiring on' };

/** The numbers of one day of the charts, by product. */
function DayOfProducts({ what, date, numbers }: { what: Daily; date: string; numbers: readonly ProductOverview[] }) {
  const names = new Map(useAllProducts().map(({ id, name }) => [id, name]));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [what, date]);
  const countOf = ({ days = [], expiring_days: ahead = [] }: ProductOverview): number =>
    what === 'expiring' ? (ahead.find((day) => day.date === date)?.expiring ?? 0) : (days.find((day) => day.date === date)?.[what] ?? 0);
  const rows = numbers
    .map((row) => ({ id: row.product_id, count: countOf(row) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return (
    <div ref={box}>
      <Panel title={`${dayTitles[what]} ${dayName(date)}`}>
        <ul className={classes['products']}>
          {rows.map(({ id, count }) => (
            <li key={id}>
              <Link
                to={
                  what === 'renewed' ? href(`/products/${id}/webhooks`, { day: date, event: 'license.renewed' }) : dayList(id, what, date)
                }
              >
                <bdi>{names.get(id) ?? `Product ${id}`}</bdi>
              </Link>{' '}
              <strong>{number(count)}</strong>
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

/** The numbers of all products together by day. A bar shows its numbers by product. */
function DayByDay({ query }: { query: URLSearchParams }) {
  const span = spanOf(query.get('days'));
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  const numbers = useDailyNumbers(span, isSeen);
  const what = query.get('chart');
  const date = query.get('day');
  const now = Date.now();
  const dates = (first: number): string[] => Array.from({ length: span }, (_, place) => dateOf(now + (first + place) * DAY_MS));
  return (
    <Stack>
      <div ref={ref}>
        <DailyHead title="All products, day by day" span={span} to={(days) => href('/', { days: spanQuery(days) })} />
      </div>
      <Loaded query={numbers} lines={6}>
        {(rows) => {
          const happened = rows.flatMap(({ days = [] }) => days);
          const ahead = rows.flatMap(({ expiring_days: days = [] }) => days);
          const [issued, renewed, expiring] = [totals(happened, 'issued'), totals(happened, 'renewed'), totals(ahead, 'expiring')];
          const capped = new Set(ahead.flatMap((day) => (day.capped ? [day.date] : [])));
          return (
            <>
              <DailyCharts
                days={dates(1 - span).map((day) => ({ date: day, issued: issued.get(day) ?? 0, renewed: renewed.get(day) ?? 0 }))}
                ahead={dates(0).map((day) => ({ date: day, expiring: expiring.get(day) ?? 0, capped: capped.has(day) }))}
                linkOf={(chart, day) => href('/', { days: spanQuery(span), chart, day })}
              />
              {isDaily(what) && date !== null && <DayOfProducts what={what} date={date} numbers={rows} />}
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}

/** Adds up a number over all products, by day. */
function totals<Name extends string>(
  rows: readonly (Readonly<Record<Name, number>> & { readonly date: string })[],
  name: Name,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.date, (sums.get(row.date) ?? 0) + row[name]);
  return sums;
}

export function ProductsPage({ query: address }: { query: URLSearchParams }) {
  const query = useProducts();
  const [creating, setCreating] = useState(false);
  const products = query.data?.pages.flatMap(({ rows }) => rows);
  const unreadable = query.data?.pages.reduce((sum, page) => sum + page.unreadable, 0) ?? 0;
  const create = (
    <May call="createProduct">
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
        New product
      </Button>
    </May>
  );
  return (
    <>
      <PageHead title="Products" action={products && products.length > 0 && create}>
        The products that you sell licenses for. Each has its own keys, license types and webhook.
      </PageHead>
      <Stack>
        <Panel>
          <Loaded query={{ ...query, data: products }}>
            {(rows) =>
              rows.length === 0 && unreadable === 0 ? (
                <Empty icon={<BoxIcon size={26} />} title="No products yet" action={create}>
                  Create a product to get its API key for your app, and the public key that verifies offline tokens.
                </Empty>
              ) : (
                <>
                  <LeftOut count={unreadable} />
                  {rows.length > 0 && <Products products={rows} pages={query.data?.pages.length ?? 1} />}
                </>
              )
            }
          </Loaded>
          {query.hasNextPage && (
            <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
              Show more
            </Button>
          )}
        </Panel>
        {products && products.length > 0 && <DayByDay query={address} />}
      </Stack>
      <NewProduct opened={creating} onClose={() => setCreating(false)} />
    </>
  );
}
