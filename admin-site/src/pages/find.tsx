import { Button } from '@mantine/core';
import type { License } from '../api';
import { number, plural } from '../format';
import { useFind, useProductName } from '../queries';
import { href, Link } from '../router';
import { SearchIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { BuyerActions } from './buyer';
import { LicenseTable } from './licenses';

function OfProduct({ productId, licenses }: { productId: number; licenses: readonly License[] }) {
  const name = useProductName(productId) ?? `Product ${productId}`;
  return (
    <Panel title={name}>
      <LicenseTable label={`Licenses of ${name}`} licenses={licenses} />
    </Panel>
  );
}

const byProduct = (licenses: readonly License[]): readonly (readonly [productId: number, licenses: readonly License[]])[] => {
  const groups = new Map<number, License[]>();
  for (const license of licenses) groups.set(license.product_id, [...(groups.get(license.product_id) ?? []), license]);
  return [...groups];
};

/** Licenses of every product by the buyer's address, a key, an order or a device; of an address, what a buyer may ask for. */
export function FindPage({ search }: { search: string }) {
  const query = useFind(search);
  const licenses = query.data?.pages.flatMap(({ rows }) => rows);
  const isBuyer = search.includes('@');
  const devices = licenses?.reduce((sum, { seats }) => sum + seats.used, 0) ?? 0;
  return (
    <>
      <PageHead title={isBuyer ? 'Buyer' : 'Search'} action={isBuyer && licenses && <BuyerActions email={search.trim()} />}>
        Licenses for <bdi>“{search}”</bdi>
        {licenses && licenses.length > 0 && ` · ${number(licenses.length)}${query.hasNextPage ? ' and more' : ''} · ${plural(devices, 'machine')}`}
      </PageHead>
      <Loaded query={{ ...query, data: licenses }}>
        {(found) => (
          <Stack>
            {found.length === 0 && !query.hasNextPage && (
              <Panel>
                <Empty icon={<SearchIcon size={26} />} title="No license found" action={<Link to={href('/')}>All products</Link>}>
                  Addresses, keys, orders and fingerprints of machines are looked up whole, in every product. Case, spaces and hyphens don’t matter in a key.
                </Empty>
              </Panel>
            )}
            {byProduct(found).map(([productId, rows]) => (
              <OfProduct key={productId} productId={productId} licenses={rows} />
            ))}
            {query.hasNextPage && (
              <div>
                <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
                  Show more
                </Button>
              </div>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  );
}
