import { changedFields } from '../../domain/audit';
import { newPortal, portalSchema, type Portal } from '../../domain/portal/settings';
import { portalKey } from '../keys';
import { retry, TRY_AGAIN } from '../retry';
import { numberIn, readRow } from '../row';
import { getItem } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { transact } from '../transaction';

/**
 * The settings of portals. Each portal has a separate row for its settings, whose key contains the slug. The portal's functions can
 * therefore read the settings without reading the product.
 */

const toItem = (portal: Portal, revision: number): Item => ({ ...portalKey(portal.slug), version: 1, revision, ...portal });

const toPortal = (item: Item): Portal => readRow(portalSchema, item);

/** The portal with a slug; undefined if the portal does not exist or is turned off. */
export async function getOpenPortal(table: Table, slug: string): Promise<Portal | undefined> {
  return openPortal(await getItem(table, portalKey(slug)));
}

/** Reads the portal in a row; undefined if the portal does not exist or is turned off. */
export function openPortal(item: Item | undefined): Portal | undefined {
  const portal = item && toPortal(item);
  return portal?.enabled ? portal : undefined;
}

/** The portal settings of a product, or the default settings if none are stored. */
export async function getPortalOf(table: Table, product: { readonly id: number; readonly slug: string }): Promise<Portal> {
  const item = await getItem(table, portalKey(product.slug));
  return item ? toPortal(item) : newPortal(product);
}

/**
 * Edits the portal settings of a product, and returns them before and after. If another request changed the settings in the meantime, the
 * edit is repeated.
 */
export function editPortal(
  table: Table,
  product: { readonly id: number; readonly slug: string },
  edit: (portal: Portal) => Portal,
): Promise<{ readonly before: Portal; readonly after: Portal }> {
  return retry(table, 'The portal', async () => {
    const item = await getItem(table, portalKey(product.slug));
    const before = item ? toPortal(item) : newPortal(product);
    const after = edit(before);
    const changed = changedFields(before, after);
    if (changed.length === 0) return { before, after };
    const revision = item ? numberIn(item, 'revision') : 0;
    table.audit?.describe({ product_id: product.id, details: changed.filter((name) => name !== 'epoch' && name !== 'base_url') });
    const { committed } = await transact(table, [
      {
        Put: {
          Item: toItem(after, revision + 1),
          ConditionExpression: item ? 'revision = :read' : 'attribute_not_exists(pk)',
          ...(item && { ExpressionAttributeValues: { ':read': revision } }),
        },
      },
    ]);
    return committed ? { before, after } : TRY_AGAIN;
  });
}
