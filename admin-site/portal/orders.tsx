/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import type { PortalOrder } from '../../lambdas/contract/portal';
import { minorDigits } from '../currency-digits';
import { isSafe, pagesOf, type License } from './api';
import { boughtOf } from './bought';
import type { Buyer } from './buyer';
import { texts } from './texts';
import { Alert, dayOf, useRun } from './ui';

const words = texts.orders;

/** An amount in the currency's minor unit, such as `$49.00`. An unknown currency is left out. */
function money(amount: number, currency: string | null): string {
  const digits = minorDigits(currency ?? '');
  const style = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat(texts.language, currency === null ? style : { ...style, style: 'currency', currency });
  return format.format(amount / 10 ** digits);
}

const sumsOf = ({ amounts }: PortalOrder): readonly string[] =>
  amounts.flatMap(({ currency, paid, refunded }) => [
    money(paid, currency),
    ...(refunded > 0 ? [words.refunded(money(refunded, currency))] : []),
  ]);

function subscriptionOf({ subscription }: PortalOrder): readonly string[] {
  if (!subscription) return [];
  const { renews_at, ends_at } = subscription;
  if (ends_at !== null) return [(Date.parse(ends_at) > Date.now() ? words.ends : words.ended)(dayOf(ends_at))];
  return renews_at === null ? [] : [words.renews(dayOf(renews_at))];
}

const Bought = ({ parts }: { readonly parts: readonly string[] }) =>
  parts.length === 0 ? null : (
    <p>
      {parts.map((part, place) => (
        <span key={part}>
          {place === 0 ? '' : ' · '}
          <bdi>{part}</bdi>
        </span>
      ))}
    </p>
  );

/**
 * The buyer's orders with their amounts. Shows nothing if the vendor sells without a payment processor.
 *
 * @param licenses the licenses that the page has loaded
 */
export function Orders({ buyer: { session, isEnded }, licenses }: { readonly buyer: Buyer; readonly licenses: readonly License[] }) {
  const [orders, setOrders] = useState<readonly PortalOrder[]>([]);
  const run = useRun(undefined, isEnded);
  const read = async (): Promise<void> => {
    const all: PortalOrder[] = [];
    for await (const page of pagesOf<PortalOrder>('/orders', session)) all.push(...page);
    setOrders(all);
  };
  useEffect(() => run.start(read), [session]);
  if (orders.length === 0) return <Alert>{run.problem}</Alert>;
  return (
    <section class="card">
      <h3>{words.heading}</h3>
      <ul class="devices">
        {orders.map((order) => (
          <li key={`${order.processor} ${order.order_id ?? order.created_at}`}>
            <div>
              <p class="name">{[dayOf(order.created_at), ...sumsOf(order)].join(' · ')}</p>
              <Bought parts={boughtOf(order.license_ids, licenses, texts.licenses.keyHint)} />
              <p class="dim">
                {[...(order.order_id === null ? [] : [texts.licenses.order(order.order_id)]), ...subscriptionOf(order)].join(' · ')}
              </p>
            </div>
            {isSafe(order.receipt_url) ? (
              <a class="button" href={order.receipt_url} aria-label={words.receiptOf(dayOf(order.created_at))} rel="noreferrer noopener">
                {words.receipt}
              </a>
            ) : null}
          </li>
        ))}
      </ul>
      <Alert>{run.problem}</Alert>
    </section>
  );
}
