import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod/mini';
import type { Catalogue, CatalogueEntry } from '../../domain/releases/catalogue';
import { catalogueKey } from '../keys';
import { readRow } from '../row';
import type { Item } from '../codec';
import type { Action } from '../transaction';
import { number, packed } from '../../domain/stored';

/**
 * The catalogue of a channel. One row for each product and channel contains all data that is needed to select the release for an updater.
 * The selection therefore needs the same number of reads with 2 releases as with 2,000. A release takes about 20 bytes of the compressed
 * row.
 */

/** Maximum size of a compressed catalogue, in bytes. A row can have 400 KB. */
export const MAX_CATALOGUE_BYTES = 350_000;

/** An entry in its stored format. Names of features are stored once for the whole catalogue, and the entries refer to them by index. */
type StoredEntry = readonly [
  id: number,
  version: string,
  released_at: number,
  features: readonly number[],
  targets: number,
  signed: number,
];

interface StoredCatalogue {
  readonly features: readonly string[];
  readonly entries: readonly StoredEntry[];
}

/** A catalogue as read from the table, with its revision. */
export interface ReadCatalogue {
  readonly catalogue: Catalogue;
  /** A number that increases with each change of the catalogue; 0 if there is no row yet. */
  readonly revision: number;
}

export function packCatalogue(catalogue: Catalogue): Buffer {
  const features = [...new Set(catalogue.flatMap((entry) => entry.features))];
  const places = new Map(features.map((name, place) => [name, place]));
  const entries = catalogue.map(
    (entry): StoredEntry => [
      entry.id,
      entry.version,
      entry.released_at,
      entry.features.map((name) => places.get(name) ?? 0),
      entry.targets,
      entry.signed,
    ],
  );
  return deflateRawSync(JSON.stringify({ features, entries } satisfies StoredCatalogue), { level: 9 });
}

function unpack(bytes: Uint8Array): Catalogue {
  const { features, entries } = JSON.parse(inflateRawSync(bytes).toString()) as StoredCatalogue;
  return entries.map(
    ([id, version, released_at, places, targets, signed]): CatalogueEntry => ({
      id,
      version,
      released_at,
      features: places.map((place) => features[place] ?? ''),
      targets,
      signed,
    }),
  );
}

const catalogueSchema = z.object({ entries: packed(unpack), revision: number });

/** @throws UnreadableRow */
export function toCatalogue(item: Item | undefined): ReadCatalogue {
  if (!item) return { catalogue: [], revision: 0 };
  const { entries, revision } = readRow(catalogueSchema, item);
  return { catalogue: entries, revision };
}

/** The action that replaces a catalogue. The transaction fails if the catalogue has changed since it was read. */
export const putCatalogue = (productId: number, channel: string, entries: Uint8Array, read: number): Action => ({
  Put: {
    Item: { ...catalogueKey(productId, channel), version: 1, product_id: productId, channel, entries, revision: read + 1 },
    ConditionExpression: read === 0 ? 'attribute_not_exists(pk)' : 'revision = :read',
    ...(read > 0 && { ExpressionAttributeValues: { ':read': read } }),
  },
});
