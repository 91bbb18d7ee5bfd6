import type { Item } from '../../../lambdas/store/codec';
import { toStoredOrder } from '../../../lambdas/store/payments/orders';
import { openDisputes, target } from '../../../lambdas/domain/payments/target';
import { terms } from '../../support/orders';

/** An order that an earlier version stored must be read with the same meaning. Otherwise its next notification changes licenses wrongly. */

const END = Date.UTC(2026, 11, 21, 10);
const GRACE = 3 * 86_400_000;
const PAID = 1795255204000;

/** A row of the commit before facts were stored: two licenses of a Paddle subscription, one of them given up, and an open dispute. */
const row = (order: object = {}): Item => ({
  pk: 'PAYMENT#ORDER#1#u',
  sk: 'ORDER',
  version: 1,
  uid: 'u',
  order_version: 4,
  order: JSON.stringify({
    ids: [
      { kind: 'subscription', id: 'sub_1' },
      { kind: 'transaction', id: 'txn_1' },
    ],
    payments: { 'transaction:txn_1': END },
    sequence: END,
    paidUntil: END,
    periods: [{ at: PAID, until: END, sequence: END }],
    runs: [{ at: PAID, until: END }],
    refunds: { 'transaction:txn_1': { total: 9800, parts: {} } },
    refunded: [],
    firstSequence: END,
    paidAt: PAID,
    endedAt: null,
    cancellation: null,
    newest: { lines: PAID + 1000, payment: PAID, dispute: PAID + 2000 },
    standing: ['dispute'],
    closed: null,
    lines: [
      {
        id: 'pri_1',
        refs: ['pri_1'],
        quantity: 1,
        oneOff: false,
        licenseTypeId: 1,
        mode: 'licenses',
        extends: 'license',
        fallbackMonths: null,
      },
    ],
    unsold: [],
    customerId: 'ctm_1',
    customerEmail: 'ada@example.com',
    ...order,
  }),
  licenses: [
    { id: 1, key: 'K1', reissued: false, line: 'pri_1', issued_expires_at: END + GRACE },
    {
      id: 2,
      key: 'K2',
      reissued: false,
      line: 'pri_1',
      issued_expires_at: END + GRACE,
      is_fallback: true,
      removed_at: PAID + 1000,
      removed_until: END,
    },
  ],
  waiting: JSON.stringify([
    {
      payment_id: 'p',
      status: 'waiting',
      received_at: PAID,
      notification: {
        eventId: 'e',
        type: 't',
        occurredAt: null,
        test: null,
        ids: [],
        subscriptionId: null,
        payment: { ids: [], sequence: null, total: 4900 },
        customerId: null,
        customerEmail: null,
        repeatable: false,
        actions: [{ kind: 'refunded_in_part', part: { id: 'adj_1', amount: 100 } }],
      },
    },
  ]),
  issued_at: PAID,
});

test('dates, causes, the buyer and licenses that were given up are the same as before', () => {
  const { facts, licenses, waiting } = toStoredOrder(row());
  const { lines, customerEmail, closed } = target(facts, terms());
  expect([customerEmail, closed]).toEqual(['ada@example.com', null]);
  expect(lines[0]?.slots).toMatchObject([
    { expires: { at: END + GRACE }, isEnding: false, causes: [{ cause: 'dispute' }], revoked: null },
    { expires: { at: END }, isEnding: true },
  ]);
  expect(licenses.map(({ id, overridden }) => [id, overridden])).toEqual([
    [1, []],
    [2, []],
  ]);
  expect(waiting[0]?.notification).toMatchObject({
    checkoutRefs: [],
    payment: { amount: 4900 },
    actions: [{ kind: 'refunded_in_part', refund: { id: 'adj_1', amount: 100 } }],
  });
});

test('a dispute without an id ends with a later report about a dispute', () => {
  const { facts } = toStoredOrder(row());
  const won = {
    id: 'adj_2',
    payment: [],
    state: 'won',
    at: PAID + 3000,
    openedAt: null,
    lostAt: null,
    isReversal: false,
    effect: 'suspend',
  } as const;
  expect(openDisputes(facts)).toHaveLength(1);
  expect(openDisputes({ ...facts, disputes: [...facts.disputes, won] })).toEqual([]);
});

test.each([
  ['refunded', { closed: 'refunded', refunded: [END] }],
  ['dispute_lost', { closed: 'dispute_lost', standing: [] }],
] as const)('an order that was closed issues nothing more (%s)', (closed, order) => {
  expect(target(toStoredOrder(row(order)).facts, terms()).closed).toBe(closed);
});

test('an order whose subscription had ended expires with the paid time', () => {
  const { lines } = target(toStoredOrder(row({ endedAt: END, standing: [] })).facts, terms());
  expect(lines[0]?.slots[0]).toMatchObject({ expires: { at: END }, isEnding: true });
});
