import { Button } from '@mantine/core';
import { useState, type ComponentProps } from 'react';
import type { Delivery, License, Order, Refusal } from '../api';
import { useMay } from '../permission';
import { MAX_DETAILED, useBuyerEvents, useBuyerOrders, useBuyerRefusals } from '../queries/buyers';
import { useProductName } from '../queries/products';
import { Link } from '../router';
import { number, plural, t } from '../texts';
import { Panel, Stack } from '../ui/page';
import { Loaded } from '../ui/states';
import { Views } from '../ui/views';
import { DeliveryLink, happenedIn, Happened, subjectOf } from './license-history';
import classes from './license.module.css';
import { netOf, orderAddress, OrderTable } from './orders';
import { deviceOf, reasons } from './refusals';

/** The orders of a buyer, and everything that happened to the buyer's licenses, in one timeline. */

interface Props {
  readonly email: string;
  readonly licenses: readonly License[];
}

function OfProduct({ productId, orders, isNamed }: { productId: number; orders: readonly Order[]; isNamed: boolean }) {
  const name = useProductName(productId);
  return (
    <div>
      {isNamed && (
        <h3>
          <bdi>{name}</bdi>
        </h3>
      )}
      <OrderTable orders={orders} productId={productId} ofOneBuyer />
    </div>
  );
}

/** The orders of one buyer, by product. */
export function OrdersByProduct({ orders }: { orders: readonly Order[] }) {
  const products = [...new Set(orders.map(({ product_id: id }) => id))];
  return (
    <Stack>
      {products.map((id) => (
        <OfProduct
          key={id}
          productId={id}
          orders={orders.filter(({ product_id: product }) => product === id)}
          isNamed={products.length > 1}
        />
      ))}
    </Stack>
  );
}

export function BuyerOrders({ email, licenses }: Props) {
  const isPermitted = useMay()('listOrders');
  const query = useBuyerOrders(email, licenses, isPermitted);
  if (!isPermitted) return null;
  return (
    <Panel title={t('Orders')}>
      <Loaded query={query} lines={2}>
        {(orders) => (orders.length === 0 ? <p>{t('No orders.')}</p> : <OrdersByProduct orders={orders} />)}
      </Loaded>
    </Panel>
  );
}

const kinds = ['change', 'mail', 'order', 'refusal'] as const;
type Kind = (typeof kinds)[number];
const kindWords: Readonly<Record<Kind, string>> = {
  change: t('Changes'),
  mail: t('Mails'),
  order: t('Orders'),
  refusal: t('Refusals'),
};

interface Entry extends ComponentProps<typeof Happened> {
  readonly id: string;
  readonly kind: Kind;
}

const entryOfEvent = (delivery: Delivery, license: License, events: readonly Delivery[]): Entry => ({
  id: delivery.id,
  kind: delivery.channel === 'mail' ? 'mail' : 'change',
  what: happenedIn(delivery, events),
  name: subjectOf(delivery),
  by: delivery.by,
  at: delivery.created_at,
  license,
  more: <DeliveryLink delivery={delivery} />,
});

const entryOfOrder = (order: Order): Entry => ({
  id: order.id,
  kind: 'order',
  at: order.created_at,
  what: order.status === 'held' ? t('Ordered, held') : t('Ordered'),
  name: netOf(order),
  more: <Link to={orderAddress(order)}>{t('Order')}</Link>,
});

interface Of<Row> {
  readonly row: Row;
  readonly license: License;
}

/** The maximum time between an event about missing seats and the record of the refusal that caused it. */
const SAME_MS = 5000;

/** The event `license.seats_exhausted` that a refusal caused. It says the same as the refusal. */
const causedBy = ({ row, license }: Of<Refusal>, events: readonly Of<Delivery>[]): Of<Delivery> | undefined =>
  row.reason === 'no_seats'
    ? events.find(({ row: { event, created_at: at }, license: { id } }) => {
        const time = Date.parse(at);
        return (
          event === 'license.seats_exhausted' &&
          id === license.id &&
          time >= Date.parse(row.at) - SAME_MS &&
          time <= Date.parse(row.last_at) + SAME_MS
        );
      })
    : undefined;

/** The events and refusals of licenses. An event that a refusal caused is no entry of its own: the refusal links to it. */
export function entriesOf(events: readonly Of<Delivery>[], refusals: readonly Of<Refusal>[]): readonly Entry[] {
  const causes = refusals.map((refusal) => ({ ...refusal, event: causedBy(refusal, events) }));
  const merged = new Set(causes.map(({ event }) => event));
  const deliveries = events.map(({ row }) => row);
  return [
    ...events.filter((event) => !merged.has(event)).map(({ row, license }) => entryOfEvent(row, license, deliveries)),
    ...causes.map(
      ({ row, license, event }): Entry => ({
        id: `${license.id} ${row.at} ${row.reason} ${row.fingerprint_hint ?? ''}`,
        kind: 'refusal',
        at: row.last_at,
        what: row.count > 1 ? t('Refused {count} times', { count: number(row.count) }) : t('Refused'),
        name: `${reasons[row.reason]} (${deviceOf(row)})`,
        license,
        more: event ? <DeliveryLink delivery={event.row} /> : null,
      }),
    ),
  ];
}

/** The number of entries that are shown before the operator asks for more, and that are added each time. */
const STEP = 20;

function Entries({ entries, kind }: { entries: readonly Entry[]; kind: Kind | undefined }) {
  const [count, setCount] = useState(STEP);
  const shown = entries.filter((entry) => kind === undefined || entry.kind === kind);
  return (
    <Stack>
      {shown.length === 0 ? (
        <p>{t('Nothing in the last 30 days.')}</p>
      ) : (
        <ol className={classes['history']}>
          {shown.slice(0, count).map(({ id, kind: _, ...entry }) => (
            <Happened key={id} {...entry} />
          ))}
        </ol>
      )}
      {shown.length > count && (
        <div>
          <Button variant="default" size="xs" onClick={() => setCount(count + STEP)}>
            {t('Show older')}
          </Button>
        </div>
      )}
    </Stack>
  );
}

/**
 * @param show the kind of entries that are shown; all entries for any other text
 * @param to the URL of the page with another kind of entries
 */
export function Timeline({ email, licenses, show, to }: Props & { show: string | null; to: (kind?: Kind) => string }) {
  const kind = kinds.find((one) => one === show);
  const may = useMay();
  const [canEvents, canOrders, canRefusals] = [may('listLicenseEvents'), may('listOrders'), may('listLicenseRefusals')];
  const events = useBuyerEvents(licenses, canEvents);
  const orders = useBuyerOrders(email, licenses, canOrders);
  const refusals = useBuyerRefusals(licenses, canRefusals);
  const queries = [...(canEvents ? [events] : []), ...(canOrders ? [orders] : []), ...(canRefusals ? [refusals] : [])];
  const entries = (): readonly Entry[] =>
    [...entriesOf(events.data ?? [], refusals.data ?? []), ...(orders.data ?? []).map(entryOfOrder)].sort((a, b) =>
      b.at.localeCompare(a.at),
    );
  if (queries.length === 0) return null;
  return (
    <Panel
      title={t('Timeline')}
      action={
        <Views
          label={t('Entries shown')}
          views={([undefined, ...kinds] as const).map((one) => ({
            name: one === undefined ? t('Everything') : kindWords[one],
            to: to(one),
            isCurrent: one === kind,
          }))}
        />
      }
      note={
        licenses.length > MAX_DETAILED
          ? plural(
              MAX_DETAILED,
              'Orders, and what happened in the last 30 days to the first {count} license. The export contains everything.',
              'Orders, and what happened in the last 30 days to the first {count} licenses. The export contains everything.',
            )
          : t('Orders, and what happened to the licenses in the last 30 days, newest first.')
      }
    >
      <Loaded
        lines={4}
        query={{
          data: queries.every(({ data }) => data) ? entries() : undefined,
          error: queries.find(({ error }) => error)?.error ?? null,
          isFetching: queries.some(({ isFetching }) => isFetching),
          refetch: () => Promise.all(queries.map(({ refetch }) => refetch())),
        }}
      >
        {(all) => <Entries entries={all} kind={kind} key={kind} />}
      </Loaded>
    </Panel>
  );
}
