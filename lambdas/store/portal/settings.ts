import { portalActions } from '../../contract/portal-actions';
import { changedFields } from '../../domain/audit';
import { newPortal, type Portal } from '../../domain/portal/settings';
import { portalKey } from '../keys';
import { retry, TRY_AGAIN } from '../retry';
import { RowReader } from '../row';
import { getItem, type Item, type Table } from '../table';
import { transact } from '../transaction';

/** The settings of portals. They have a row of their own, so that the portal's functions find them by the slug, and need not read products. */

const toItem = (portal: Portal, revision: number): Item => ({ ...portalKey(portal.slug), version: 1, revision, ...portal });

/** @throws UnreadableRow */
export function toPortal(item: Item): Portal {
  const row = new RowReader(item);
  const allow = row.nullableStrings('allow') ?? [];
  return {
    slug: row.string('slug'),
    product_id: row.number('product_id'),
    enabled: row.boolean('enabled'),
    epoch: row.number('epoch'),
    title: row.nullableString('title'),
    support_url: row.nullableString('support_url'),
    color: row.nullableString('color'),
    // What only a newer version knows is not allowed here.
    allow: portalActions.filter((action) => allow.includes(action)),
    frees_per_30_days: row.number('frees_per_30_days'),
    base_url: row.string('base_url'),
  };
}

/** The portal with this slug, unless it is off or there is no such product. */
export async function getOpenPortal(table: Table, slug: string): Promise<Portal | undefined> {
  return openPortal(await getItem(table, portalKey(slug)));
}

/** The portal of a row, unless it is off. */
export function openPortal(item: Item | undefined): Portal | undefined {
  const portal = item && toPortal(item);
  return portal?.enabled ? portal : undefined;
}

/** The settings of a product, or the defaults. */
export async function getPortalOf(table: Table, product: { readonly id: number; readonly slug: string }): Promise<Portal> {
  const item = await getItem(table, portalKey(product.slug));
  return item ? toPortal(item) : newPortal(product);
}

/** Edits the settings of a product, and again if another request was faster. */
export function editPortal(
  table: Table,
  product: { readonly id: number; readonly slug: string },
  edit: (portal: Portal) => Portal,
): Promise<Portal> {
  return retry(table, 'The portal', async () => {
    const item = await getItem(table, portalKey(product.slug));
    const before = item ? toPortal(item) : newPortal(product);
    const after = edit(before);
    const changed = changedFields(before, after);
    if (changed.length === 0) return before;
    const revision = item ? new RowReader(item).number('revision') : 0;
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
    return committed ? after : TRY_AGAIN;
  });
}
