import type { ReactNode } from 'react';
import type { LicenseType, Order, Payment } from '../api';
import { money } from '../currency';
import { reportedMoney } from '../money';
import { May } from '../permission';
import { useConnection, useOrder, useOrders, usePayments } from '../queries/payments';
import { useTypes } from '../queries/products';
import { go, href, Link } from '../router';
import { t } from '../texts';
import { Dialog } from '../ui/dialog';
import { CardIcon } from '../ui/icons';
import { Dim, Facts, Panel, Row, Stack } from '../ui/page';
import { LoadedPages } from '../ui/pages';
import { SearchField } from '../ui/search-field';
import { Empty, Loaded } from '../ui/states';
import { Status } from '../ui/status';
import { Table, tableClasses } from '../ui/table';
import { Ago, Moment } from '../ui/time';
import { AtProcessor } from './at-processor';
import { LicenseLinks } from './license-links';
import { connectionName, guides } from './processors';
import { SellAs } from './sell-as';

/** The orders of a product: what was bought and paid, and how the subscription continues. */

type Subscription = NonNullable<Order['subscription']>;

const states: Readonly<Record<Subscription['state'], string>> = {
  trial: t('In trial'),
  active: t('Active'),
  past_due: t('Payment missing'),
  paused: t('Paused'),
  canceled: t('Canceled'),
  ended: t('Ended'),
  paid_off: t('Paid off'),
};

/** When the next payment is due, or when the subscription ends; undefined if neither is known. */
const nextOf = ({ state, renews_at: renews, ends_at: ends }: Subscription): { readonly name: string; readonly at: string } | undefined =>
  renews !== null
    ? { name: state === 'past_due' ? t('Due') : t('Renews'), at: renews }
    : ends !== null
      ? { name: state === 'ended' ? t('Ended') : t('Ends'), at: ends }
      : undefined;

const dash = <span className={`${tableClasses['dim'] ?? ''} ${tableClasses['missing'] ?? ''}`}>—</span>;

/** What is left of the payments: `$49.00`, or one amount for each currency. */
export const netOf = ({ amounts }: Pick<Order, 'amounts'>): string => amounts.map(({ net, currency }) => money(net, currency)).join(', ');

/** What was bought: `Pro × 3, Team`. */
const boughtOf = ({ lines }: Order, types: readonly LicenseType[] | undefined): string =>
  lines
    .map(({ ref, quantity, license_type_id: id }) => {
      const name = types?.find((type) => type.id === id)?.name ?? ref ?? t('Unknown product');
      return quantity === 1 ? name : `${name} × ${quantity}`;
    })
    .join(', ');

const nameOf = ({ order_id: id, subscription_id: subscription }: Order): string => id ?? subscription ?? t('Order');

/** The id by which the page finds an order again. */
const idOf = ({ order_id: id, subscription_id: subscription }: Order): string => id ?? subscription ?? '';

export const orderAddress = (order: Order): string => href(`/products/${order.product_id}/payments`, { order: idOf(order) });

/** `Active, renews in 30 days`. */
const Subscribed = ({ subscription }: { subscription: Order['subscription'] }) => {
  if (!subscription) return dash;
  const next = nextOf(subscription);
  return (
    <span>
      {states[subscription.state]}
      {next && (
        <Dim>
          {subscription.state === 'ended' ? ' ' : `, ${next.name.toLowerCase()} `}
          <Ago at={next.at} />
        </Dim>
      )}
    </span>
  );
};

/** Whether an order is held or waits, or whether its money was kept. */
function OrderStatus({ order: { status, amounts } }: { order: Order }) {
  if (status !== 'done') return <Status status={status} />;
  if (amounts.some(({ refunded }) => refunded > 0))
    return <Status status="ignored" words={amounts.every(({ net }) => net <= 0) ? t('Refunded') : t('Partly refunded')} />;
  return amounts.some(({ paid }) => paid > 0) ? <Status status="done" words={t('Paid')} /> : dash;
}

/** @param ofOneBuyer whether all orders have the same buyer; the rows are then named by the ids of the orders */
export function OrderTable({
  orders,
  productId,
  busy,
  ofOneBuyer = false,
}: {
  orders: readonly Order[];
  productId: number;
  busy?: boolean;
  ofOneBuyer?: boolean;
}) {
  const types = useTypes(productId);
  const rowName = (order: Order): string => (ofOneBuyer ? nameOf(order) : (order.customer_email ?? t('Unknown buyer')));
  return (
    <Table
      label={t('Orders')}
      items={orders}
      id={({ id }) => id}
      href={orderAddress}
      busy={busy ?? false}
      columns={[
        {
          name: ofOneBuyer ? t('Order') : t('Buyer'),
          cell: (order) => (
            <Link to={orderAddress(order)} className={tableClasses['link']}>
              <bdi className={tableClasses['cut']} title={rowName(order)}>
                {rowName(order)}
              </bdi>
            </Link>
          ),
        },
        { name: t('Bought'), cell: (order) => <bdi className={tableClasses['cut']}>{boughtOf(order, types.data) || '—'}</bdi> },
        { name: t('Net'), right: true, cell: (order) => netOf(order) || dash },
        {
          name: t('Status'),
          clear: true,
          cell: (order) => (
            <>
              <OrderStatus order={order} /> {order.test && <Dim>{t('test')}</Dim>}
            </>
          ),
        },
        { name: t('Subscription'), clear: true, cell: ({ subscription }) => <Subscribed subscription={subscription} /> },
        { name: t('When'), clear: true, cell: ({ created_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}

/** The notifications about an order. */
function Log({ payments, order }: { payments: readonly Payment[]; order: Order }) {
  const to = ({ id }: Payment): string => href(`/products/${order.product_id}/payments/${id}`, { order: idOf(order) });
  if (payments.length === 0) return <p>{t('The notifications about this order are older than 90 days.')}</p>;
  return (
    <Table
      label={t('Notifications')}
      items={payments}
      id={({ id }) => id}
      href={to}
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
        { name: t('Amount'), right: true, cell: (payment) => reportedMoney(payment) ?? dash },
        { name: t('When'), clear: true, cell: ({ received_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}

/** The connection through which an order was sold, and why a held order is not processed. */
function Held({ order, held }: { order: Order; held: readonly Payment[] }) {
  const connection = useConnection(order.connection_id);
  const why = held.find(({ reason }) => reason !== null)?.reason;
  return (
    <Panel title={t('This sale is held')} tone="bad" note={why == null ? undefined : <bdi>{why}</bdi>}>
      <Stack>
        <SellAs order={order} held={held.map(({ id }) => id)} />
        <p>
          <Link to={href(`/products/${order.product_id}/payments/${order.connection_id}`)}>
            {t('Open the connection {name}', { name: connection.data ? connectionName(connection.data) : guides[order.processor].name })}
          </Link>
        </p>
      </Stack>
    </Panel>
  );
}

const amountFacts = ({ amounts }: Order): (readonly [string, ReactNode])[] =>
  amounts.flatMap(({ currency, paid, refunded, fees, net }) => {
    const name = (text: string): string => (amounts.length > 1 ? `${text} (${currency ?? '?'})` : text);
    return [
      [name(t('Paid')), money(paid, currency)] as const,
      ...(refunded > 0 ? [[name(t('Refunded')), money(refunded, currency)] as const] : []),
      [name(t('Net')), <strong key="net">{money(net, currency)}</strong>] as const,
      ...(fees === null ? [] : [[name(t('Fees')), money(fees, currency)] as const]),
    ];
  });

function Shown({ order }: { order: Order }) {
  const types = useTypes(order.product_id);
  const log = usePayments(order.product_id, { status: undefined, order: idOf(order) });
  const payments = log.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const { subscription, customer_email: email } = order;
  const next = subscription && nextOf(subscription);
  return (
    <Stack>
      {order.status === 'held' && <Held order={order} held={payments.filter(({ status }) => status === 'held')} />}
      <Facts
        facts={[
          [t('Id'), <bdi key="id">{nameOf(order)}</bdi>],
          [
            t('Buyer'),
            email === null ? (
              <Dim key="buyer">{t('Unknown')}</Dim>
            ) : (
              <Link key="buyer" to={href('/find', { q: email, all: '1' })}>
                {email}
              </Link>
            ),
          ],
          [t('Bought'), <bdi key="bought">{boughtOf(order, types.data) || '—'}</bdi>],
          [t('Licenses'), <LicenseLinks key="licenses" ids={order.license_ids} />],
          ...amountFacts(order),
          ...(subscription === null ? [] : [[t('Subscription'), states[subscription.state]] as const]),
          ...(next ? [[next.name, <Moment key="next" at={next.at} />] as const] : []),
          [
            t('From'),
            <Row key="from">
              {[guides[order.processor].name, ...(order.test ? [t('test mode')] : [])].join(', ')}
              <AtProcessor processor={order.processor} kind="order" to={order.links.order} />
              <AtProcessor processor={order.processor} kind="subscription" to={order.links.subscription} />
              {order.receipt_url !== null && (
                <a href={order.receipt_url} target="_blank" rel="noreferrer">
                  {t('The buyer’s receipt')}
                </a>
              )}
            </Row>,
          ],
          [t('When'), <Moment key="when" at={order.created_at} />],
        ]}
      />
      <May call="listPayments">
        <div>
          <h3>{t('Notifications')}</h3>
          <Loaded query={{ ...log, data: log.data && payments }} lines={3}>
            {(rows) => <Log payments={rows} order={order} />}
          </Loaded>
        </div>
      </May>
    </Stack>
  );
}

export function OrderDialog({ productId, id, onClose }: { productId: number; id: string; onClose: () => void }) {
  const query = useOrder(productId, id);
  return (
    <Dialog title={t('Order')} opened onClose={onClose} size="lg">
      <Loaded query={query}>
        {(order) => (order === null ? <p>{t('No order of this product has this id.')}</p> : <Shown order={order} />)}
      </Loaded>
    </Dialog>
  );
}

function Rows({ productId, find }: { productId: number; find: string }) {
  const query = useOrders(productId, { find });
  return (
    <LoadedPages
      query={query}
      lines={4}
      empty={
        <Empty icon={<CardIcon size={26} />} title={find === '' ? t('No orders yet') : t('No order found')}>
          {find === ''
            ? t('Every purchase appears here with its licenses, payments and refunds.')
            : t('Enter the buyer’s complete e-mail address, or a complete id of the order.')}
        </Empty>
      }
    >
      {(orders) => <OrderTable orders={orders} productId={productId} busy={query.isPlaceholderData} />}
    </LoadedPages>
  );
}

/** The orders of a product, newest first. @param views links to the other views of the payments */
export function Orders({ productId, find, views }: { productId: number; find: string; views: ReactNode }) {
  return (
    <Panel
      title={t('Orders')}
      action={
        <>
          <SearchField
            label={t('Find orders')}
            name={t('Buyer or order')}
            placeholder={t('Buyer or order id')}
            searched={find}
            onSearch={(text) => go(href(`/products/${productId}/payments`, { find: text }))}
          />
          {views}
        </>
      }
    >
      <Rows productId={productId} find={find} key={find} />
    </Panel>
  );
}
