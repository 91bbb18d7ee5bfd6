import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Payment } from '../api';
import { money } from '../currency';
import { exportName } from '../download';
import { country, reportedMoney } from '../money';
import { useChange } from '../queries/change';
import { exportPayments, useOrder, usePayment, usePayments, type PaymentFilter } from '../queries/payments';
import { useProductSlug } from '../queries/products';
import { go, href, Link } from '../router';
import { number, plural, t } from '../texts';
import { Act } from '../ui/act';
import { Dialog } from '../ui/dialog';
import { CardIcon, RefreshIcon } from '../ui/icons';
import { Dim, Facts, Panel, Row, Stack } from '../ui/page';
import { LoadedPages } from '../ui/pages';
import { SearchField } from '../ui/search-field';
import { Empty, Loaded, Problem } from '../ui/states';
import { statusWords, Status } from '../ui/status';
import { Table, tableClasses } from '../ui/table';
import { Ago, Moment } from '../ui/time';
import { AtProcessor } from './at-processor';
import { ExportButton } from './export-button';
import { LicenseLinks } from './license-links';
import { Payload } from './payload';
import { guides } from './processors';
import { SellAs } from './sell-as';

const statuses = ['held', 'waiting', 'done', 'ignored'] as const;
const statusOf = (text: string | null): Payment['status'] | undefined => statuses.find((status) => status === text);

const isOpen = ({ status }: Payment): boolean => status === 'held' || status === 'waiting';

/** The amounts in a notification with their labels. Not every processor sends every amount. */
const moneyFacts = (payment: Payment): (readonly [string, string])[] => [
  ...(payment.amount === null ? [] : [[t('Amount'), reportedMoney(payment) ?? ''] as const]),
  ...(payment.fee === null ? [] : [[t('Fee'), money(payment.fee, payment.currency)] as const]),
  ...(payment.country === null ? [] : [[t('Country'), country(payment.country)] as const]),
];

/** What the operator can do about a held sale. */
function Held({ payment: { id, product_id: productId, connection_id: connectionId, order_id: orderId } }: { payment: Payment }) {
  const order = useOrder(productId, orderId ?? '');
  return (
    <>
      {order.data && <SellAs order={order.data} held={[id]} />}
      <p>
        <Link to={href(`/products/${productId}/payments/${connectionId}`)}>{t('Open the connection')}</Link>
      </p>
    </>
  );
}

function Shown({ payment }: { payment: Payment }) {
  const process = useChange('processPayment', {
    stale: [
      ['payment', payment.id],
      ['payments', payment.product_id],
      ['orders', payment.product_id],
      ['licenses', payment.product_id],
      ['overview', payment.product_id],
    ],
    done: ({ status }) => (status === 'done' ? t('Processed') : t('It is still {status}', { status: statusWords(status).toLowerCase() })),
  });
  return (
    <Stack>
      <Row>
        <Status status={payment.status} />
        {isOpen(payment) && (
          <Act
            call="processPayment"
            size="xs"
            Icon={RefreshIcon}
            loading={process.isPending}
            onClick={() => process.mutate({ params: { payment: payment.id } })}
          >
            {t('Process again')}
          </Act>
        )}
      </Row>
      {process.error && <Problem error={process.error} />}
      {payment.status === 'held' && <Held payment={payment} />}
      <Facts
        facts={[
          [t('Why'), payment.reason === null ? <Dim key="why">—</Dim> : <bdi key="why">{payment.reason}</bdi>],
          [t('Licenses'), <LicenseLinks key="licenses" ids={payment.license_ids} />],
          [
            t('Order'),
            payment.order_id === null ? (
              <Dim key="order">{t('None')}</Dim>
            ) : (
              <Row key="order">
                <Link to={href(`/products/${payment.product_id}/payments`, { order: payment.order_id })}>{payment.order_id}</Link>
                <AtProcessor processor={payment.processor} kind="order" to={payment.links.order} />
              </Row>
            ),
          ],
          ...(payment.subscription_id === null
            ? []
            : [
                [
                  t('Subscription'),
                  <Row key="subscription">
                    <bdi>{payment.subscription_id}</bdi>
                    <AtProcessor processor={payment.processor} kind="subscription" to={payment.links.subscription} />
                  </Row>,
                ] as const,
              ]),
          ...moneyFacts(payment),
          [
            t('Buyer'),
            payment.customer_email === null ? <Dim key="buyer">{t('Unknown')}</Dim> : <bdi key="buyer">{payment.customer_email}</bdi>,
          ],
          [
            t('From'),
            [
              guides[payment.processor].name,
              ...(payment.test ? [t('test mode')] : []),
              ...(payment.source === 'reconcile' ? [t('found by reconciling')] : []),
            ].join(', '),
          ],
          ...(payment.occurred_at === null ? [] : [[t('Happened'), <Moment key="occurred" at={payment.occurred_at} />] as const]),
          [t('Received'), <Moment key="received" at={payment.received_at} />],
        ]}
      />
      <Payload>{payment.payload}</Payload>
    </Stack>
  );
}

export function PaymentDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = usePayment(id);
  return (
    <Dialog title={query.data?.type ?? t('Notification')} opened onClose={onClose} size="lg">
      <Loaded query={query}>{(payment) => <Shown payment={payment} />}</Loaded>
    </Dialog>
  );
}

function Rows({ productId, filter }: { productId: number; filter: PaymentFilter }) {
  const query = usePayments(productId, filter);
  const to = ({ id }: Payment): string =>
    href(`/products/${productId}/payments/${id}`, { view: 'log', status: filter.status, order: filter.order });
  return (
    <LoadedPages
      query={query}
      lines={4}
      empty={
        <Empty
          icon={<CardIcon size={26} />}
          title={
            filter.order !== ''
              ? t('No notifications about this order')
              : filter.status === undefined
                ? t('No notifications yet')
                : t('No notification is {status}', { status: statusWords(filter.status).toLowerCase() })
          }
        >
          {t('Every notification of a processor appears here for 90 days, with its status and the reason for the status.')}
        </Empty>
      }
    >
      {(payments) => (
        <Table
          label={t('Payments log')}
          items={payments}
          id={({ id }) => id}
          href={to}
          busy={query.isPlaceholderData}
          columns={[
            {
              name: t('Notification'),
              cell: (payment) => (
                <Link to={to(payment)} className={`${tableClasses['link'] ?? ''} ${tableClasses['mono'] ?? ''}`}>
                  {payment.type}
                </Link>
              ),
            },
            { name: t('Status'), clear: true, cell: ({ status }) => <Status status={status} /> },
            {
              name: t('Why'),
              cell: ({ reason }) =>
                reason === null ? (
                  <Dim>—</Dim>
                ) : (
                  <bdi className={tableClasses['cut']} title={reason}>
                    {reason}
                  </bdi>
                ),
            },
            {
              name: t('Order'),
              extra: true,
              cell: ({ order_id: order }) =>
                order === null ? (
                  <Dim>{t('None')}</Dim>
                ) : (
                  <bdi className={tableClasses['cut']} title={order}>
                    {order}
                  </bdi>
                ),
            },
            { name: t('Amount'), right: true, cell: (payment) => reportedMoney(payment) ?? <Dim>—</Dim> },
            { name: t('Licenses'), clear: true, cell: ({ license_ids: ids }) => <LicenseLinks ids={ids} /> },
            { name: t('When'), clear: true, cell: ({ received_at: at }) => <Ago at={at} /> },
          ]}
        />
      )}
    </LoadedPages>
  );
}

function ProcessAll({ productId }: { productId: number }) {
  const process = useChange('processPayments', {
    stale: [
      ['payments', productId],
      ['orders', productId],
      ['licenses', productId],
      ['overview', productId],
    ],
    done: ({ processed, held }) =>
      plural(held, 'Processed {processed}; {count} sale is still held', 'Processed {processed}; {count} sales are still held', {
        processed: number(processed),
      }),
  });
  return (
    <>
      <Act
        call="processPayments"
        size="xs"
        Icon={RefreshIcon}
        loading={process.isPending}
        onClick={() => process.mutate({ params: { id: productId } })}
      >
        {t('Process all held notifications')}
      </Act>
      {process.error && <Problem error={process.error} />}
    </>
  );
}

/** The processors' notifications and their effects. @param views links to the other views of the payments */
export function PaymentLog({
  productId,
  query,
  paymentId,
  views,
}: {
  productId: number;
  query: URLSearchParams;
  paymentId: string | undefined;
  views: ReactNode;
}) {
  const here = `/products/${productId}/payments`;
  const filter: PaymentFilter = { status: statusOf(query.get('status')), order: query.get('order') ?? '' };
  const slug = useProductSlug(productId);
  const show = (id: string): void => go(href(here, { view: 'log', status: filter.status, order: id }));
  return (
    <Panel
      title={t('Log')}
      action={
        <>
          <ProcessAll productId={productId} />
          <ExportButton
            label={t('Export CSV')}
            size="xs"
            file={exportName('payments', 'csv', slug)}
            read={(signal) => exportPayments(productId, filter, signal)}
          />
          <SearchField
            label={t('Payments of an order')}
            name={t('Order')}
            placeholder={t('Any id of an order')}
            searched={filter.order}
            onSearch={show}
          />
          <NativeSelect
            aria-label={t('Notifications by status')}
            size="xs"
            value={filter.status ?? ''}
            onChange={(event) => go(href(here, { view: 'log', status: event.currentTarget.value, order: filter.order }))}
            data={[{ value: '', label: t('Any status') }, ...statuses.map((status) => ({ value: status, label: statusWords(status) }))]}
          />
          {views}
        </>
      }
    >
      <Rows productId={productId} filter={filter} key={`${filter.status ?? ''} ${filter.order}`} />
      {paymentId !== undefined && <PaymentDialog id={paymentId} onClose={() => show(filter.order)} />}
    </Panel>
  );
}
