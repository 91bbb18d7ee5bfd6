import { idKey, type Notification, type OrderId, type RefundedPart } from '../model';
import type { Order } from '../order';
import type { OrderDraft } from './order-draft';

/** The known payments of an order, with their ids and their refunds. */

/** Maximum number of partial refunds that are stored with an order, because the size of its row is limited. */
const MAX_PARTS = 1000;

/** Returns the keys (`idKey`) of all known ids of a payment, including ids that are only in other notifications about the same payment. */
export type KeysOfPayment = (payment: Notification['payment']) => readonly string[];

/** Collects the ids of each payment from all notifications. */
export function keysOfPayments(notifications: readonly Notification[]): KeysOfPayment {
  let groups: Set<string>[] = [];
  for (const { payment } of notifications) {
    const keys = (payment?.ids ?? []).map(idKey);
    if (keys.length === 0) continue;
    const touched = groups.filter((group) => keys.some((key) => group.has(key)));
    groups = [...groups.filter((group) => !touched.includes(group)), new Set([...keys, ...touched.flatMap((group) => [...group])])];
  }
  return (payment) => [
    ...new Set((payment?.ids ?? []).map(idKey).flatMap((key) => [key, ...(groups.find((group) => group.has(key)) ?? [])])),
  ];
}

/** Records the ids, the payment and the buyer of a notification, regardless of its other effects. */
export function learn(draft: OrderDraft, notification: Notification, keysOf: KeysOfPayment): void {
  const { ids, payment, customerId, customerEmail, actions } = notification;
  const { order } = draft;
  const known = new Set(order.ids.map(idKey));
  const payments: Record<string, number> = { ...order.payments };
  const keys = keysOf(payment);
  const sequence = payment?.sequence ?? keys.map((key) => payments[key]).find((value) => value !== undefined);
  if (sequence !== undefined) for (const key of keys) payments[key] ??= sequence;
  const parts = actions.flatMap((action) => (action.kind === 'refunded_in_part' && action.part ? [action.part] : []));
  draft.note({
    ids: [...order.ids, ...ids.filter((id) => !known.has(idKey(id)))],
    payments,
    ...(payment &&
      (parts.length > 0 || payment.total != null) && { refunds: refundsWith(order, payment.ids, payment.total ?? null, parts) }),
    customerId: order.customerId ?? customerId,
    customerEmail: order.customerEmail ?? customerEmail,
  });
}

function refundsWith(order: Order, ids: readonly OrderId[], total: number | null, parts: readonly RefundedPart[]): Order['refunds'] {
  const refunds = { ...order.refunds };
  for (const key of ids.map(idKey)) {
    const known = refunds[key];
    const all = { ...known?.parts, ...Object.fromEntries(parts.map(({ id, amount }) => [id, amount])) };
    refunds[key] = { total: known?.total ?? total, parts: Object.fromEntries(Object.entries(all).slice(0, MAX_PARTS)) };
  }
  return refunds;
}

/** The `sequence` of a payment; undefined if the payment is not known yet. */
export const sequenceOf = ({ payments }: Order, payment: Notification['payment']): number | undefined =>
  payment?.sequence ?? (payment?.ids ?? []).map((id) => payments[idKey(id)]).find((value) => value !== undefined);

/** Whether the partial refunds of a payment add up to the whole payment. */
export const isAllRefunded = ({ refunds }: Order, payment: Notification['payment']): boolean =>
  (payment?.ids ?? []).some((id) => {
    const { total = null, parts = {} } = refunds[idKey(id)] ?? {};
    return total !== null && total > 0 && Object.values(parts).reduce((sum, part) => sum + part, 0) >= total;
  });

/** The partial refunds that can still have an effect. Refunds of earlier payments no longer have an effect. */
export function presentRefunds({ refunds, payments, sequence }: Order): Order['refunds'] {
  const isPast = (key: string): boolean => sequence !== null && (payments[key] ?? sequence) < sequence;
  return Object.fromEntries(Object.entries(refunds).filter(([key]) => !isPast(key)));
}
