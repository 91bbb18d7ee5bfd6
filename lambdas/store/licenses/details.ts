import type { License } from '../../domain/license';
import { metadataOf } from '../../domain/metadata';
import { licenseTypeKey, metadataKey, type Key } from '../keys';
import { stringIn } from '../row';
import { getItems } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';

const identity = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

const metadataKeyOf = ({ id, metadata: { json, ref } }: License): Key | undefined =>
  json === undefined && ref !== undefined ? metadataKey(id, ref) : undefined;
const typeKeyOf = ({ product_id, license_type }: License): Key => licenseTypeKey(product_id, license_type.id);

/**
 * Completes licenses for the admin view, in one read. The function adds long metadata, which is stored in separate rows, and the current
 * names of the license types, which may have changed since the sale (docs/spec/licenses.md, Terms of a license).
 */
export async function withDetails(table: Table, licenses: readonly License[]): Promise<License[]> {
  const wanted = new Map(
    licenses
      .flatMap((license) => [metadataKeyOf(license), typeKeyOf(license)])
      .flatMap((key): [string, Key][] => (key ? [[identity(key), key]] : [])),
  );
  const keys = [...wanted.values()];
  const items = await getItems(table, keys);
  const found = new Map<string, Item | undefined>(keys.map((key, index) => [identity(key), items[index]]));
  const nameOf = (row: Item | undefined): string | null => (row ? stringIn(row, 'name') : null);

  return licenses.map((license) => {
    const metadataRow = metadataKeyOf(license);
    const name = nameOf(found.get(identity(typeKeyOf(license)))) ?? license.license_type.name;
    const stored = metadataRow && found.get(identity(metadataRow));
    return {
      ...license,
      license_type: { ...license.license_type, name },
      ...(metadataRow && {
        metadata: stored ? { ref: license.metadata.ref, json: stringIn(stored, 'json') } : metadataOf('{}'),
      }),
    };
  });
}
