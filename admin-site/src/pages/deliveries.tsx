import type { Delivery } from '../api';
import { failureWords } from '../failure-words';
import type { DeliveryFilter } from '../queries';
import { href, Link } from '../router';
import { Status } from '../ui/status';
import { Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';

/** Entries of the delivery log. Each links to its details. */
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
      label="Deliveries"
      items={deliveries}
      id={({ id }) => id}
      href={({ id }) => href(`/products/${productId}/webhooks/${id}`, { ...filter })}
      busy={busy}
      columns={[
        {
          name: 'Event',
          cell: ({ id, event }) => (
            <Link
              to={href(`/products/${productId}/webhooks/${id}`, { ...filter })}
              className={`${tableClasses['link'] ?? ''} ${tableClasses['mono'] ?? ''}`}
            >
              {event}
            </Link>
          ),
        },
        { name: 'Status', clear: true, cell: ({ status: state }) => <Status status={state} /> },
        { name: 'Attempts', right: true, extra: true, cell: ({ attempts }) => attempts },
        {
          name: 'Error',
          cell: (delivery) =>
            delivery.last_error === null ? (
              <span className={tableClasses['dim']}>None</span>
            ) : (
              <bdi className={tableClasses['cut']} title={delivery.last_error}>
                {failureWords(delivery)}
              </bdi>
            ),
        },
        {
          name: 'License',
          clear: true,
          cell: ({ license_id: license }) =>
            license === null ? (
              <span className={tableClasses['dim']}>None</span>
            ) : (
              <Link to={href(`/licenses/${license}`)}>License {license}</Link>
            ),
        },
        { name: 'When', clear: true, cell: ({ created_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}
