import type { Delivery } from '../api';
import { failureWords } from '../failure-words';
import type { DeliveryFilter } from '../queries/deliveries';
import { href, Link } from '../router';
import { t } from '../texts';
import { DeliveryStatus } from '../ui/status';
import { Dim } from '../ui/page';
import { Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';

/** Entries of the delivery log. Each entry links to its details. */
export function Deliveries({
  deliveries,
  productId,
  filter = {},
  busy = false,
}: {
  deliveries: readonly Delivery[];
  productId: number;
  filter?: DeliveryFilter;
  busy?: boolean;
}) {
  return (
    <Table
      label={t('Deliveries')}
      items={deliveries}
      id={({ id }) => id}
      href={({ id }) => href(`/products/${productId}/webhooks/${id}`, { ...filter })}
      busy={busy}
      columns={[
        {
          name: t('Event'),
          cell: ({ id, event }) => (
            <Link
              to={href(`/products/${productId}/webhooks/${id}`, { ...filter })}
              className={`${tableClasses['link'] ?? ''} ${tableClasses['mono'] ?? ''}`}
            >
              {event}
            </Link>
          ),
        },
        { name: t('Status'), clear: true, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
        { name: t('Attempts'), right: true, extra: true, cell: ({ attempts }) => attempts },
        {
          name: t('Error'),
          cell: (delivery) =>
            delivery.last_error === null ? (
              <Dim>{t('No error')}</Dim>
            ) : (
              <bdi className={tableClasses['cut']} title={delivery.last_error}>
                {failureWords(delivery)}
              </bdi>
            ),
        },
        {
          name: t('License'),
          clear: true,
          cell: ({ license_id: license }) =>
            license === null ? (
              <Dim>{t('None')}</Dim>
            ) : (
              <Link to={href(`/licenses/${license}`)}>{t('License {id}', { id: String(license) })}</Link>
            ),
        },
        { name: t('When'), clear: true, cell: ({ created_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}
