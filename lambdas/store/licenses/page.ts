import { behindLicense, licenseKey, listPosition } from '../keys';
import type { Query } from '../items';
import type { LicenseWithDevices } from './read';

export interface LicensePage {
  readonly licenses: readonly LicenseWithDevices[];
  /** Number of rows that this version cannot read. The licenses in these rows are missing from `licenses`. */
  readonly unreadable: number;
  /** The id after which the next page starts, if there may be more licenses. */
  readonly next?: number;
}

/**
 * The start of a page: the list continues after the id `past`, in ascending or descending order of ids. With 0 the list starts at its
 * beginning.
 */
export interface Start {
  readonly order: 'asc' | 'desc';
  readonly past: number;
}

export const isPast = (id: number, { order, past }: Start): boolean => past === 0 || (order === 'asc' ? id > past : id < past);

/** The key condition that selects the rows of an index that follow a license and all its devices in the given sort order. */
export function keysPast(
  name: string,
  partition: string,
  { order, past }: Start,
): Pick<Query, 'KeyConditionExpression' | 'ExpressionAttributeValues' | 'ScanIndexForward'> {
  const bound = order === 'asc' ? `${name}_sk > :past` : `${name}_sk < :past`;
  const whole = order === 'desc' && past === 0;
  return {
    ScanIndexForward: order === 'asc',
    KeyConditionExpression: `${name}_pk = :partition${whole ? '' : ` AND ${bound}`}`,
    ExpressionAttributeValues: {
      ':partition': partition,
      ...(!whole && { ':past': order === 'asc' ? behindLicense(past) : listPosition(past) }),
    },
  };
}

/** Extracts the license key from the partition key of a license's row. */
export const keyIn = (productId: number, pk: string): string => pk.slice(licenseKey(productId, '').pk.length);
