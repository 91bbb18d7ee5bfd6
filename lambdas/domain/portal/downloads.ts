import { covers, limitsOf } from '../coverage';
import { effectiveFeatures, isPastExpiry, type License } from '../license';
import type { Catalogue, CatalogueEntry } from '../releases/catalogue';

/** The newest release that a license may have; undefined if the license is not active, or covers none. */
export function newestFor(license: License, catalogue: Catalogue, now: number): CatalogueEntry | undefined {
  if (license.status !== 'active' || isPastExpiry(license, now)) return undefined;
  const limits = limitsOf(license, now);
  const held = effectiveFeatures(license);
  return catalogue.find((entry) => covers(limits, entry) && entry.features.every((name) => held.includes(name)));
}
