import type { License, Payment } from '../api';
import { reportedMoney } from '../money';
import { MAX_DETAILED, useBuyerMails, useBuyerOrders, useBuyerRefusals } from '../queries';
import { href, Link } from '../router';
import { plural, t } from '../texts';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';
import { Status } from '../ui/status';
import { Table } from '../ui/table';
import { Ago } from '../ui/time';
import { May } from '../permission';
import { eventWords } from './license-history';
import { RefusalTable } from './refusals';

/** Panels of a buyer's page: the buyer's orders and mails, and the refused requests of the buyer's apps. */

/** A note that the panels cover only some of the buyer's licenses; nothing if the panels cover all of them. */
const Note = ({ licenses }: { licenses: readonly License[] }) =>
  licenses.length > MAX_DETAILED ? (
    <p>
      {plural(
        MAX_DETAILED,
        'Orders, mails and refused requests are shown only for the first {count} license. The export contains them for all licenses.',
        'Orders, mails and refused requests are shown only for the first {count} licenses. The export contains them for all licenses.',
      )}
    </p>
  ) : null;

function Orders({ licenses }: { licenses: readonly License[] }) {
  const query = useBuyerOrders(licenses);
  return (
    <Panel title={t('Orders')} note={t('What payment processors reported in the last 90 days.')}>
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('No orders in the last 90 days.')}</p>
          ) : (
            <Table<Payment>
              label={t('Orders')}
              items={rows}
              id={({ id }) => id}
              href={({ product_id: product, id }) => href(`/products/${product}/payments/${id}`)}
              columns={[
                {
                  name: t('Order'),
                  cell: ({ id, product_id: product, order_id: order, type }) => (
                    <Link to={href(`/products/${product}/payments/${id}`)}>
                      <bdi>{order ?? type}</bdi>
                    </Link>
                  ),
                },
                { name: t('What'), clear: true, cell: ({ action }) => action },
                { name: t('Status'), clear: true, cell: ({ status }) => <Status status={status} /> },
                { name: t('Amount'), right: true, cell: (row) => reportedMoney(row) ?? '—' },
                { name: t('When'), clear: true, cell: ({ received_at: at }) => <Ago at={at} /> },
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
    <Panel title={t('Mails')} note={t('The last 30 days.')}>
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('No mails in the last 30 days.')}</p>
          ) : (
            <Table
              label={t('Mails')}
              items={rows}
              id={({ id }) => id}
              href={({ product_id: product, id }) => href(`/products/${product}/webhooks/${id}`)}
              columns={[
                {
                  name: t('Mail'),
                  cell: ({ id, product_id: product, event }) => (
                    <Link to={href(`/products/${product}/webhooks/${id}`)}>{eventWords[event]}</Link>
                  ),
                },
                { name: t('Status'), clear: true, cell: ({ status }) => <Status status={status} /> },
                {
                  name: t('License'),
                  clear: true,
                  cell: ({ license_id: id }) =>
                    id !== null && <Link to={href(`/licenses/${id}`)}>{t('License {id}', { id: String(id) })}</Link>,
                },
                { name: t('When'), clear: true, cell: ({ created_at: at }) => <Ago at={at} /> },
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
    <Panel title={t('Why was it refused?')} note={t('The latest refused requests of apps. They are kept for 30 days.')}>
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('No request of an app was refused in the last 30 days.')}</p>
          ) : (
            <RefusalTable label={t('Refused requests')} rows={rows} />
          )
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
