import { randomBytes } from 'node:crypto';
import { needsSubscription, shops, stepsOf, type ScenarioName } from '../../bin/sell/scenarios';
import { newOrder, ticking, type Fact, type Message, type Order, type Shop } from '../../bin/sell/shop';
import type { LicenseView } from '../../lambdas/contract/resources';
import type { Processor } from '../../lambdas/contract/processors';
import type { CallResult, Harness } from './harness';
import { clockStart } from './start';

/** A product that is sold through payment processors, with simulated shops of these processors. */

export const SECRETS: Readonly<Record<Processor, string | undefined>> = {
  stripe: 'whsec_c3RyaXBlLXNlY3JldC1mb3ItdGVzdHM=',
  paddle: 'pdl_ntfset_01_secret',
  lemonsqueezy: 'lemon-secret',
  polar: 'whsec_cG9sYXItc2VjcmV0LWZvci1hbGwtdGVzdHM=',
  gumroad: undefined,
  custom: 'whsec_Y3VzdG9tLXNlY3JldC1mb3ItYWxsLXRlc3Rz',
};

/** A request in the form in which a processor sends it. */
export interface Delivery {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type PaymentRow = Record<string, unknown> & {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
  readonly license_ids: readonly number[];
};

export interface Counter {
  readonly service: Harness;
  readonly productId: number;
  readonly apiKey: string;
  /** The license type of a one-year subscription with two seats. */
  readonly typeId: number;
  connect(processor: Processor, fields?: object): Promise<{ id: number; token: string }>;
  send(token: string, delivery: Delivery): Promise<CallResult>;
  licenses(): Promise<LicenseView[]>;
  /** The payments log of the product, newest entry first. */
  payments(query?: Record<string, string>): Promise<PaymentRow[]>;
}

export async function openCounter(service: Harness): Promise<Counter> {
  const slug = `pay-${randomBytes(6).toString('hex')}`;
  const product = (await service.call('createProduct', { body: { name: slug, slug } })).body;
  const productId = Number(product['id']);
  const params = { id: productId };
  const type = await service.call('createLicenseType', {
    params,
    body: { name: 'Pro', kind: 'subscription', duration_days: 365, max_seats: 2 },
  });
  const list = async <Row>(name: string, query: Record<string, string> = {}): Promise<Row[]> => {
    const { status, body } = await service.call(name, { params, query });
    if (status !== 200) throw new Error(`${name}: ${JSON.stringify(body)}`);
    return body as unknown as Row[];
  };
  return {
    service,
    productId,
    apiKey: String(product['api_key']),
    typeId: Number(type.body['id']),
    connect: async (processor, fields = {}) => {
      const secret = SECRETS[processor];
      const { status, body } = await service.call('createPaymentConnection', {
        params,
        body: {
          processor,
          default_license_type_id: Number(type.body['id']),
          ...(secret !== undefined && { signing_secret: secret }),
          ...fields,
        },
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return { id: Number(body['id']), token: String(body['url']).split('/').pop() ?? '' };
    },
    send: (payment, { body, headers }) => service.call('receivePayment', { params: { payment }, body, headers }),
    licenses: () => list('listLicenses', { limit: '100' }),
    payments: (query) => list('listPayments', query),
  };
}

export type OrderFields = Partial<Pick<Order, 'recurring' | 'quantity' | 'ref' | 'test' | 'email'>>;

/** An order that a buyer is about to place. */
export const orderOf = (processor: Processor, now: number, fields: OrderFields = {}): Order =>
  newOrder({ email: 'ada@example.com', ref: shops[processor]().ref.example, quantity: 1, recurring: false, test: false, ...fields }, now);

/** A shop whose clock starts at the same time as the test clocks. */
export const shopOf = (processor: Processor): Shop => shops[processor](ticking(clockStart));

/** The request with which a shop sends a message at the time `now`, including the headers and the signature. */
export const signed = (shop: Shop, message: Message, now: number): Delivery => ({
  body: message.body,
  headers: { 'Content-Type': message.contentType, ...shop.sign(message, SECRETS[shop.processor] ?? '', now) },
});

/** All requests that a shop sends when something happens to an order. */
export const deliveriesOf = (shop: Shop, fact: Fact, order: Order, now: number): Delivery[] =>
  shop.messages(fact, order).map((message) => signed(shop, message, now));

/** All requests that a scenario sends, in their order. */
export async function play(
  counter: Counter,
  token: string,
  processor: Processor,
  scenario: ScenarioName,
  fields: OrderFields = {},
): Promise<CallResult[]> {
  const shop = shopOf(processor);
  const order = orderOf(processor, counter.service.now(), { recurring: needsSubscription(scenario), ...fields });
  const results: CallResult[] = [];
  for (const { messages } of stepsOf(scenario, shop, order)) {
    for (const message of messages) results.push(await counter.send(token, signed(shop, message, counter.service.now())));
  }
  return results;
}
