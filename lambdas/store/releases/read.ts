import type { ReleaseStatus } from '../../contract/resources/release';
import type { Release } from '../../domain/releases/release';
import { versionPosition } from '../../domain/releases/version';
import { releaseIdKey, releaseKey, VERSION_PREFIX } from '../keys';
import { numberIn, readRows, stringIn } from '../row';
import { getItem, queryPages, readItems } from '../items';
import type { Item } from '../codec';
import type { Table } from '../table';
import { toRelease, type StoredRelease } from './rows';

/** Finds a release by its id; undefined if it does not exist. */
export async function findRelease(table: Table, id: number): Promise<StoredRelease | undefined> {
  const pointer = await getItem(table, releaseIdKey(id));
  if (!pointer) return undefined;
  const item = await getItem(table, releaseKey(numberIn(pointer, 'product_id'), stringIn(pointer, 'position')));
  return item && toRelease(item);
}

export interface ReleaseFilter {
  readonly channel?: string | undefined;
  readonly status?: ReleaseStatus | undefined;
}

/** Maximum number of query pages that one call reads. Each page has up to 1 MB, and releases with many files are long. */
const MAX_PAGES = 8;
/** Maximum number of files of draft releases on one page of the list, because each file is checked in the file store. */
const MAX_FILES_OF_DRAFTS = 500;

const filesOfDraft = ({ status, artifacts }: Release): number => (status === 'draft' ? artifacts.length : 0);

/**
 * Lists up to `limit` releases of a product that match the filter, newest version first. If `past` is given, the list begins after this
 * position. `next` is the position after which there are more releases.
 */
export async function listReleases(
  table: Table,
  productId: number,
  { channel, status }: ReleaseFilter,
  past: string | undefined,
  limit: number,
): Promise<{ releases: readonly Release[]; unreadable: number; next?: string }> {
  const releases: Release[] = [];
  let [unreadable, pages, files] = [0, 0, 0];
  let scanned: string | undefined;
  const first = releaseKey(productId, '');
  for await (const page of queryPages(table, {
    ConsistentRead: true,
    ScanIndexForward: false,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':pk': first.pk,
      ':first': first.sk,
      // A range in DynamoDB includes both ends, so the result can contain the release at the position `past`. That release is removed
      // below.
      ':last': releaseKey(productId, past ?? '~').sk,
    },
    Limit: limit + 2,
  })) {
    for (const item of page) {
      const position = positionOf(item);
      if (position === past) continue;
      const read = readRows([item], toRelease);
      unreadable += read.unreadable;
      const [release] = read.entities
        .map((stored) => stored.release)
        .filter((one) => (channel === undefined || one.channel === channel) && (status === undefined || one.status === status));
      if (release) {
        files += filesOfDraft(release);
        if (scanned !== undefined && (releases.length === limit || (files > MAX_FILES_OF_DRAFTS && releases.length > 0)))
          return { releases, unreadable, next: scanned };
        releases.push(release);
      }
      scanned = position;
    }
    pages += 1;
    if (pages >= MAX_PAGES && scanned !== undefined) return { releases, unreadable, next: scanned };
  }
  return { releases, unreadable };
}

const positionOf = (item: Item): string => String(item['sk']).slice(VERSION_PREFIX.length);

/** The published releases with the given versions. */
export async function readReleases(table: Table, productId: number, versions: ReadonlySet<string>): Promise<Release[]> {
  const keys = [...versions].map((version) => releaseKey(productId, versionPosition(version)));
  const { entities } = await readItems(table, keys, toRelease);
  return entities.flatMap(({ release }) => (release.status === 'published' ? [release] : []));
}
