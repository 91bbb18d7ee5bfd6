import { useEffect, useState, type ReactNode } from 'react';
import { deviceTerm, kindsFound, prefixesOf, type Findable, type TermKind } from '../../lambdas/domain/search-term';
import type { License, LicenseType, Product, Release } from './api';
import { personIn, textIn } from './pages/metadata';
import { useMay } from './permission';
import { useLiveFind } from './queries/find';
import { isSearchable } from './queries/license-list';
import { useTypes } from './queries/products';
import { useReleases } from './queries/releases';
import { go, href } from './router';
import { plural, t } from './texts';
import { CardIcon, KeyIcon, LayersIcon, MailIcon, PackageIcon, ScreenIcon } from './ui/icons';

/** What the command palette finds while the operator types: licenses, buyers, orders and devices, and types and releases of the product. */

export interface Entry {
  readonly group: string;
  readonly label: string;
  /** What tells the entry from others with the same label. */
  readonly detail?: string | undefined;
  readonly icon: ReactNode;
  readonly run: () => void;
}

/** Maximum number of entries of one kind. */
const MAX_ENTRIES = 5;
/** Time without typing, in ms, after which the service is asked. */
const PAUSE = 200;

/** The text as it was when the operator last paused. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

const findableOf = ({ key, customer_email: email, order, metadata, activations }: License): Findable => ({
  key,
  email,
  order: order?.order_id ?? null,
  metadata,
  devices: activations.map(({ name }) => name),
});

const joined = (...parts: readonly (string | null | undefined)[]): string => parts.filter(Boolean).join(' · ');

/** The last entry of a kind leads to the page with everything that was found. */
const limited = (entries: readonly Entry[]): readonly Entry[] => entries.slice(0, MAX_ENTRIES);

/** Entries for the licenses that a search has found, and for their buyers, orders and devices that match the search text. */
export function entriesOf(
  search: string,
  licenses: readonly License[],
  products: readonly Pick<Product, 'id' | 'name'>[],
): readonly Entry[] {
  const prefixes = prefixesOf(search);
  const found = licenses.map((license) => ({ license, kinds: kindsFound(findableOf(license), prefixes) }));
  const having = (...wanted: readonly TermKind[]): readonly License[] =>
    found.filter(({ kinds }) => kinds.some((kind) => wanted.includes(kind))).map(({ license }) => license);
  const productOf = ({ product_id: id }: License): string | undefined => products.find((product) => product.id === id)?.name;
  const devicePrefixes = prefixes.filter(({ kind }) => kind === 'device').map(({ prefix }) => prefix);
  const buyers = new Map(
    having('email', 'domain', 'name', 'company').flatMap((license) =>
      license.customer_email === null ? [] : [[license.customer_email.toLowerCase(), license] as const],
    ),
  );
  const orders = new Map(having('order').flatMap((license) => (license.order ? [[license.order.order_id, license] as const] : [])));
  return [
    ...limited(
      licenses.map((license) => ({
        group: t('Licenses'),
        label: license.key,
        detail: joined(textIn(license.metadata, 'name') ?? license.customer_email, license.license_type.name, productOf(license)),
        icon: <KeyIcon size={16} />,
        run: () => go(href(`/licenses/${license.id}`)),
      })),
    ),
    ...limited(
      [...buyers.values()].map(({ customer_email: email, metadata }) => ({
        group: t('Buyers'),
        label: email ?? '',
        detail: personIn(metadata),
        icon: <MailIcon size={16} />,
        run: () => go(href('/find', { q: email ?? '', all: '1' })),
      })),
    ),
    ...limited(
      [...orders].map(([order, license]) => ({
        group: t('Orders'),
        label: order,
        detail: joined(license.customer_email, productOf(license)),
        icon: <CardIcon size={16} />,
        run: () => go(href(`/products/${license.product_id}/payments`, { find: order })),
      })),
    ),
    ...limited(
      having('device').flatMap((license) =>
        license.activations
          .filter(({ name }) => devicePrefixes.some((prefix) => deviceTerm(name)?.startsWith(prefix)))
          .map(({ name }) => ({
            group: t('Devices'),
            label: name,
            detail: joined(license.customer_email ?? license.key, productOf(license)),
            icon: <ScreenIcon size={16} />,
            run: () => go(href(`/licenses/${license.id}`)),
          })),
      ),
    ),
  ];
}

/** Entries for the license types and releases of the current product. */
function entriesOfProduct(
  words: readonly string[],
  productId: number,
  types: readonly LicenseType[],
  releases: readonly Release[],
): readonly Entry[] {
  const includes = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  return [
    ...limited(
      types
        .filter(({ name }) => includes(name))
        .map(({ name }) => ({
          group: t('License types'),
          label: name,
          icon: <LayersIcon size={16} />,
          run: () => go(href(`/products/${productId}/types`)),
        })),
    ),
    ...limited(
      releases
        .filter(({ version }) => includes(version))
        .map(({ id, version, channel }) => ({
          group: t('Releases'),
          label: version,
          detail: channel,
          icon: <PackageIcon size={16} />,
          run: () => go(href(`/releases/${id}`)),
        })),
    ),
  ];
}

/** What was found for a text, and a sentence about it for screen readers. */
export interface Found {
  readonly entries: readonly Entry[];
  readonly message: string;
  readonly isSearching: boolean;
}

/** @param text the typed text; an empty text finds nothing */
export function useFound(text: string, words: readonly string[], productId: number | undefined, products: readonly Product[]): Found {
  const may = useMay();
  const paused = usePaused(text);
  const live = useLiveFind(paused, may('searchLicenses') && isSearchable(text));
  const ofProduct = words.length > 0 && productId !== undefined;
  const types = useTypes(productId ?? 0, ofProduct && may('listLicenseTypes'));
  const releases = useReleases(productId ?? 0, {}, ofProduct && may('listReleases'));
  const result = isSearchable(text) ? live.data : undefined;
  const isSearching = isSearchable(text) && (paused !== text || live.isFetching);
  const { rows = [], search = '', hasMore = false } = result ?? {};
  return {
    entries: [
      ...(ofProduct ? entriesOfProduct(words, productId, types.data ?? [], releases.data?.pages.flatMap((page) => page.rows) ?? []) : []),
      ...entriesOf(search, rows, products),
    ],
    message: isSearching
      ? t('Searching…')
      : live.error && isSearchable(text)
        ? t('The search failed')
        : result === undefined
          ? ''
          : hasMore
            ? t('{count} licenses and more found', { count: String(rows.length) })
            : rows.length === 0
              ? t('No license found')
              : plural(rows.length, '{count} license found', '{count} licenses found'),
    isSearching,
  };
}
