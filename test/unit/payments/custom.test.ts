import { adapters, type Action } from '../../../lambdas/domain/payments';

/**
 * The format in which a vendor's own shop sends its sales (docs/spec/payments.md). The vendor has only the
 * documentation and the errors to get it right.
 */

const { custom } = adapters;
const now = Date.UTC(2026, 10, 20, 12);
const at = '2026-11-20T12:00:00Z';
const from = '2026-11-20T00:00:00Z';
const until30 = '2026-12-20T00:00:00Z';
const ms = (time: string): number => Date.parse(time);
const common = { id: 'n-1', at, order: '1001' };
const lines = [{ id: '1', ref: 'pro', quantity: 2 }];
const sale = { ...common, type: 'sale', buyer: { email: 'Ada@Example.com', name: 'Ada' }, lines };
const refusal = (body: object): string | undefined => custom.refusal?.(JSON.stringify(body), now);
const actionsOf = (body: object): readonly Action[] => {
  expect(refusal(body)).toBeUndefined();
  return custom.read(JSON.stringify(body), {})!.actions;
};

/** Each row: the name of the field in the error, and a sale in which this field is wrong. */
const wrong: readonly (readonly [field: string, change: object])[] = [
  ['id', { id: undefined }],
  ['id', { id: '' }],
  ['id', { id: 'x'.repeat(256) }],
  ['id', { id: 5 }],
  ['id', { id: 'a\0' }],
  ['at', { at: undefined }],
  ['at', { at: 'yesterday' }],
  ['at', { at: '2026-11-20T12:06:00Z' }],
  ['at', { at: null }],
  ['type', { type: undefined }],
  ['type', { type: 'gift' }],
  ['type', { type: null }],
  ['order', { order: undefined }],
  ['order', { order: 1001 }],
  ['subscription', { subscription: '' }],
  ['subscription', { subscription: null }],
  ['buyer', { buyer: undefined }],
  ['buyer', { buyer: null }],
  ['buyer.email', { buyer: { email: 'ada' } }],
  ['buyer.email', { buyer: {} }],
  ['buyer.name', { buyer: { email: 'ada@example.com', name: 5 } }],
  ['lines', { lines: undefined }],
  ['lines', { lines: [] }],
  ['lines', { lines: Array.from({ length: 101 }, (_, place) => ({ id: String(place), ref: 'pro', quantity: 1 })) }],
  ['lines', { lines: [...lines, ...lines] }],
  ['lines[0].ref', { lines: [{ id: '1', quantity: 1 }] }],
  ['lines[0].quantity', { lines: [{ id: '1', ref: 'pro', quantity: -1 }] }],
  ['lines[0].quantity', { lines: [{ id: '1', ref: 'pro', quantity: 100_001 }] }],
  ['lines[0].quantity', { lines: [{ id: '1', ref: 'pro', quantity: '1' }] }],
  ['period', { type: 'renewal', period: undefined }],
  ['period.from', { period: { until: until30 } }],
  ['period.until', { period: { from, until: from } }],
  ['period.until', { period: { from, until: null } }],
  ['trial', { trial: 'yes' }],
  ['payment.id', { payment: { amount: 1 } }],
  ['payment.amount', { payment: { id: 'p', amount: 0.5 } }],
  ['payment.amount', { payment: { id: 'p', amount: -1 } }],
  ['payment.currency', { payment: { id: 'p', currency: 'EURO' } }],
  ['refund', { type: 'refund' }],
  ['refund.id', { type: 'refund', refund: {} }],
  ['refund.payment', { type: 'refund', refund: { id: 'r', payment: '' } }],
  ['refund.amount', { type: 'refund', refund: { id: 'r', amount: '5' } }],
  ['refund.lines', { type: 'refund', refund: { id: 'r', lines: [] } }],
  ['refund.lines[0]', { type: 'refund', refund: { id: 'r', lines: [1] } }],
  ['dispute', { type: 'dispute' }],
  ['dispute.id', { type: 'dispute', dispute: { state: 'open' } }],
  ['dispute.state', { type: 'dispute', dispute: { id: 'd', state: 'closed' } }],
  ['subscription_state', { type: 'subscription', lines: undefined }],
  ['subscription_state', { type: 'subscription', subscription_state: 'gone' }],
  ['ends_at', { type: 'subscription', subscription_state: 'canceled', ends_at: 'soon' }],
];

test.each(wrong)('an error names the field `%s` (%j)', (field, change) => {
  expect(refusal({ ...sale, ...change })).toMatch(new RegExp(`^${field.replace(/[[\].]/g, '\\$&')} `));
  expect(field === 'at' || custom.read(JSON.stringify({ ...sale, ...change }), {}) === undefined).toBe(true);
});

test('a body that is not an object is refused, and unknown fields, also of other versions of a shop, are ignored', () => {
  for (const body of ['', 'null', '[]', '"sale"', '{']) expect(custom.refusal?.(body, now)).toBe('body must be a JSON object');
  expect(refusal({ ...sale, coupon: { code: 1 }, lines: [{ ...lines[0], sku: null }] })).toBeUndefined();
});

test('a sale is read field by field', () => {
  const body = { ...sale, subscription: 's-7', period: { from, until: until30 }, payment: { id: 'p-1', amount: 4900, currency: 'eur' } };
  expect(custom.read(JSON.stringify(body), {})).toMatchObject({
    eventId: 'n-1',
    type: 'sale',
    occurredAt: now,
    ids: [
      { kind: 'order', id: '1001' },
      { kind: 'subscription', id: 's-7' },
    ],
    leadingId: { kind: 'order', id: '1001' },
    subscriptionId: 's-7',
    payment: { ids: [{ kind: 'payment', id: 'p-1' }], amount: 4900 },
    customerEmail: 'Ada@Example.com',
    money: { transactionId: 'p-1', amount: 4900, currency: 'EUR', fee: null, country: null },
    needs: [],
    actions: [
      { kind: 'sale', lines: [{ id: '1', refs: ['pro'], quantity: 2, oneOff: false }], paidFrom: ms(from), paidUntil: ms(until30) },
    ],
  });
});

const refund = (more: object): object => ({ ...common, type: 'refund', refund: { id: 'r-1', ...more } });
const subscription = (more: object): object => ({ ...common, type: 'subscription', ...more });
const readAs: readonly (readonly [name: string, body: object, actions: readonly object[]])[] = [
  ['a sale without a period', sale, [{ kind: 'sale', paidUntil: null }]],
  ['a trial', { ...sale, period: { from, until: until30 }, trial: true }, [{ kind: 'sale', isTrial: true }]],
  ['a renewal', { ...common, type: 'renewal', period: { from, until: until30 } }, [{ kind: 'renewal', lines: [], paidUntil: ms(until30) }]],
  ['a refund of everything', refund({}), [{ kind: 'refunded', refund: { id: 'r-1', amount: null } }]],
  ['a refund of an amount', refund({ amount: 5 }), [{ kind: 'refunded_in_part', refund: { amount: 5 } }]],
  [
    'a refund of lines, in full whatever amount it has',
    refund({ lines: ['1', '1'], amount: 5 }),
    [{ kind: 'refunded_in_part', refund: { amount: null, items: [{ id: '1', inFull: true, amount: null }] } }],
  ],
  ...(['opened', 'won', 'lost'] as const).map(
    (state) =>
      [
        `a dispute that is ${state}`,
        { ...common, type: 'dispute', dispute: { id: 'd', state: state === 'opened' ? 'open' : state } },
        [{ kind: `dispute_${state}`, id: 'd' }],
      ] as const,
  ),
  ['an active subscription', subscription({ subscription_state: 'active' }), [{ kind: 'paid_again' }, { kind: 'resumed' }]],
  ['a subscription with a missing payment', subscription({ subscription_state: 'past_due' }), [{ kind: 'payment_failed' }]],
  ['a paused subscription', subscription({ subscription_state: 'paused' }), [{ kind: 'paused' }]],
  [
    'a canceled subscription',
    subscription({ subscription_state: 'canceled', ends_at: until30 }),
    [{ kind: 'cancellation_announced', endsAt: ms(until30) }],
  ],
  ['an ended subscription', subscription({ subscription_state: 'ended', ends_at: from }), [{ kind: 'ended', endedAt: ms(from) }]],
  ['new lines', subscription({ lines }), [{ kind: 'changed', complete: true, lines: [{ id: '1', quantity: 2 }] }]],
  [
    'a longer trial',
    subscription({ subscription_state: 'active', trial: true, period: { from, until: until30 } }),
    [{ kind: 'paid_again' }, { kind: 'resumed' }, { kind: 'renewal', lines: [], paidUntil: ms(until30), isTrial: true }],
  ],
];

test.each(readAs)('%s', (_name, body, actions) => {
  const found = actionsOf(body);
  expect(found).toHaveLength(actions.length);
  expect(found).toMatchObject(actions);
});
