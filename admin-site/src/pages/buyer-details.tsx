import type { License, Payment } from '../api';
import { plural } from '../format';
import { reportedMoney } from '../money';
import { MAX_DETAILED, useBuyerMails, useBuyerOrders, useBuyerRefusals } from '../queries';
import { href, Link } from '../router';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';
import { Status } from '../ui/status';
import { Table } from '../ui/table';
import { Ago } from '../ui/time';
import { May } from '../permission';
import { eventWords } from './license-history';
import { RefusalTable } from './refusals';

/** What else there is about a buyer: orders, mails, and refused requests of their apps. */

/** Says that the panels below do not show everything. */
const Note = ({ licenses }: { licenses: readonly License[] }) =>
  licenses.length > MAX_DETAILED ? <p>Only of the first {plural(MAX_DETAILED, 'license')}. The export has all of them.</p> : null;

function Orders({ licenses }: { licenses: readonly License[] }) {
  const query = useBuyerOrders(licenses);
  return (
    <Panel title="Orders" note="What payment processors reported in the last 90 days.">
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No orders in the last 90 days.</p>
          ) : (
            <Table<Payment>
              label="Orders"
              items={rows}
              id={({ id }) => id}
              href={({ product_id: product, id }) => href(`/products/${product}/payments/${id}`)}
              columns={[
                {
                  name: 'Order',
                  cell: ({ id, product_id: product, order_id: order, type }) => (
                    <Link to={href(`/products/${product}/payments/${id}`)}>
                      <bdi>{order ?? type}</bdi>
                    </Link>
                  ),
                },
                { name: 'What', clear: true, cell: ({ action }) => action },
                { name: 'Status', clear: true, cell: ({ status }) => <Status status={status} /> },
                { name: 'Amount', right: true, cell: (row) => reportedMoney(row) ?? '—' },
                { name: 'When', clear: true, cell: ({ received_at: at }) => <Ago at={at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Mails({ licenses }: { licenses: readonly License[] }) {
  const query = useBuyerMails(licenses);
  return (
    <Panel title="Mails" note="The last 30 days.">
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p>No mails in the last 30 days.</p>
          ) : (
            <Table
              label="Mails"
              items={rows}
              id={({ id }) => id}
              href={({ product_id: product, id }) => href(`/products/${product}/webhooks/${id}`)}
              columns={[
                {
                  name: 'Mail',
                  cell: ({ id, product_id: product, event }) => (
                    <Link to={href(`/products/${product}/webhooks/${id}`)}>{eventWords[event]}</Link>
                  ),
                },
                { name: 'Status', clear: true, cell: ({ status }) => <Status status={status} /> },
                {
                  name: 'License',
                  clear: true,
                  cell: ({ license_id: id }) => id !== null && <Link to={href(`/licenses/${id}`)}>License {id}</Link>,
                },
                { name: 'When', clear: true, cell: ({ created_at: at }) => <Ago at={at} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Refusals({ licenses }: { licenses: readonly License[] }) {
  const query = useBuyerRefusals(licenses);
  return (
    <Panel title="Why was it refused?" note="The last requests of apps that were refused, for 30 days.">
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? <p>No app was refused in the last 30 days.</p> : <RefusalTable label="Refused requests" rows={rows} />
        }
      </Loaded>
    </Panel>
  );
}

export const BuyerDetails = ({ licenses }: { licenses: readonly License[] }) => (
  <>
    <Note licenses={licenses} />
    <May call="listPayments">
      <Orders licenses={licenses} />
    </May>
    <May call="listLicenseEvents">
      <Mails licenses={licenses} />
    </May>
    <May call="listLicenseRefusals">
      <Refusals licenses={licenses} />
    </May>
  </>
);
