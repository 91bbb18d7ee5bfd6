import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { readOfflineRequest, type OfflineRequest } from '../../../client/src/offline-request';
import type { License } from '../api';
import { useMay } from '../permission';
import { useHeldOrders, useMemberships } from '../queries/buyers';
import { addressOf, useFind } from '../queries/find';
import { isSearchable } from '../queries/license-list';
import { useLicenseOfKey } from '../queries/licenses';
import { useAllProducts, useProductName } from '../queries/products';
import { href, Link, replace } from '../router';
import { number, plural, t, T } from '../texts';
import { SearchIcon } from '../ui/icons';
import { PageHead, Panel, Quoted, Stack } from '../ui/page';
import { Empty, Loaded, Loading } from '../ui/states';
import { Views } from '../ui/views';
import { BuyerActions } from './buyer';
import { BuyerOrders, OrdersByProduct, Timeline } from './buyer-details';
import { LicenseTable, searchHint } from './licenses';
import { personIn } from './metadata';
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

/** Links that limit a buyer's page to one product. */
function ProductViews({
  products,
  chosen,
  to,
}: {
  products: readonly number[];
  chosen: number | undefined;
  to: (product?: number) => string;
}) {
  const all = useAllProducts();
  const nameOf = (id: number): string => all.find((product) => product.id === id)?.name ?? t('Product {id}', { id: String(id) });
  return (
    <Views
      label={t('Products shown')}
      views={[
        { name: t('All products'), to: to(), isCurrent: chosen === undefined },
        ...products.map((id) => ({ name: nameOf(id), to: to(id), isCurrent: id === chosen })),
      ]}
    />
  );
}

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

/** The licenses of which a person is a member. @param shown licenses that the page already shows */
function Memberships({ email, shown }: { email: string; shown: readonly License[] }) {
  const { data = [] } = useMemberships(email);
  const licenses = data.filter(({ id }) => !shown.some((license) => license.id === id));
  if (licenses.length === 0) return null;
  return (
    <Panel title={t('Member of')} note={t('The person uses these licenses, and somebody may have bought them for several people.')}>
      <LicenseTable label={t('Licenses of which {email} is a member', { email })} licenses={licenses} />
    </Panel>
  );
}

/** Says that a search found no license. A buyer whose sale is held has no license yet, so the page shows the order instead. */
function NothingFound({ search, buyer }: { search: string; buyer: string | undefined }) {
  const may = useMay();
  const isPermitted = buyer !== undefined && may('listOrders') && may('getDeploymentOverview');
  const { data: held = [], isLoading } = useHeldOrders(buyer ?? '', isPermitted);
  if (isLoading) return <Loading lines={3} />;
  if (held.length > 0)
    return (
      <Panel title={t('No license yet')} note={t('An order of this buyer is held. Open it, and choose the license type that was sold.')}>
        <OrdersByProduct orders={held} />
      </Panel>
    );
  return (
    <Panel>
      <Empty icon={<SearchIcon size={26} />} title={t('No license found')} action={<Link to={href('/')}>{t('All products')}</Link>}>
        {isSearchable(search) ? searchHint() : t('A search needs at least 3 characters.')}
      </Empty>
    </Panel>
  );
}

interface Props {
  readonly search: string;
  readonly showsAll: boolean;
  readonly product: number | undefined;
  readonly show: string | null;
}

/**
 * The results of a search. If the search text is a device request, the license that the request names is opened.
 *
 * @param showsAll whether the list is shown even if only one license is found; if false, the page of that license is opened instead
 * @param product the id of the only product that a buyer's page shows; undefined: all products
 * @param show the kind of entries in the timeline of a buyer's page; null: all entries
 */
export function FindPage(props: Props) {
  const request = readOfflineRequest(props.search);
  return request ? <RequestTarget text={props.search} request={request} /> : <FoundPage {...props} />;
}

/**
 * Finds licenses of all products. For an e-mail address, the page also offers actions for all licenses of the buyer, such as the export of
 * the buyer's data.
 */
function FoundPage({ search, showsAll, product, show }: Props) {
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
  const address = ({ product: id, show: kind }: { product?: number | undefined; show?: string | null | undefined }): string =>
    href('/find', { q: search, all: '1', product: id === undefined ? undefined : String(id), show: kind ?? undefined });
  const person = (isBuyer && licenses?.map(({ metadata }) => personIn(metadata)).find((words) => words !== '')) || '';
  const devices = licenses?.reduce((sum, { seats }) => sum + seats.used, 0) ?? 0;
  return (
    <>
      <PageHead
        title={isBuyer ? t('Buyer') : t('Search')}
        action={isBuyer && licenses && <BuyerActions email={buyer} hasLicenses={licenses.length > 0} />}
      >
        <T text="Licenses for {search}" values={{ search: <Quoted>{search}</Quoted> }} />
        {person !== '' && (
          <>
            {' · '}
            <bdi>{person}</bdi>
          </>
        )}
        {licenses &&
          licenses.length > 0 &&
          ` · ${query.hasNextPage ? t('{count} licenses and more', { count: number(licenses.length) }) : plural(licenses.length, '{count} license', '{count} licenses')} · ${plural(devices, '{count} device', '{count} devices')}`}
      </PageHead>
      <Loaded query={query}>
        {(found) => {
          const products = [...new Set(found.map(({ product_id: id }) => id))];
          const shown = isBuyer && product !== undefined ? found.filter(({ product_id: id }) => id === product) : found;
          return (
            <Stack>
              {isBuyer && products.length > 1 && (
                <ProductViews products={products} chosen={product} to={(id) => address({ product: id, show })} />
              )}
              {found.length === 0 && !query.hasNextPage && <NothingFound search={search} buyer={buyer} />}
              {byProduct(shown).map(([productId, rows]) => (
                <OfProduct key={productId} productId={productId} licenses={rows} buyer={buyer} />
              ))}
              {isBuyer && <Memberships email={buyer} shown={found} />}
              {isBuyer && shown.length > 0 && (
                <>
                  <BuyerOrders email={buyer} licenses={shown} />
                  <Timeline email={buyer} licenses={shown} show={show} to={(kind) => address({ product, show: kind })} />
                </>
              )}
              {query.hasNextPage && (
                <div>
                  <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
                    {t('Show more')}
                  </Button>
                </div>
              )}
            </Stack>
          );
        }}
      </Loaded>
    </>
  );
}
