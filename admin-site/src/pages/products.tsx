import { Button } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Overview, type Product } from '../api';
import { number, plural } from '../format';
import { useProducts } from '../queries';
import { href, Link } from '../router';
import { BoxIcon, PlusIcon } from '../ui/icons';
import { PageHead, Panel } from '../ui/page';
import { Empty, Failed, Loading } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { NewProduct } from './new-product';

/** Products whose numbers are read at once; more would be many requests for little. */
const MAX_WITH_NUMBERS = 50;

interface Line {
  readonly product: Product;
  readonly overview: Overview | undefined;
  /** What stands where there are no numbers. */
  readonly instead: string;
}

const activeIn = ({ licenses }: Overview): number => licenses.reduce((sum, { active }) => sum + active, 0);
const failedIn = ({ days }: Overview): number => days.reduce((sum, { failed }) => sum + failed, 0);

/** Products whose webhook fails come first: they are what needs somebody. */
const byNeed = (a: Line, b: Line): number => Number((b.overview ? failedIn(b.overview) : 0) > 0) - Number((a.overview ? failedIn(a.overview) : 0) > 0);

function Products({ products }: { products: readonly Product[] }) {
  const overviews = useQueries({
    queries: products.slice(0, MAX_WITH_NUMBERS).map(({ id }) => ({
      queryKey: ['overview', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => call('getOverview', { params: { id } }, { signal }),
      staleTime: 15_000,
    })),
  });
  const lines = products.map((product, place) => ({ product, overview: overviews[place]?.data, instead: overviews[place]?.isPending ? '…' : 'Unknown' })).sort(byNeed);
  return (
    <Table
      label="Products"
      items={lines}
      id={({ product }) => product.id}
      columns={[
        {
          name: 'Product',
          cell: ({ product }) => (
            <Link to={href(`/products/${product.id}`)} className={tableClasses['link']}>
              <Name>{product.name}</Name>
            </Link>
          ),
        },
        { name: 'Slug', cell: ({ product }) => <code className={tableClasses['cut']} title={product.slug}>{product.slug}</code> },
        { name: 'Active licenses', right: true, cell: ({ overview, instead }) => (overview ? number(activeIn(overview)) : <span className={tableClasses['dim']}>{instead}</span>) },
        {
          name: 'Failed deliveries',
          right: true,
          cell: ({ product, overview, instead }) =>
            overview && failedIn(overview) > 0 ? (
              <Link to={href(`/products/${product.id}/webhooks`, { status: 'failed' })} className={tableClasses['alarm']} title="In the last 30 days">
                {plural(failedIn(overview), 'failure')}
              </Link>
            ) : (
              <span className={tableClasses['dim']}>{overview ? 'None' : instead}</span>
            ),
        },
        { name: 'Created', cell: ({ product }) => <Ago at={product.created_at} /> },
      ]}
    />
  );
}

export function ProductsPage() {
  const query = useProducts();
  const [creating, setCreating] = useState(false);
  const products = query.data?.pages.flatMap(({ rows }) => rows);
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      New product
    </Button>
  );
  return (
    <>
      <PageHead title="Products" action={products && products.length > 0 && create}>
        What you sell licenses for. Each has its own keys, license types and webhook.
      </PageHead>
      <Panel>
        {query.error && !products ? (
          <Failed error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
        ) : !products ? (
          <Loading />
        ) : products.length === 0 ? (
          <Empty icon={<BoxIcon size={26} />} title="No products yet" action={create}>
            Create one to get its API key for your app and the public key that verifies offline tokens.
          </Empty>
        ) : (
          <Products products={products} />
        )}
        {query.hasNextPage && (
          <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
            Show more
          </Button>
        )}
      </Panel>
      <NewProduct opened={creating} onClose={() => setCreating(false)} />
    </>
  );
}
