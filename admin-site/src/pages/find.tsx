import { useQuery } from '@tanstack/react-query';
import { callList, type License, type Product } from '../api';
import { plural } from '../format';
import { searchQuery, useProducts } from '../queries';
import { href, Link } from '../router';
import { SearchIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { Empty, Failed, Loaded, Loading } from '../ui/states';
import { LicenseTable } from './licenses';

interface Found {
  readonly product: Product;
  readonly licenses: readonly License[];
}

/** Asks every product: a key or an address is looked up, not searched for, so each answer is cheap. */
async function find(products: readonly Product[], search: string, signal: AbortSignal): Promise<Found[]> {
  const found = await Promise.all(
    products.map(async (product) => ({
      product,
      licenses: (await callList('listLicenses', { params: { id: product.id }, query: { ...searchQuery(search), limit: '100' } }, { signal })).rows,
    })),
  );
  return found.filter(({ licenses }) => licenses.length > 0);
}

function Results({ products, search }: { products: readonly Product[]; search: string }) {
  const query = useQuery({ queryKey: ['find', search, products.length], queryFn: ({ signal }) => find(products, search, signal) });
  return (
    <Loaded query={query}>
      {(found) =>
        found.length === 0 ? (
          <Panel>
            <Empty icon={<SearchIcon size={26} />} title="No license found" action={<Link to={href('/')}>All products</Link>}>
              Keys and addresses are looked up whole, in {plural(products.length, 'product')}. Case, spaces and hyphens don’t matter in a key.
            </Empty>
          </Panel>
        ) : (
          <Stack>
            {found.map(({ product, licenses }) => (
              <Panel key={product.id} title={product.name}>
                <LicenseTable label={`Licenses of ${product.name}`} licenses={licenses} />
              </Panel>
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
}

/** Licenses by key or e-mail over all products. */
export function FindPage({ search }: { search: string }) {
  const query = useProducts();
  const products = query.data?.pages.flatMap(({ rows }) => rows);
  return (
    <>
      <PageHead title="Search">
        Licenses for <bdi>“{search}”</bdi>
      </PageHead>
      {query.error && !products ? <Failed error={query.error} retry={() => void query.refetch()} busy={query.isFetching} /> : !products ? <Loading /> : <Results products={products} search={search} />}
    </>
  );
}
