import type { ReactNode } from 'react';
import type { LicenseType } from '../api';
import { useTypes } from '../queries/products';
import { href, Link } from '../router';
import { t } from '../texts';
import { LayersIcon } from '../ui/icons';
import { Empty, Loaded } from '../ui/states';

/** The content of a dialog that issues licenses. While the product has no type that is not archived, it says to add one first. */
export function OfferedTypes({
  productId,
  children,
}: {
  productId: number;
  /** @param types all types of the product @param offered those that are not archived */
  children: (offered: readonly LicenseType[], types: readonly LicenseType[]) => ReactNode;
}) {
  const query = useTypes(productId);
  return (
    <Loaded query={query}>
      {(types) => {
        const offered = types.filter(({ archived }) => !archived);
        return offered.length > 0 ? (
          children(offered, types)
        ) : (
          <Empty
            icon={<LayersIcon size={26} />}
            title={t('Add a license type first')}
            action={<Link to={href(`/products/${productId}/types`)}>{t('Add a license type')}</Link>}
          >
            {t('The type defines how long a license is valid and on how many devices it works.')}
          </Empty>
        );
      }}
    </Loaded>
  );
}
