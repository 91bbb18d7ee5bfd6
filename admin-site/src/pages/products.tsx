import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Product, ProductOverview } from '../api';
import { number, plural } from '../format';
import { May } from '../permission';
import { useOverviews, useProducts } from '../queries';
import { href, Link } from '../router';
import { CopyButton } from '../ui/copy-button';
import { BoxIcon, PlusIcon } from '../ui/icons';
import { PageHead, Panel } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { NewProduct } from './new-product';

interface Line extends Product {
  readonly numbers: ProductOverview | undefined;
}

/** Products whose webhook fails come first: they are what needs somebody. */
const byNeed = (a: Line, b: Line): number => Number((b.numbers?.failed_deliveries ?? 0) > 0) - Number((a.numbers?.failed_deliveries ?? 0) > 0);

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
              <Link to={href(`/products/${id}/webhooks`, { status: 'failed' })} className={tableClasses['alarm']} title="In the last 30 days">
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

export function ProductsPage() {
  const query = useProducts();
  const [creating, setCreating] = useState(false);
  const products = query.data?.pages.flatMap(({ rows }) => rows);
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
        What you sell licenses for. Each has its own keys, license types and webhook.
      </PageHead>
      <Panel>
        <Loaded query={{ ...query, data: products }}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon={<BoxIcon size={26} />} title="No products yet" action={create}>
                Create one to get its API key for your app and the public key that verifies offline tokens.
              </Empty>
            ) : (
              <Products products={rows} pages={query.data?.pages.length ?? 1} />
            )
          }
        </Loaded>
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
