import { fillPlaceholders, type RenewUrlPlaceholder } from '../contract/placeholders';
import type { License } from './license';

/** The URL of the vendor's page on which a license can be renewed; empty if there is no such page. */
export function renewUrlOf(url: string | undefined, { id, key, order }: License): string {
  const values: Readonly<Record<RenewUrlPlaceholder, string>> = { key, order: order?.order_id ?? '', license_id: String(id) };
  const encoded = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)]));
  return url === undefined ? '' : fillPlaceholders(url, encoded);
}
