import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { serveApi } from '../../../bin/sell/api';
import { missingFacts, needsSubscription, scenarioNames, shops, stepsOf, type ScenarioName } from '../../../bin/sell/scenarios';
import { newOrder, ticking, type Fact, type Message, type Order, type Shop } from '../../../bin/sell/shop';
import { processors, type Processor } from '../../../lambdas/contract/processors';
import { adapters, type Notification } from '../../../lambdas/domain/payments';
import { bundledCli } from '../../support/program';
import { root } from '../../support/repository';

/**
 * `npm run sell` shows newcomers a first sale, and tests use its messages, so the messages must equal the real messages of the processors.
 */

const NOW = Date.UTC(2026, 10, 21, 10);
const SECRET: Readonly<Record<Processor, string>> = {
  stripe: 'whsec_AuroraTestSecret0123456789',
  paddle: 'pdl_ntfset_01aurora_TestSecret',
  lemonsqueezy: 'aurora-ls-secret',
  polar: 'whsec_QXVyb3JhQXVyb3JhQXVyb3JhQXVyb3JhQXVyb3JhMzI=',
  gumroad: '',
  custom: 'QXVyb3JhQXVyb3JhQXVyb3JhQXVyb3JhQXVyb3JhMzI=',
};
const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
const orderIn = (shop: Shop, recurring: boolean): Order =>
  newOrder({ email: 'ada@example.com', ref: shop.ref.example, quantity: 2, recurring, test: false }, NOW);

function receive(shop: Shop, message: Message): Notification {
  const adapter = adapters[shop.processor];
  const headers = lowerCase(shop.sign(message, SECRET[shop.processor], NOW));
  expect([message.type, adapter.verify(Buffer.from(message.body), headers, [SECRET[shop.processor]], NOW)]).toEqual([message.type, true]);
  const notification = adapter.read(message.body, headers);
  if (!notification) throw new Error(`${message.type} is not read`);
  return notification;
}
const kindsOf = (shop: Shop, messages: readonly Message[]): string[] =>
  messages.flatMap((message) => receive(shop, message).actions.map(({ kind }) => kind));
const api = (shop: Shop, path: string) => {
  const body = shop.api(new URL(path, 'http://127.0.0.1'));
  return { status: body === undefined ? 404 : 200, body };
};

describe.each(processors)('%s', (processor) => {
  const shop = (): Shop => shops[processor](ticking(() => NOW));

  test('every message is read as the fact that happened', () => {
    const meaning = {
      sale: ['sale'],
      renewal: ['renewal'],
      'payment failed': ['payment_failed'],
      paused: ['paused'],
      resumed: ['resumed'],
      'quantity changed': ['changed'],
      // At Gumroad, a smaller quantity takes effect with the next payment, which reports it. Therefore the service ignores the message
      // about the change.
      'quantity lowered': processor === 'gumroad' ? ['ignored'] : ['changed'],
      'plan changed': ['changed'],
      'line added': ['changed'],
      'line removed': ['changed'],
      canceled: ['cancellation_announced'],
      ended: ['ended'],
      // A shop of one's own reports amounts. They add up to a full refund.
      refunded: processor === 'custom' ? ['refunded_in_part'] : ['refunded'],
      'refunded in part': ['refunded_in_part'],
      'dispute opened': ['dispute_opened'],
      'dispute won': ['dispute_won'],
      'dispute lost': ['dispute_lost'],
    } as const;
    const played = shop();
    const order = orderIn(played, true);
    for (const fact of played.facts) {
      expect([fact, kindsOf(played, played.messages(fact, order))]).toEqual([fact, expect.arrayContaining([...meaning[fact]])]);
      order.refundedThirds = 0;
    }
  });

  test('a sale contains what was bought, by whom, and until when it is paid', () => {
    for (const recurring of [true, false]) {
      const played = shop();
      const order = orderIn(played, recurring);
      const told = played.messages('sale', order).map((message) => receive(played, message));
      const sales = told.flatMap(({ actions }) => actions.filter((action) => action.kind === 'sale'));
      expect(sales.flatMap(({ lines }) => lines.filter(({ refs }) => refs.includes(order.ref)).map(({ quantity }) => quantity))).toContain(
        2,
      );
      const known = sales.map(({ paidUntil }) => paidUntil).filter((until) => until !== null);
      expect(known.every((until) => Math.abs(until - Date.UTC(2026, 11, 21, 10)) < 1000)).toBe(true);
      expect(known.length > 0).toBe(recurring);
      expect(told.some(({ customerEmail }) => customerEmail === 'ada@example.com')).toBe(true);
      expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(told.length);
    }
  });

  test('amounts say what was paid and refunded, so that an accountant can add them up', () => {
    const played = shop();
    const order = orderIn(played, true);
    const totals = (...facts: Fact[]): unknown => {
      const told = facts.flatMap((fact) => played.messages(fact, order).map((message) => receive(played, message)));
      const sums = new Map<string, number>();
      for (const { money, actions } of told) {
        if (money.amount === null || money.transactionId === null || actions[0].kind === 'ignored') continue;
        const direction = actions[0].kind.startsWith('refunded') ? 'refunded' : 'paid';
        expect(money.currency).toBe('USD');
        const key = `${direction} ${money.transactionId}`;
        sums.set(key, Math.max(money.amount, sums.get(key) ?? 0));
      }
      const sum = (direction: string): number =>
        [...sums].reduce((all, [key, amount]) => all + (key.startsWith(direction) ? amount : 0), 0);
      return { paid: sum('paid'), refunded: sum('refunded') };
    };
    expect(totals('sale', 'renewal')).toEqual({ paid: 2 * 9800, refunded: 0 });
    // Gumroad reports no amount for a partial refund.
    const parts = processor === 'gumroad' ? 0 : 6532;
    expect(totals('refunded in part', 'refunded in part')).toEqual({ paid: 0, refunded: parts });
    order.refundedThirds = 0;
    expect(totals('refunded')).toEqual({ paid: 0, refunded: 9800 });
    const fees = played.messages('renewal', order).map((message) => receive(played, message).money.fee);
    expect(fees.some((fee) => fee !== null)).toBe(['paddle', 'polar', 'gumroad'].includes(processor));
    const countries = played.messages('renewal', order).map((message) => receive(played, message).money.country);
    expect(countries.some((country) => country === 'NL')).toBe(['stripe', 'polar', 'gumroad'].includes(processor));
  });

  test('a renewal and a refund name the order of the sale', () => {
    const played = shop();
    const order = orderIn(played, true);
    const reached = new Set<string>();
    for (const message of played.messages('sale', order))
      for (const { kind, id } of receive(played, message).ids) reached.add(`${kind} ${id}`);
    for (const fact of ['renewal', 'refunded', 'ended'] as const) {
      const told = played
        .messages(fact, order)
        .map((message) => receive(played, message))
        .filter(({ actions }) => actions[0].kind !== 'ignored');
      for (const { ids } of told) {
        expect([fact, ids.some(({ kind, id }) => reached.has(`${kind} ${id}`))]).toEqual([fact, true]);
        for (const { kind, id } of ids) reached.add(`${kind} ${id}`);
      }
    }
  });

  test('its API provides the data that notifications lack', () => {
    const played = shop();
    for (const recurring of [true, false]) {
      const order = orderIn(played, recurring);
      for (const fact of ['sale', 'renewal', 'refunded'] as const) {
        if (fact === 'renewal' && !recurring) continue;
        for (const message of played.messages(fact, order)) {
          const notification = receive(played, message);
          for (const need of notification.needs)
            expect([need.path, need.merge(notification, api(played, need.path))]).toEqual([
              need.path,
              expect.not.stringMatching('unavailable'),
            ]);
        }
      }
    }
  });

  test('its lists contain all sales and refunds, on several pages', () => {
    const played = shop();
    const orders = Array.from({ length: 130 }, (_, index) => orderIn(played, index % 2 === 0));
    for (const order of orders) played.messages('sale', order);
    played.messages('refunded', orders[0]!);
    played.messages('ended', orders[2]!);
    if (!adapters[processor].hasApi) return;
    const found: Notification[] = [];
    for (const first of adapters[processor].listings(NOW - 3_600_000)) {
      for (let path: string | null = first; path !== null; ) {
        const page = adapters[processor].page(path, api(played, path), NOW - 3_600_000);
        if (!page) throw new Error(`no page at ${path}`);
        for (const body of page.bodies) found.push(adapters[processor].read(body, {})!);
        path = page.next;
      }
    }
    const having = (kind: string): string[] => [
      ...new Set(
        found
          .filter(({ actions }) => actions.some((action) => action.kind === kind))
          .flatMap(({ customerEmail, ids }) => (customerEmail ? ids.map(({ id }) => id) : ids.map(({ id }) => id))),
      ),
    ];
    for (const order of orders.slice(1))
      expect(
        having('sale')
          .concat(having('renewal'))
          .some((id) => id.includes(order.key) || id === String(order.number) || id.replaceAll('-', '').includes(order.key.slice(0, 12))),
      ).toBe(true);
    expect(having('refunded').length).toBeGreaterThan(0);
    // Gumroad's lists do not contain the end of a subscription. The service does not need it, because there are no further payments.
    expect(having('ended').length > 0).toBe(processor !== 'gumroad');
  });

  test('every scenario sends something in each step', () => {
    const played = shop();
    const possible = scenarioNames.filter((name) => missingFacts(played, name).length === 0);
    expect(possible).toEqual(
      expect.arrayContaining<ScenarioName>(['sale', 'renewal', 'refund', 'twice', 'out-of-order', 'renewal-first', 'end']),
    );
    for (const name of possible) {
      const steps = stepsOf(name, played, orderIn(played, needsSubscription(name)));
      expect(steps.every(({ messages }) => messages.length > 0)).toBe(true);
    }
  });
});

test("Stripe's library accepts the messages of Stripe, and the library of Standard Webhooks accepts the messages of Polar", () => {
  const now = ticking();
  const [stripe, polar] = [shops.stripe(), shops.polar()];
  for (const shop of [stripe, polar]) {
    const order = orderIn(shop, true);
    for (const fact of shop.facts) {
      for (const message of shop.messages(fact, order)) {
        const headers = lowerCase(shop.sign(message, SECRET[shop.processor], now()));
        if (shop === polar) expect(new Webhook(SECRET.polar).verify(message.body, headers)).toMatchObject({ type: message.type });
        else expect(Stripe.webhooks.constructEvent(message.body, headers['stripe-signature']!, SECRET.stripe).type).toBe(message.type);
      }
    }
  }
});

describe('the command npm run sell', () => {
  const program = bundledCli();
  const sell = (...args: string[]) =>
    new Promise<{ code: number | null; output: string }>((done) => {
      const child = spawn(process.execPath, [program, 'sell', ...args], { cwd: root });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.on('close', (code) => done({ code, output }));
    });

  test('names an invalid option, and sends nothing', async () => {
    const url = 'http://127.0.0.1:9/';
    const cases: [string[], RegExp][] = [
      [[], /'--processor <name>' not specified/],
      [['--processor', 'polar'], /'--url <url>' not specified/],
      [['--processor', 'polar', '--url', 'ftp://x', '--secret', 's'], /It must be an address/],
      [['--processor', 'polar', '--url', url], /--secret is needed/],
      [['--processor', 'gumroad', '--url', url, '--secret', 's'], /Gumroad signs nothing/],
      [['--processor', 'polar', '--url', url, '--secret', 's', '--scenario', 'dispute'], /polar sends nothing for "dispute opened"/],
      [['--processor', 'polar', '--url', url, '--secret', 's', '--colour', 'red'], /colour/],
    ];
    const results = await Promise.all(cases.map(([args]) => sell(...args)));
    for (const [index, [args, expected]] of cases.entries())
      expect([args, results[index]!.code, results[index]!.output]).toEqual([args, 2, expect.stringMatching(expected)]);
    expect(await sell('--help')).toEqual({ code: 0, output: expect.stringContaining('out-of-order') });
    expect(await sell('--processor', 'polar', '--url', url, '--secret', 's')).toEqual({
      code: 1,
      output: expect.stringContaining('no response'),
    });
  });

  test('prints each request with its response, and fails if a request is refused', async () => {
    const seen: { type: string | undefined; verified: boolean }[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const verified = adapters.paddle.verify(body, request.headers as Record<string, string>, [SECRET.paddle], Date.now());
        seen.push({ type: adapters.paddle.read(body.toString(), {})?.type, verified });
        response.writeHead(verified ? 200 : 401, { 'Content-Type': 'application/json' }).end('{"status":"done","id":"1"}');
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/payments/token`;
    try {
      const good = await sell('--processor', 'paddle', '--url', url, '--secret', SECRET.paddle, '--scenario', 'twice');
      expect(good).toEqual({ code: 0, output: expect.stringMatching(/→ transaction\.completed .*\n← 200 {"status":"done"/) });
      expect(seen.map(({ type }) => type)).toEqual([
        ...Array<string[]>(2).fill(['customer.created', 'transaction.completed']).flat(),
        ...Array<string[]>(2).fill(['adjustment.created', 'adjustment.updated']).flat(),
      ]);
      expect(seen.every(({ verified }) => verified)).toBe(true);
      expect((await sell('--processor', 'paddle', '--url', url, '--secret', 'another')).code).toBe(1);
    } finally {
      receiver.close();
    }
  });

  test('the simulated API requires a key', async () => {
    const shop = shops.paddle();
    const order = orderIn(shop, false);
    shop.messages('sale', order);
    const served = await serveApi(shop, 0);
    try {
      const get = async (path: string, headers: Record<string, string>): Promise<number> =>
        (await fetch(served.url + path, { headers })).status;
      const authorization = adapters.paddle.apiHeaders('key');
      expect(await get('/events', {})).toBe(401);
      expect(await get('/events', authorization)).toBe(200);
      expect(await get('/customers/ctm_unknown', authorization)).toBe(404);
    } finally {
      await served.stop();
    }
  });
});
