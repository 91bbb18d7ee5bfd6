import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { ListedProduct } from '../api';
import { dayName } from '../format';
import { useMay } from '../permission';
import { useDayOfProducts, useDeploymentOverview } from '../queries/overview';
import { useAllProducts, useProducts } from '../queries/products';
import { href, Link } from '../router';
import { number, plural, t } from '../texts';
import { Act } from '../ui/act';
import { CopyButton } from '../ui/copy-button';
import { BoxIcon, PlusIcon } from '../ui/icons';
import { Dim, PageHead, Panel, Stack } from '../ui/page';
import { useSeen } from '../ui/seen';
import { Empty, LeftOut, Loaded, unreadableIn } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { useNewDialog } from '../use-new-dialog';
import { Attention } from './attention';
import { DailyCharts, DailyHead, dayList, spanOf, spanQuery, type Daily } from './daily';
import { NewProduct } from './new-product';
import classes from './products.module.css';

/** Products with a failing webhook come first, because somebody must act on them. */
const byNeed = (a: ListedProduct, b: ListedProduct): number =>
  Number((b.numbers?.failed_deliveries ?? 0) > 0) - Number((a.numbers?.failed_deliveries ?? 0) > 0);

function Products({ products }: { products: readonly ListedProduct[] }) {
  const expiring = useProducts('expiring', useMay()('getDeploymentOverview')).data?.pages[0]?.rows;
  // As in the overview of a product, a license whose expiry has passed is not active, even if its stored status is still `active`.
  const expiringOf = new Map(expiring?.map((product) => [product.id, product.expiring]));
  const lines = [...products].sort(byNeed);
  const instead = <Dim>{t('Unknown')}</Dim>;
  return (
    <Table
      label={t('Products')}
      items={lines}
      id={({ id }) => id}
      href={({ id }) => href(`/products/${id}`)}
      columns={[
        {
          name: t('Product'),
          cell: ({ id, name }) => (
            <Link to={href(`/products/${id}`)} className={tableClasses['link']}>
              <Name>{name}</Name>
            </Link>
          ),
        },
        { name: t('Id'), right: true, extra: true, cell: ({ id }) => <Dim>{id}</Dim> },
        {
          name: t('Slug'),
          clear: true,
          cell: ({ slug }) => (
            <span className={tableClasses['copied']}>
              <code className={tableClasses['cut']} title={slug}>
                {slug}
              </code>
              <CopyButton text={slug} what={t('slug')} />
            </span>
          ),
        },
        {
          name: t('Active licenses'),
          right: true,
          cell: ({ id, numbers }) => {
            const known = expiringOf.get(id);
            const most = known?.lapsed_capped ? '≤ ' : '';
            return numbers ? `${most}${number(Math.max(0, numbers.licenses.active - (known?.lapsed ?? 0)))}` : instead;
          },
        },
        {
          name: t('Failed deliveries'),
          right: true,
          cell: ({ id, numbers }) =>
            !numbers ? (
              instead
            ) : numbers.failed_deliveries > 0 ? (
              <Link
                to={href(`/products/${id}/webhooks`, { status: 'failed' })}
                className={tableClasses['alarm']}
                title={t('In the last 30 days')}
              >
                {plural(numbers.failed_deliveries, '{count} failure', '{count} failures')}
              </Link>
            ) : (
              <Dim>{t('None')}</Dim>
            ),
        },
        { name: t('Created'), extra: true, cell: ({ created_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}

/** The kinds of events in the charts about all products together. */
type DailyOfAll = Exclude<Daily, 'expiring'>;
const isDaily = (text: string | null): text is DailyOfAll => text === 'issued' || text === 'renewed';

/** The number of events on one day, for each product. */
function DayOfProducts({ what, date }: { what: DailyOfAll; date: string }) {
  const query = useDayOfProducts(date);
  const names = new Map(useAllProducts().map(({ id, name }) => [id, name]));
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [what, date]);
  return (
    <div ref={box}>
      <Panel title={what === 'issued' ? t('Issued on {day}', { day: dayName(date) }) : t('Renewed on {day}', { day: dayName(date) })}>
        <Loaded query={query} lines={2}>
          {(products) => (
            <ul className={classes['products']}>
              {products
                .map((row) => ({ id: row.product_id, count: row[what] }))
                .filter(({ count }) => count > 0)
                .sort((a, b) => b.count - a.count)
                .map(({ id, count }) => (
                  <li key={id}>
                    <Link
                      to={
                        what === 'renewed'
                          ? href(`/products/${id}/webhooks`, { day: date, event: 'license.renewed' })
                          : dayList(id, what, date)
                      }
                    >
                      <bdi>{names.get(id) ?? t('Product {id}', { id: String(id) })}</bdi>
                    </Link>{' '}
                    <strong>{number(count)}</strong>
                  </li>
                ))}
            </ul>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

/** Charts of the numbers of all products together, by day. A click on a bar shows the numbers of its day for each product. */
function DayByDay({ query }: { query: URLSearchParams }) {
  const span = spanOf(query.get('days'));
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  const overview = useDeploymentOverview(span, isSeen);
  const what = query.get('chart');
  return (
    <Stack>
      <div ref={ref}>
        <DailyHead title={t('All products, day by day')} span={span} to={(days) => href('/', { days: spanQuery(days) })} />
      </div>
      <Loaded query={overview} lines={6}>
        {({ days }) => {
          const date = days.find((day) => day.date === query.get('day'))?.date;
          return (
            <>
              <DailyCharts days={days} linkOf={(chart, day) => href('/', { days: spanQuery(span), chart, day })} />
              {isDaily(what) && date !== undefined && <DayOfProducts what={what} date={date} />}
            </>
          );
        }}
      </Loaded>
    </Stack>
  );
}

export function ProductsPage({ query: address }: { query: URLSearchParams }) {
  const mayNumbers = useMay()('getDeploymentOverview');
  const query = useProducts(mayNumbers ? 'numbers' : undefined);
  const [creating, setCreating] = useNewDialog();
  const products = query.data?.pages.flatMap(({ rows }) => rows);
  const unreadable = unreadableIn(query.data?.pages);
  const create = (
    <Act call="createProduct" primary Icon={PlusIcon} onClick={() => setCreating(true)}>
      {t('New product')}
    </Act>
  );
  return (
    <>
      <PageHead title={t('Products')} action={products && products.length > 0 && create}>
        {t('The products that you sell licenses for. Each has its own keys, license types and webhook.')}
      </PageHead>
      <Stack>
        {mayNumbers && products && products.length > 0 && <Attention unreadable={unreadable} />}
        <Panel>
          <Loaded query={{ ...query, data: products }}>
            {(rows) =>
              rows.length === 0 && unreadable === 0 ? (
                <Empty icon={<BoxIcon size={26} />} title={t('No products yet')} action={create}>
                  {t('Create a product to get its API key for your app, and the public key that verifies offline tokens.')}
                </Empty>
              ) : (
                <>
                  <LeftOut count={unreadable} />
                  {rows.length > 0 && <Products products={rows} />}
                </>
              )
            }
          </Loaded>
          {query.hasNextPage && (
            <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
              {t('Show more')}
            </Button>
          )}
        </Panel>
        {mayNumbers && products && products.length > 0 && <DayByDay query={address} />}
      </Stack>
      <NewProduct opened={creating} onClose={() => setCreating(false)} />
    </>
  );
}
