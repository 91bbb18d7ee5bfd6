import { keyHint } from '../key-hint';
import type { PortalLicenseView } from '../../lambdas/contract/portal';

/**
 * What an order bought: the name of the license type with the beginning of the key, or the number of licenses of each type. Licenses that
 * the page has not loaded, or that the buyer does not own any more, are left out.
 *
 * @param keyName names a key by its beginning
 */
export function boughtOf(
  ids: readonly number[],
  licenses: readonly Pick<PortalLicenseView, 'id' | 'key' | 'license_type'>[],
  keyName: (hint: string) => string,
): readonly string[] {
  const bought = licenses.filter(({ id }) => ids.includes(id));
  const [first, ...others] = bought;
  if (first && others.length === 0) return [first.license_type.name, ...(first.key === null ? [] : [keyName(keyHint(first.key))])];
  const names = bought.map(({ license_type }) => license_type.name);
  return [...new Set(names)].map((name) => {
    const count = names.filter((one) => one === name).length;
    return count === 1 ? name : `${name} × ${count}`;
  });
}
