import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { readOfflineRequest, type OfflineRequest } from '../../../client/src/offline-request';
import type { License } from '../api';
import { number, plural } from '../format';
import { addressOf, useFind, useLicenseOfKey, useProductName } from '../queries';
import { href, Link, replace } from '../router';
import { SearchIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { BuyerActions } from './buyer';
import { BuyerDetails } from './buyer-details';
import { LicenseTable } from './licenses';
import { PortalLink } from './portal-link';

/** @param buyer the address that was searched for, if it is one */
function OfProduct({ productId, licenses, buyer }: { productId: number; licenses: readonly License[]; buyer: string | undefined }) {
  const name = useProductName(productId);
  return (
    // Until the names are known, the panels of several products have different titles.
    <Panel
      title={name === '…' ? `Product ${productId}` : name}
      action={buyer !== undefined && <PortalLink productId={productId} email={buyer} />}
    >
      <LicenseTable label={`Licenses of ${name}`} licenses={licenses} />
    </Panel>
  );
}

const byProduct = (licenses: readonly License[]): readonly (readonly [productId: number, licenses: readonly License[]])[] => {
  const groups = new Map<number, License[]>();
  for (const license of licenses) groups.set(license.product_id, [...(groups.get(license.product_id) ?? []), license]);
  return [...groups];
};

/** Opens the page of the license that an offline device's request names; the token is created there. */
function RequestTarget({ text, request }: { text: string; request: OfflineRequest }) {
  const query = useLicenseOfKey(request.product, request.key);
  const license = query.data;
  useEffect(() => {
    if (license) replace(href(`/licenses/${license.id}`, { request: text.replace(/\s/g, '') }));
  }, [license, text]);
  return (
    <>
      <PageHead title="Device request">
        For the license <code>{request.key}</code> of product {request.product}
      </PageHead>
      <Panel>
        <Loaded query={query}>
          {(found) =>
            found === null && (
              <Empty icon={<SearchIcon size={26} />} title="No license found" action={<Link to={href('/')}>All products</Link>}>
                No license of product {request.product} has the key that this request names. It may have got a new key since.
              </Empty>
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

/**
 * The results of a search. A device request opens its license.
 *
 * @param showsAll shows a list also if there is a single license; otherwise that license is opened
 */
export function FindPage({ search, showsAll }: { search: string; showsAll: boolean }) {
  const request = readOfflineRequest(search);
  return request ? <RequestTarget text={search} request={request} /> : <FoundPage search={search} showsAll={showsAll} />;
}

/**
 * Licenses of all products by the beginning of a key, an address, a name or an order, or by a device. For an address, also the requests
 * that a buyer may make.
 */
function FoundPage({ search, showsAll }: { search: string; showsAll: boolean }) {
  const query = useFind(search);
  const licenses = query.data;
  const buyer = addressOf(search);
  const isBuyer = buyer !== undefined;
  const only = licenses?.length === 1 && !query.hasNextPage ? licenses[0]?.id : undefined;
  const isFirst = useRef(true);
  useEffect(() => {
    if (!licenses) return;
    // A list that becomes shorter while it is shown stays.
    if (isFirst.current && only !== undefined && !showsAll) replace(href(`/licenses/${only}`));
    isFirst.current = false;
  }, [licenses, only, showsAll]);
  const devices = licenses?.reduce((sum, { seats }) => sum + seats.used, 0) ?? 0;
  return (
    <>
      <PageHead
        title={isBuyer ? 'Buyer' : 'Search'}
        action={isBuyer && licenses && <BuyerActions email={buyer} hasLicenses={licenses.length > 0} />}
      >
        Licenses for <bdi>“{search}”</bdi>
        {licenses &&
          licenses.length > 0 &&
          ` · ${number(licenses.length)}${query.hasNextPage ? ' and more' : ''} · ${plural(devices, 'device')}`}
      </PageHead>
      <Loaded query={query}>
        {(found) => (
          <Stack>
            {found.length === 0 && !query.hasNextPage && (
              <Panel>
                <Empty icon={<SearchIcon size={26} />} title="No license found" action={<Link to={href('/')}>All products</Link>}>
                  The search finds the beginning of a key, an e-mail address, a name or an order, and complete device fingerprints, in all
                  products. In a key, case, spaces and hyphens don’t matter.
                </Empty>
              </Panel>
            )}
            {byProduct(found).map(([productId, rows]) => (
              <OfProduct key={productId} productId={productId} licenses={rows} buyer={buyer} />
            ))}
            {isBuyer && found.length > 0 && <BuyerDetails licenses={found} />}
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
