import { processors } from '../../../lambdas/contract/processors';
import { type Fact } from '../../../bin/sell/shop';
import { adapters, type Notification } from '../../../lambdas/domain/payments';
import type { OrderLicense } from '../../../lambdas/domain/payments/difference';
import { noFacts } from '../../../lambdas/domain/payments/facts';
import { planOrder, type Outcome } from '../../../lambdas/domain/payments/plan';
import type { SaleTerms } from '../../../lambdas/domain/payments/sold-as';
import { DAY, START, SEATS, LICENSE, terms, Books, shopOf, messagesOf, end, good, active, unsettled, received } from '../../support/orders';

/** Which licenses a buyer has after a history. any-order.property.test.ts proves that the order of arrival makes no difference. */

describe.each(processors)('%s', (processor) => {
  const play = (facts: readonly Fact[], { settings = terms(), recurring = true, quantity = 1 } = {}): Books => {
    const { shop, purchase } = shopOf(processor);
    return received(settings, messagesOf(shop, purchase(recurring, quantity), facts));
  };
  const { facts } = shopOf(processor).shop;
  const reports = (...wanted: Fact[]): boolean => wanted.every((fact) => facts.includes(fact));

  test('a sale issues one license, which expires after the paid period and the grace period; a renewal extends it', () => {
    expect(good(play(['sale']))).toEqual([{ ...active, expiresAt: end(1) }]);
    expect(good(play(['sale', 'renewal', 'renewal']))).toEqual([{ ...active, expiresAt: end(3) }]);
    expect(good(play(['sale'], { recurring: false }))).toEqual([{ ...active, expiresAt: START + 365 * DAY }]);
    expect(unsettled(play(['sale', 'renewal']))).toEqual([]);
  });

  test('a refund of the current period revokes the license, and a refund of an earlier period does not', () => {
    expect(good(play(['sale', 'refunded']))).toEqual([]);
    expect(good(play(['sale', 'refunded'], { recurring: false }))).toEqual([]);
    expect(good(play(['sale', 'renewal', 'refunded']))).toEqual([]);
    expect(good(play(['sale', 'refunded in part']))).toHaveLength(1);
    expect(good(play(['sale', 'refunded in part'], { settings: terms({ on_partial_refund: 'revoke' }) }))).toEqual([]);

    // The refund of a period that has ended changes nothing.
    const { shop, purchase } = shopOf(processor);
    const bought = purchase(true);
    const books = new Books(terms());
    const sale = messagesOf(shop, bought, ['sale']);
    const first = { ...bought };
    const renewal = messagesOf(shop, bought, ['renewal']);
    for (const notification of [...sale, ...renewal, ...messagesOf(shop, first, ['refunded'])]) books.receive(notification);
    expect(good(books)).toEqual([{ ...active, expiresAt: end(2) }]);
    expect(books.rows.at(-1)?.outcome.reason).toMatch(/earlier period/);
    expect(unsettled(books)).toEqual([]);
  });

  test('if a suspension has several causes, the license stays suspended until all of them have ended', () => {
    const suspending = terms({ on_payment_failed: 'suspend' });
    const status = (books: Books): unknown => good(books).map(({ status, suspendedCause }) => [status, suspendedCause]);
    if (reports('payment failed')) {
      expect(status(play(['sale', 'payment failed']))).toEqual([['active', null]]);
      expect(status(play(['sale', 'payment failed'], { settings: suspending }))).toEqual([['suspended', 'payment']]);
      expect(status(play(['sale', 'payment failed', 'renewal'], { settings: suspending }))).toEqual([['active', null]]);
    }
    if (reports('paused', 'resumed')) {
      expect(status(play(['sale', 'paused']))).toEqual([['suspended', 'pause']]);
      expect(status(play(['sale', 'paused', 'resumed']))).toEqual([['active', null]]);
    }
    if (reports('dispute opened', 'dispute won')) {
      expect(status(play(['sale', 'dispute opened']))).toEqual([['suspended', 'dispute']]);
      expect(status(play(['sale', 'dispute opened', 'dispute won']))).toEqual([['active', null]]);
      expect(status(play(['sale', 'dispute opened'], { settings: terms({ on_dispute: 'nothing' }) }))).toEqual([['active', null]]);
      expect(good(play(['sale', 'dispute opened', 'dispute won'], { settings: terms({ on_dispute: 'revoke' }) }))).toEqual([]);
      expect(status(play(['sale', 'dispute opened', 'renewal'], { settings: suspending }))).toEqual([['suspended', 'dispute']]);
    }
    if (reports('dispute lost')) {
      expect(good(play(['sale', 'dispute opened', 'dispute lost']))).toEqual([]);
      expect(good(play(['sale', 'dispute lost'], { settings: terms({ on_dispute: 'nothing' }) }))).toEqual([]);
    }
    if (reports('paused', 'dispute opened'))
      expect(status(play(['sale', 'paused', 'dispute opened', 'resumed']))).toEqual([['suspended', 'dispute']]);
  });

  test('after the end of a subscription the license stays valid for the paid time, without grace; a cancellation changes nothing', () => {
    expect(good(play(['sale', 'canceled']))).toEqual([{ ...active, expiresAt: end(1) }]);
    expect(good(play(['sale', 'renewal', 'canceled', 'ended']))).toEqual([{ ...active, expiresAt: end(2, 0) }]);
    expect(
      good(play(['sale', 'ended', 'renewal']))
        .map(({ expiresAt }) => expiresAt)
        .every((expiresAt) => expiresAt === end(2) || expiresAt === end(2, 0)),
    ).toBe(true);
  });

  test('the quantity means licenses, seats or one license', () => {
    const { shop } = shopOf(processor);
    const sold = (quantity: 'licenses' | 'seats' | 'one', license_type_id = 2): unknown =>
      good(
        play(['sale'], {
          settings: terms({ plans: [{ ref: shop.ref.example, license_type_id, quantity, ...LICENSE }], default_license_type_id: null }),
          quantity: 3,
        }),
      ).map(({ type, seats }) => [type, seats]);
    expect(sold('licenses')).toEqual([
      [2, undefined],
      [2, undefined],
      [2, undefined],
    ]);
    expect(sold('seats')).toEqual([[2, 15]]);
    expect(sold('seats', 4)).toEqual([[4, 3]]);
    expect(sold('one')).toEqual([[2, undefined]]);
    const seats = terms({ plans: [{ ref: shop.ref.example, license_type_id: 2, quantity: 'seats', ...LICENSE }] });
    expect(good(play(['sale', 'quantity changed'], { settings: seats, quantity: 3 })).map((license) => license.seats)).toEqual([20]);
    if (processor !== 'gumroad') expect(good(play(['sale', 'quantity changed'], { quantity: 3 }))).toHaveLength(4);
  });

  test('a sale that cannot be executed is held, and later notifications of its order wait; nothing is lost', () => {
    const { shop } = shopOf(processor);
    const plan = { ref: shop.ref.example, license_type_id: 2, quantity: 'licenses', ...LICENSE } as const;
    const nothing = terms({ default_license_type_id: null });
    for (const [settings, quantity] of [
      [nothing, 1],
      [terms(), 26],
      [terms({ plans: [{ ...plan, license_type_id: 3 }] }), 1],
    ] as const) {
      const books = play(['sale', 'renewal'], { settings, quantity });
      expect(books.licenses.length <= (processor === 'stripe' ? 1 : 0)).toBe(true);
      if (books.licenses.length > 0) continue;
      expect(books.rows.some(({ outcome }) => outcome.status === 'held' && outcome.reason !== null)).toBe(true);
      books.process(terms({ plans: [{ ...plan, quantity: 'one' }] }));
      expect(good(books)).toEqual([{ ...active, type: 2, expiresAt: end(2) }]);
      expect(unsettled(books)).toEqual([]);
    }
    const refunded = play(['sale', 'refunded'], { settings: nothing });
    refunded.process(terms());
    expect(good(refunded)).toEqual([]);
    expect(refunded.rows.map(({ outcome }) => outcome.reason)).toContain('The order was refunded: nothing is issued or renewed.');
    expect(unsettled(refunded)).toEqual([]);
  });

  const both = (quantity: 'licenses' | 'seats' | 'one', more: Partial<SaleTerms> = {}): SaleTerms => {
    const { example, other, added = 'nothing' } = shopOf(processor).shop.ref;
    return terms({
      plans: [
        { ref: example, license_type_id: 1, quantity, ...LICENSE },
        { ref: other, license_type_id: 2, quantity, ...LICENSE },
        { ref: added, license_type_id: 4, quantity, ...LICENSE },
      ],
      default_license_type_id: null,
      ...more,
    });
  };

  if (reports('plan changed')) {
    test.each([
      [
        'licenses',
        [
          [2, undefined],
          [2, undefined],
        ],
      ],
      ['seats', [[2, 10]]],
      ['one', [[2, undefined]]],
    ] as const)("a change of plan moves the order's licenses to the new plan's license type (%s)", (mode, expected) => {
      expect(good(play(['sale', 'plan changed'], { settings: both(mode), quantity: 2 })).map(({ type, seats }) => [type, seats])).toEqual(
        expected,
      );
    });

    test('a change to an unknown plan, or to a plan with an archived type, changes nothing, and the log gives the reason', () => {
      const { example, other } = shopOf(processor).shop.ref;
      const plan = { ref: example, license_type_id: 1, quantity: 'licenses', ...LICENSE } as const;
      // At Gumroad, a buyer can change only to another tier of the same product. The plan of the product applies to all its tiers, so the
      // new plan is always known.
      const isIncluded = processor === 'gumroad';
      for (const settings of [
        ...(isIncluded ? [] : [terms({ plans: [plan] }), terms({ plans: [plan], default_license_type_id: null })]),
        terms({ plans: [plan, { ...plan, ref: other, license_type_id: 3 }] }),
      ]) {
        const books = play(['sale', 'plan changed'], { settings });
        expect(good(books)).toEqual([{ ...active, expiresAt: end(1) }]);
        expect(books.rows.at(-1)?.outcome).toEqual({
          status: 'done',
          reason: expect.stringMatching(/^(No plan has the ref|License type 3 is archived).*stay unchanged\.$/),
        });
      }
    });

    test('a change to a plan with another binding changes nothing, and the log gives the reason', () => {
      const { example, other } = shopOf(processor).shop.ref;
      const plan = { ref: example, license_type_id: 1, quantity: 'licenses', ...LICENSE } as const;
      const settings = terms({
        plans: [plan, { ...plan, ref: other, license_type_id: 2 }],
        types: new Map([
          [1, SEATS],
          [2, { ...SEATS, binding: 'user' }],
        ]),
      });
      const books = play(['sale', 'plan changed'], { settings });
      expect(good(books)).toEqual([{ ...active, expiresAt: end(1) }]);
      expect(books.rows.at(-1)?.outcome.reason).toMatch(/another binding: the licenses stay unchanged\.$/);
    });

    test('a smaller quantity ends the newest licenses after the paid time; a larger quantity before that time restores them', () => {
      const settings = both('licenses');
      const expiries = (...facts: Fact[]): unknown =>
        play(facts, { settings, quantity: 2 }).licenses.map(({ expiresAt }) => Math.floor(expiresAt! / 1000) * 1000);
      expect(expiries('sale', 'quantity changed')).toEqual([end(1), end(1), end(1)]);
      // At Gumroad, a smaller quantity takes effect with the next payment.
      expect(expiries('sale', 'quantity changed', 'quantity lowered')).toEqual([end(1), end(1), end(1, processor === 'gumroad' ? 3 : 0)]);
      expect(expiries('sale', 'quantity changed', 'quantity lowered', 'quantity changed')).toEqual([end(1), end(1), end(1)]);
      expect(expiries('sale', 'quantity changed', 'quantity lowered', 'renewal')).toEqual([end(2), end(2), end(1, 0)]);
    });

    test('a larger quantity issues at most 25 licenses, or none if the plan gives one license for any quantity, with a reason', () => {
      const books = play(['sale', 'quantity changed'], { settings: both('licenses'), quantity: 25 });
      expect(books.licenses).toHaveLength(25);
      expect(books.rows.at(-1)?.outcome).toEqual({
        status: 'done',
        reason: 'An order can have at most 25 licenses: fewer licenses are issued than were bought.',
      });
      const one = play(['sale', 'quantity changed'], { settings: both('one') });
      expect(one.licenses).toHaveLength(1);
      expect(one.rows.at(-1)?.outcome).toEqual({ status: 'done', reason: expect.stringContaining('one license for any quantity') });
    });

    // Otherwise a buyer who disputes the payment would keep a valid license if the addition is reported after the dispute.
    for (const addition of ['line added', 'quantity changed'] as const) {
      if (!reports(addition, 'dispute opened')) continue;
      test(`${addition}: if an opened dispute revokes, no license is valid afterwards, whichever happens first`, () => {
        const { shop, purchase } = shopOf(processor);
        const revoking = both('licenses', { on_dispute: 'revoke' });
        for (const life of [
          ['sale', addition, 'dispute opened', 'renewal'],
          ['sale', 'dispute opened', addition, 'renewal'],
        ] as const) {
          expect(good(received(revoking, messagesOf(shop, purchase(true), life)))).toEqual([]);
        }
      });
    }
  }

  test('partial refunds that add up to the whole amount revoke the license; refunds without amounts do not add up', () => {
    const inParts = play(['sale', 'refunded in part', 'refunded in part', 'refunded in part'], { recurring: false });
    expect(good(inParts)).toHaveLength(processor === 'gumroad' ? 1 : 0);
    expect(good(play(['sale', 'refunded in part', 'refunded in part', 'renewal', 'refunded in part']))).toHaveLength(1);
  });
});

describe.each(processors)('updates and fallback at %s', (processor) => {
  const { facts, ref } = shopOf(processor).shop;
  const reports = (...wanted: readonly Fact[]): boolean => wanted.every((fact) => facts.includes(fact));
  const plan = (more: Partial<SaleTerms['plans'][number]>): SaleTerms =>
    terms({
      plans: [{ ref: ref.example, license_type_id: 1, quantity: 'licenses', extends: 'license', fallback_months: null, ...more }],
      on_payment_failed: 'suspend',
    });
  const UPDATES = plan({ extends: 'updates' });
  const fallback = (months: number): SaleTerms => plan({ fallback_months: months });
  const played = (life: readonly Fact[]): Notification[] => {
    const { shop, purchase } = shopOf(processor);
    return messagesOf(shop, purchase(true), life);
  };
  const day = (instant: number | null | undefined): string | null =>
    instant == null ? null : new Date(instant).toISOString().slice(0, 10);
  /** The valid licenses with their expiry and their end of updates, both rounded to the day. */
  const ends = (books: Books): unknown =>
    books.licenses
      .filter(({ status }) => status !== 'revoked')
      .map(({ status, expiresAt, updatesUntil }) => ({ status, expires: day(expiresAt), updates: day(updatesUntil) }));
  const after = (settings: SaleTerms, ...life: Fact[]): unknown => ends(received(settings, played(life)));
  const NEVER = day(START + 365 * DAY);

  test('updates: each period extends them, the type decides the expiry, and only the refund of the sale revokes', () => {
    const until = (months: number): unknown => [{ status: 'active', expires: NEVER, updates: day(end(months, 0)) }];
    expect(after(UPDATES, 'sale')).toEqual(until(1));
    expect(after(UPDATES, 'sale', 'renewal', 'renewal')).toEqual(until(3));
    expect(after(UPDATES, 'sale', 'renewal', 'ended')).toEqual(until(2));
    for (const fact of ['payment failed', 'paused'] as const) if (reports(fact)) expect(after(UPDATES, 'sale', fact)).toEqual(until(1));
    expect(after(UPDATES, 'sale', 'renewal', 'refunded')).toEqual(until(1));
    expect(after(UPDATES, 'sale', 'renewal', 'refunded', 'renewal')).toEqual(until(3));
    expect(after(UPDATES, 'sale', 'refunded')).toEqual([]);
    if (reports('dispute opened')) expect(after(UPDATES, 'sale', 'dispute opened')).toMatchObject([{ status: 'suspended' }]);
    // A license that is issued during a dispute is suspended, even if a payment is missing as well.
    if (reports('payment failed', 'dispute opened', 'quantity changed'))
      expect(after(UPDATES, 'sale', 'payment failed', 'dispute opened', 'quantity changed')).toMatchObject([
        { status: 'suspended' },
        { status: 'suspended' },
      ]);
  });

  test('fallback: a subscription that ends after enough paid months stays valid for what was released before', () => {
    expect(after(fallback(2), 'sale', 'ended')).toEqual([{ status: 'active', expires: day(end(1, 0)), updates: null }]);
    expect(after(fallback(2), 'sale', 'renewal', 'renewal', 'ended')).toEqual([
      { status: 'active', expires: null, updates: day(end(1, 0)) },
    ]);
    expect(after(fallback(2), 'sale', 'renewal', 'ended', 'renewal')).toEqual([{ status: 'active', expires: day(end(3)), updates: null }]);
    if (reports('payment failed'))
      expect(after(fallback(2), 'sale', 'renewal', 'payment failed', 'ended')).toEqual([
        { status: 'active', expires: null, updates: day(START) },
      ]);
  });
});

/**
 * Tests which date payments extend (the expiry or the end of updates) before and after a change of plan, and the dates of the license after
 * the change.
 */
describe.each(processors.filter((processor) => shopOf(processor).shop.facts.includes('plan changed')))(
  'a change between kinds of plans at %s',
  (processor) => {
    const { example, other } = shopOf(processor).shop.ref;
    type TypeEnds = { readonly duration_days: number | null; readonly updates_days: number | null };
    type Kind = Pick<SaleTerms['plans'][number], 'extends' | 'fallback_months'>;
    const UPDATES: Kind = { extends: 'updates', fallback_months: null };
    const FALLBACK: Kind = { extends: 'license', fallback_months: 1 };
    const moving = (
      from: Kind,
      to: Kind,
      first: TypeEnds = { duration_days: 365, updates_days: null },
      second: TypeEnds = { duration_days: null, updates_days: 90 },
    ): SaleTerms =>
      terms({
        plans: [
          { ref: example, license_type_id: 1, quantity: 'licenses', ...from },
          { ref: other, license_type_id: 2, quantity: 'licenses', ...to },
        ],
        default_license_type_id: null,
        types: new Map([
          [1, { max_seats: 2, archived: false, binding: 'device', ...first }],
          [2, { max_seats: 5, archived: false, binding: 'device', ...second }],
        ]),
      });
    const played = (...life: readonly Fact[]): Notification[] => {
      const { shop, purchase } = shopOf(processor);
      return messagesOf(shop, purchase(true), life);
    };
    const day = (instant: number | null): string | null => (instant === null ? null : new Date(instant).toISOString().slice(0, 10));
    const state = (books: Books): unknown =>
      books.kept().map(({ status, type, expiresAt, updatesUntil }) => [status, type, day(expiresAt), day(updatesUntil)]);
    const after = (settings: SaleTerms, ...life: Fact[]): unknown => state(received(settings, played(...life)));
    const [month, months, graced] = [day(end(1, 0)), day(end(2, 0)), day(end(2))];

    test('to a plan that sells updates: the type decides the expiry, and payments extend the updates', () => {
      const settings = moving(LICENSE, UPDATES);
      expect(after(settings, 'sale', 'plan changed')).toEqual([['active', 2, null, month]]);
      expect(after(settings, 'sale', 'plan changed', 'renewal')).toEqual([['active', 2, null, months]]);
      expect(after(settings, 'sale', 'plan changed', 'ended')).toEqual([['active', 2, null, month]]);
    });

    test('to a plan that sells the license: it expires with the paid time, and the type decides its updates', () => {
      const settings = moving(UPDATES, LICENSE);
      expect(after(settings, 'sale', 'plan changed')).toEqual([['active', 2, day(end(1)), day(START + 90 * DAY)]]);
      expect(after(settings, 'sale', 'plan changed', 'renewal')).toEqual([['active', 2, graced, day(START + 90 * DAY)]]);
      expect(after(settings, 'sale', 'plan changed', 'ended')).toEqual([['active', 2, month, day(START + 90 * DAY)]]);
    });

    test('between two plans of the same kind, the expiry and the end of updates stay those of the paid time', () => {
      expect(after(moving(UPDATES, UPDATES), 'sale', 'plan changed', 'renewal')).toEqual([['active', 2, day(START + 365 * DAY), months]]);
      expect(after(moving(LICENSE, LICENSE), 'sale', 'plan changed', 'renewal')).toEqual([['active', 2, graced, null]]);
      // The fallback of the new plan applies after the change.
      expect(after(moving(LICENSE, FALLBACK), 'sale', 'plan changed', 'renewal', 'ended')).toEqual([['active', 2, null, month]]);
      expect(after(moving(FALLBACK, LICENSE), 'sale', 'plan changed', 'renewal', 'ended')).toEqual([['active', 2, months, null]]);
    });
  },
);

describe('an operator', () => {
  const { shop, purchase } = shopOf('polar');
  const bought = purchase(true);
  const [sale, renewal, ended, disputed, won] = (['sale', 'renewal', 'ended', 'refunded in part', 'refunded in part'] as const).map(
    (fact) => messagesOf(shop, bought, [fact]).at(-1)!,
  ) as [Notification, Notification, Notification, Notification, Notification];
  const dispute = (notification: Notification, kind: 'dispute_opened' | 'dispute_won'): Notification => ({
    ...notification,
    actions: [{ kind }],
  });
  const issued = planOrder(noFacts, [], [{ notification: sale, received_at: START }], terms(), START);
  const license: OrderLicense = {
    id: 1,
    line: issued.issue[0]!.line,
    status: 'active',
    suspendedCause: null,
    expiresAt: issued.issue[0]!.expiresAt!,
    issuedExpiresAt: issued.issue[0]!.expiresAt!,
    typeExpiresAt: START + 365 * DAY,
    updatesUntil: null,
    typeUpdatesUntil: null,
    maxSeats: null,
    customerEmail: 'ada@example.com',
    overridden: [],
  };
  const steps = (notification: Notification, changed: Partial<OrderLicense>): unknown =>
    planOrder(issued.facts, [{ ...license, ...changed }], [{ notification, received_at: START + 2 * DAY }], terms(), START).steps.get(1) ??
    [];

  test('has the final decision on expiry, suspension and revocation', () => {
    expect(steps(renewal, {})).toEqual([{ do: 'renew', expiresAt: expect.any(Number) }]);
    expect(steps(renewal, { expiresAt: null })).toEqual([]);
    expect(steps(ended, { expiresAt: null })).toEqual([]);
    expect(steps(renewal, { expiresAt: START + 1000 * DAY })).toEqual([]);
    expect(steps(renewal, { status: 'revoked' })).toEqual([]);
    expect(steps(dispute(disputed, 'dispute_opened'), { status: 'suspended', suspendedCause: 'operator' })).toEqual([]);
    expect(steps(dispute(won, 'dispute_won'), { status: 'suspended', suspendedCause: 'operator' })).toEqual([]);
    expect(steps(dispute(won, 'dispute_won'), { status: 'suspended', suspendedCause: 'pause' })).toEqual([]);
    expect(steps(sale, { customerEmail: null })).toEqual([{ do: 'update', customerEmail: 'ada@example.com' }]);
  });

  test('finds in the log the reason why nothing was done', () => {
    const outcome = (notification: Notification, changed: Partial<OrderLicense>): Outcome =>
      planOrder(issued.facts, [{ ...license, ...changed }], [{ notification, received_at: START }], terms(), START).outcomes[0]!;
    expect(outcome(renewal, { status: 'revoked' })).toEqual({ status: 'done', reason: 'The license is revoked and cannot be renewed.' });
    expect(outcome(dispute(disputed, 'dispute_opened'), {})).toEqual({ status: 'done', reason: null });
    expect(
      planOrder(noFacts, [], [{ notification: sale, received_at: START }], terms({ default_license_type_id: null }), START).outcomes[0],
    ).toEqual({ status: 'held', reason: expect.stringMatching(/^No plan has the ref .*\.$/) });
  });
});

test('licenses are issued for the lines that a plan names, and the reason names the other lines', () => {
  const item = (price: string): object => ({
    price_id: price,
    price: { id: price, product_id: `pro_${price}`, billing_cycle: null },
    quantity: 1,
  });
  const body = JSON.stringify({
    event_id: 'evt_1',
    event_type: 'transaction.completed',
    occurred_at: '2026-11-21T10:00:00Z',
    data: { id: 'txn_1', origin: 'web', items: [item('pri_a'), item('pri_b'), item('pri_c')] },
  });
  const plans = [
    { ref: 'pri_a', license_type_id: 1, quantity: 'licenses', ...LICENSE },
    { ref: 'pro_pri_c', license_type_id: 2, quantity: 'licenses', ...LICENSE },
  ] as const;
  const plan = planOrder(
    noFacts,
    [],
    [{ notification: adapters.paddle.read(body, {})!, received_at: START }],
    terms({ plans, default_license_type_id: null }),
    START,
  );
  expect(plan.issue.map(({ ref, licenseTypeId }) => [ref, licenseTypeId])).toEqual([
    ['pri_a', 1],
    ['pro_pri_c', 2],
  ]);
  expect(plan.outcomes).toEqual([{ status: 'done', reason: 'No plan has the ref pri_b, and there is no default license type.' }]);
});

test('the end of an earlier subscription period does not replace a later end that arrived before it', () => {
  const { shop, purchase } = shopOf('lemonsqueezy');
  const bought = purchase(true);
  const [sale, ended, renewal, endedAgain] = (['sale', 'ended', 'renewal', 'ended'] as const).map((fact) =>
    messagesOf(shop, bought, [fact]),
  );
  expect(good(received(terms(), [...sale!, ...endedAgain!, ...ended!, ...renewal!]))).toEqual([{ ...active, expiresAt: end(2, 0) }]);
});

test('a held sale is issued later as a plan with updates, even if a renewal was refunded in the meantime', () => {
  const { shop, purchase } = shopOf('polar');
  const notifications = messagesOf(shop, purchase(true), ['sale', 'renewal', 'refunded']);
  const held = terms({ default_license_type_id: null });
  const plan = { ref: shop.ref.example, license_type_id: 1, quantity: 'licenses', fallback_months: null } as const;
  const books = received(held, notifications);
  books.process(terms({ plans: [{ ...plan, extends: 'updates' }] }));
  expect(good(books)).toHaveLength(1);
  expect(unsettled(books)).toEqual([]);
  const others = received(held, notifications);
  others.process(terms({ plans: [{ ...plan, extends: 'license' }] }));
  expect(good(others)).toEqual([]);
  expect(unsettled(others)).toEqual([]);
});

describe('the lines of a subscription at Paddle', () => {
  const types = new Map(terms().types);
  beforeEach(() => types.set(1, SEATS));
  const plans = (['pri_a', 'pri_b', 'pri_c'] as const).map(
    (ref, index) => ({ ref, license_type_id: [1, 2, 4][index] ?? 1, quantity: 'licenses', ...LICENSE }) as const,
  );
  const PAID = START + 33 * DAY;
  const ENDS = START + 30 * DAY;

  /** Books to which `tell` reports all lines of the subscription, by price and quantity. The first call is the sale. */
  function openLines() {
    const books = new Books(terms({ plans, default_license_type_id: null, types }));
    const tell = (day: number, lines: Readonly<Record<string, number>>): Outcome | 'duplicate' => {
      const occurred_at = new Date(START + day * DAY).toISOString();
      const event_type = day === 0 ? 'transaction.completed' : 'subscription.updated';
      const data = {
        id: day === 0 ? 'txn_1' : 'sub_1',
        subscription_id: 'sub_1',
        origin: 'web',
        status: 'active',
        billing_period: { ends_at: new Date(ENDS).toISOString() },
        items: Object.entries(lines).map(([id, quantity]) => ({
          price: { id, billing_cycle: { interval: 'month', frequency: 1 } },
          quantity,
        })),
      };
      return books.receive(adapters.paddle.read(JSON.stringify({ event_id: `evt_${day}`, event_type, occurred_at, data }), {})!);
    };
    return { books, tell, sold: () => books.licenses.map(({ type, expiresAt }) => [type, expiresAt]) };
  }

  test('an added line is issued for the current period; a removed line ends with the period, and continues when it is added again', () => {
    const { tell, sold } = openLines();
    tell(0, { pri_a: 1 });
    tell(1, { pri_a: 1, pri_b: 2 });
    expect(sold()).toEqual([
      [1, PAID],
      [2, PAID],
      [2, PAID],
    ]);
    tell(2, { pri_a: 1 });
    expect(sold()).toEqual([
      [1, PAID],
      [2, ENDS],
      [2, ENDS],
    ]);
    tell(3, { pri_a: 1, pri_b: 1 });
    expect(sold()).toEqual([
      [1, PAID],
      [2, PAID],
      [2, ENDS],
    ]);
  });

  test('removing one line and adding one is a change of plan; if more lines change, licenses for the new lines are issued', () => {
    const { tell, sold } = openLines();
    tell(0, { pri_a: 1 });
    tell(1, { pri_b: 1 });
    expect(sold()).toEqual([[2, PAID]]);
    tell(2, { pri_a: 1, pri_c: 1 });
    expect(sold()).toEqual([
      [2, ENDS],
      [1, PAID],
      [4, PAID],
    ]);
  });

  test('a line that no plan names is not issued, and the reason names it', () => {
    const { tell, sold } = openLines();
    tell(0, { pri_a: 1 });
    expect(tell(1, { pri_a: 1, pri_other: 1 })).toMatchObject({
      status: 'done',
      reason: expect.stringMatching(/No plan has the ref pri_other/),
    });
    tell(2, { pri_a: 1 });
    expect(sold()).toEqual([[1, PAID]]);
  });

  test('a larger quantity of an archived type takes no ended license from another line', () => {
    const { tell, sold } = openLines();
    tell(0, { pri_a: 1, pri_b: 1 });
    tell(1, { pri_a: 1 });
    const before = sold();
    expect(before).toEqual([
      [1, PAID],
      [2, ENDS],
    ]);
    types.set(1, { ...SEATS, archived: true });
    expect(tell(31, { pri_a: 2 })).toEqual({
      status: 'done',
      reason: 'License type 1 is archived or does not exist. No new license is issued.',
    });
    expect(sold()).toEqual(before);
  });
});

test.each(['license', 'updates'] as const)(
  'Lemon Squeezy: the refund of a charge for a change within the first period changes no license (%s)',
  (extended) => {
    const books = new Books(
      terms({ plans: [{ ref: '71', license_type_id: 1, quantity: 'licenses', extends: extended, fallback_months: null }] }),
    );
    const at = new Date(START).toISOString();
    const tell = (event_name: string, id: string, attributes: object): unknown =>
      books.receive(
        adapters.lemonsqueezy.read(
          JSON.stringify({
            meta: { event_name },
            data: { id, attributes: { created_at: at, updated_at: at, total: 4900, ...attributes } },
          }),
          {},
        )!,
      );
    tell('order_created', '8001', { status: 'paid', first_order_item: { id: 8101, variant_id: 71, quantity: 1 } });
    const renews_at = new Date(START + 30 * DAY).toISOString();
    const subscription = { order_id: 8001, order_item_id: 8101, variant_id: 71, status: 'active', renews_at };
    tell('subscription_created', '9001', subscription);
    const before = books.licenses;
    const change = { subscription_id: 9001, billing_reason: 'updated', total: 1000 };
    tell('subscription_payment_success', '9201', { ...change, status: 'paid' });
    expect(tell('subscription_payment_refunded', '9201', { ...change, status: 'refunded', refunded: true, refunded_amount: 1000 })).toEqual(
      {
        status: 'done',
        reason: 'The connection is configured to ignore partial refunds.',
      },
    );
    expect(books.licenses).toEqual(before);
    tell('order_refunded', '8001', { status: 'refunded', refunded: true, refunded_amount: 4900 });
    expect(books.licenses).toMatchObject([{ status: 'revoked' }]);
  },
);
