import type { Delivery } from '../../domain/delivery';
import { withMetadata } from '../../domain/metadata';
import { metadataKey } from '../keys';
import { stringIn } from '../row';
import { getItems } from '../items';
import type { Table } from '../table';

/** Returns events with complete bodies. Long metadata is stored in separate rows, and the stored bodies refer to them. */
export async function completeBodies(table: Table, deliveries: readonly Delivery[]): Promise<Delivery[]> {
  const keys = deliveries.map(({ license_id, metadata_ref }) =>
    license_id !== null && metadata_ref !== undefined ? metadataKey(license_id, metadata_ref) : undefined,
  );
  const distinct = new Map(keys.flatMap((key) => (key ? [[`${key.pk}/${key.sk}`, key]] : [])));
  if (distinct.size === 0) return [...deliveries];
  const names = [...distinct.keys()];
  const items = await getItems(table, [...distinct.values()]);
  return deliveries.map((delivery, index) => {
    const key = keys[index];
    if (!key || delivery.metadata_ref === undefined) return delivery;
    const item = items[names.indexOf(`${key.pk}/${key.sk}`)];
    // If the metadata was erased, the body contains an empty object in its place.
    return { ...delivery, body: withMetadata(delivery.body, delivery.metadata_ref, item ? stringIn(item, 'json') : '{}') };
  });
}

/** Returns one event with its complete body, like {@link completeBodies}. */
export async function completeBody(table: Table, delivery: Delivery): Promise<Delivery> {
  const [complete = delivery] = await completeBodies(table, [delivery]);
  return complete;
}
