import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { readOfflineRequest, type OfflineRequest } from '../../../client/src/offline-request';
import type { License } from '../api';
import { addressOf, useFind, useLicenseOfKey, useProductName } from '../queries';
import { href, Link, replace } from '../router';
import { number, plural, t, T } from '../texts';
import { SearchIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { BuyerActions } from './buyer';
import { BuyerDetails } from './buyer-details';
import { LicenseTable } from './licenses';
import { PortalLink } from './portal-link';

/** @param buyer the e-mail address in the search text; undefined if the search text is not an e-mail address */
function OfProduct({ productId, licenses, buyer }: { productId: number; licenses: readonly License[]; buyer: string | undefined }) {
  const name = useProductName(productId);
  return (
    <Panel title={name} action={buyer !== undefined && <PortalLink productId={productId} email={buyer} />}>
      <LicenseTable label={t('Licenses of {name}', { name })} licenses={licenses} />
    </Panel>
  );
}

const byProduct = (licenses: readonly License[]): readonly (readonly [productId: number, licenses: readonly License[]])[] => {
  const groups = new Map<number, License[]>();
  for (const license of licenses) groups.set(license.product_id, [...(groups.get(license.product_id) ?? []), license]);
  return [...groups];
};

/** Opens the page of the license that an offline device's request names. On that page, the operator creates the token. */
function RequestTarget({ text, request }: { text: string; request: OfflineRequest }) {
  const query = useLicenseOfKey(request.product, request.key);
  const license = query.data;
  useEffect(() => {
    if (license) replace(href(`/licenses/${license.id}`, { request: text.replace(/\s/g, '') }));
  }, [license, text]);
  return (
    <>
      <PageHead title={t('Device request')}>
        <T text="For the license {key} of product {product}" values={{ key: <code>{request.key}</code>, product: request.product }} />
      </PageHead>
      <Panel>
        <Loaded query={query}>
          {(found) =>
            found === null && (
              <Empty icon={<SearchIcon size={26} />} title={t('No license found')} action={<Link to={href('/')}>{t('All products')}</Link>}>
                <T
                  text="No license of product {product} has the key in this request. The key may have been reissued."
                  values={{ product: request.product }}
                />
              </Empty>
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

/**
 * The results of a search. If the search text is a device request, the license that the request names is opened.
 *
 * @param showsAll whether the list is shown even if only one license is found; if false, the page of that license is opened instead
 */
export function FindPage({ search, showsAll }: { search: string; showsAll: boolean }) {
  const request = readOfflineRequest(search);
  return request ? <RequestTarget text={search} request={request} /> : <FoundPage search={search} showsAll={showsAll} />;
}

/**
 * Finds licenses of all products by a device, or by the beginning of one of these: key, e-mail address, name, order id. For an e-mail
 * address, the page also offers actions for all licenses of the buyer, such as the export of the buyer's data.
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
    // The page of a single license is opened only when the first result arrives. A list that later shrinks to one license stays visible.
    if (isFirst.current && only !== undefined && !showsAll) replace(href(`/licenses/${only}`));
    isFirst.current = false;
  }, [licenses, only, showsAll]);
  const devices = licenses?.reduce((sum, { seats }) => sum + seats.used, 0) ?? 0;
  return (
    <>
      <PageHead
        title={isBuyer ? t('Buyer') : t('Search')}
        action={isBuyer && licenses && <BuyerActions email={buyer} hasLicenses={licenses.length > 0} />}
      >
        <T text="Licenses for {search}" values={{ search: <bdi>“{search}”</bdi> }} />
        {licenses &&
          licenses.length > 0 &&
          ` · ${query.hasNextPage ? t('{count} and more', { count: number(licenses.length) }) : number(licenses.length)} · ${plural(devices, '{count} device', '{count} devices')}`}
      </PageHead>
      <Loaded query={query}>
        {(found) => (
          <Stack>
            {found.length === 0 && !query.hasNextPage && (
              <Panel>
                <Empty
                  icon={<SearchIcon size={26} />}
                  title={t('No license found')}
                  action={<Link to={href('/')}>{t('All products')}</Link>}
                >
                  {t(
                    'The search covers all products. It finds licenses by the beginning of a key, an e-mail address, a name or an order id, or by a complete device fingerprint. In a key, case, spaces and hyphens don’t matter.',
                  )}
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
                  {t('Show more')}
                </Button>
              </div>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  );
}
