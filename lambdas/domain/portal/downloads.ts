import { isFailure } from '../../contract/errors';
import { isPastExpiry, type License } from '../license';
import type { Catalogue, CatalogueEntry } from '../releases/catalogue';
import { mayHave, rightsOf } from '../releases/offer';

/** The newest release that a license covers; undefined if the license is not active or covers no release. */
export function newestFor(license: License, catalogue: Catalogue, now: number): CatalogueEntry | undefined {
  if (license.status !== 'active' || isPastExpiry(license, now)) return undefined;
  const rights = rightsOf(license, now);
  return isFailure(rights) ? undefined : catalogue.find((entry) => mayHave(rights, entry));
}
