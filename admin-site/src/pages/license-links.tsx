import { href, Link } from '../router';
import { number, t } from '../texts';
import { Dim, Row } from '../ui/page';

/** Links to the licenses of an order. */
export function LicenseLinks({ ids }: { ids: readonly number[] }) {
  if (ids.length === 0) return <Dim>{t('None')}</Dim>;
  return (
    <Row>
      {ids.slice(0, 3).map((id) => (
        <Link key={id} to={href(`/licenses/${id}`)}>
          {t('License {id}', { id: String(id) })}
        </Link>
      ))}
      {ids.length > 3 && <Dim>{t('and {count} more', { count: number(ids.length - 3) })}</Dim>}
    </Row>
  );
}
