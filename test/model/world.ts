import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { endpoints } from '../../lambdas/contract';
import { licenseStatuses } from '../../lambdas/contract/statuses';
import { parseConfig } from '../../lambdas/runtime/config';
import { startEventHarness, type EventHarness, type Message } from '../support/event-harness';
import type { CallRequest, CallResult } from '../support/harness';
import { randomFaults } from '../support/intercept';
import type { Received, Receiver } from '../support/receiver';
import { eventsOf, everyRow } from '../support/table';
import type { Instant } from './checks';
import { attempted, skipped, swept, type Event } from './delivery';
import { refusals } from './license';
import { Responses } from './responses';
import { Specification, type Drawn, type Expected, type Product } from './specification';

/** Runs the service and the specification side by side: each operation is executed with both, and the results are compared. */

/** The response of a product's backend to a delivery. */
export interface ReceiverResponse {
  /** The status of the response; null if the receiver closes the connection without a response. */
  readonly status: number | null;
  readonly ms: number;
}

/** Random faults of the calls that requests make to the table: the seed, and the probability of a fault. */
export interface Faults {
  readonly seed: number;
  readonly rate: number;
}

/** Maximum time until the sweeper finds a pending event that has no message in the queue. */
const SWEPT_WITHIN = 120_000;

/** The payload of a license's event. */
interface Numbered {
  readonly data: { readonly license: { readonly sequence: number } };
}

const isAdmin = (name: string): boolean => endpoints.some((row) => row.name === name && row.credential === 'admin');

export const eventIdOf = ({ body }: Message): string => (JSON.parse(body) as { event_id: string }).event_id;

export class World {
  readonly spec = new Specification();
  readonly service: EventHarness;
  readonly responses = new Responses((slug) => [...this.spec.products.values()].find((product) => product.slug === slug)?.publicKey);
  /** The operations and their results as text. */
  readonly trace: string[] = [];
  requests = 0;
  /** How often each endpoint responded with each status or error code. */
  readonly outcomes = new Map<string, number>();
  readonly faults: ReturnType<typeof randomFaults>;
  /** For each event, the time at which its latest message was sent to the queue. */
  private readonly messaged = new Map<string, number>();
  private posts: Received[] = [];

  constructor(
    readonly table: string,
    readonly receiver: Receiver,
    faults: Faults | undefined,
    private readonly expiringDays: number,
  ) {
    // A retry takes no time, because the specification assumes that a request happens at one moment.
    const config = { ...parseConfig({}), expiringDays, tableName: table, webhookAllowPrivate: true };
    this.service = startEventHarness(table, { config, sleep: () => new Promise((resolve) => setImmediate(resolve)) });
    this.faults = randomFaults(this.service.client, faults?.seed ?? 0, faults?.rate ?? 0);
    this.faults.active = false;
  }

  get now(): number {
    return this.service.now();
  }

  get at(): Instant {
    return { now: this.now, expiringDays: this.expiringDays };
  }

  // ── Requests ──────────────────────────────────────────────────────────────────────────────────

  /**
   * Calls an endpoint. It must respond as expected and record the events of the specification.
   *
   * @param status the status of a successful response, if it differs from the usual status
   */
  async call(name: string, request: CallRequest, expected: Expected, status?: number): Promise<CallResult> {
    const response = await this.send(name, request);
    const outcome = `${name} ${response.headers['X-Svc-Error-Code'] ?? response.status}`;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    this.note(
      `${name} ${JSON.stringify({ ...request.params, ...request.query, ...(typeof request.body === 'object' ? request.body : {}), ...request.headers })} → ${response.status}`,
    );
    this.compare(name, response, expected, status);
    if (isAdmin(name)) this.spec.askedBy('deployment');
    await this.learnEvents();
    return response;
  }

  /** Requests a list as one page, and in pages of `limit` rows. Both must return exactly the given rows. */
  async list(name: string, request: CallRequest, rows: object[] | undefined, limit: number): Promise<void> {
    const whole = await this.call(name, request, rows ? () => rows : { refused: 'not_found' });
    if (!rows) return;
    expect(whole.headers['Link']).toBeUndefined();
    let query: Record<string, string> | undefined = { ...request.query, limit: String(limit) };
    const paged: unknown[] = [];
    for (let pages = 0; query; pages += 1) {
      const page: CallResult = await this.send(name, { ...request, query });
      const found = page.body as unknown as unknown[];
      const link = page.headers['Link'];
      expect({ status: page.status, fits: found.length <= limit, endless: pages > rows.length + 1 }).toEqual({
        status: 200,
        fits: true,
        endless: false,
      });
      paged.push(...found);
      query =
        link === undefined
          ? undefined
          : Object.fromEntries(new URL(/^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? '', 'http://service').searchParams);
    }
    this.same(`${name} in pages of ${limit}`, paged, whole.body);
  }

  private async send(name: string, request: CallRequest): Promise<CallResult> {
    this.requests += 1;
    this.faults.active = true;
    const response = await this.service.call(name, request);
    this.faults.active = false;
    return response;
  }

  private compare(name: string, { status, headers, body }: CallResult, expected: Expected, success: number | undefined): void {
    const row = endpoints.find((endpoint) => endpoint.name === name);
    expect(headers['X-Request-Id']).toMatch(/\S/);
    if (row?.path.startsWith('/v1') && row.maxAgeSeconds === undefined) expect(headers['Cache-Control']).toBe('no-store');
    if (typeof expected !== 'function') {
      const refusal = { status, code: headers['X-Svc-Error-Code'], fields: Object.keys(body), detail: typeof body['detail'] };
      return this.same(name, refusal, { status: refusals[expected.refused], code: expected.refused, fields: ['detail'], detail: 'string' });
    }
    const wantedStatus = success ?? row?.status;
    if (status !== wantedStatus) throw new Error(`${name} responded ${status} ${JSON.stringify(body)} instead of ${String(wantedStatus)}`);
    // `expected` also records the operation in the specification, for example the public key of a new product. `readable` verifies tokens
    // with the public keys that are recorded there. So `expected` must be called first.
    const wanted = expected(body);
    this.same(name, this.responses.readable(body), wanted);
  }

  /** Each event of the specification is recorded, and is in the queue if it must be posted; there are no other events. */
  private async learnEvents(): Promise<void> {
    const fresh = this.service.queue.filter((message) => !this.spec.events.has(eventIdOf(message)));
    for (const expected of this.spec.expected) {
      const id =
        expected.licenseId === null
          ? fresh[0] && eventIdOf(fresh[0])
          : await this.recordedId(expected.licenseId, expected.payload as unknown as Numbered);
      if (id === undefined) throw new Error(`${expected.event} is not recorded`);
      const place = fresh.findIndex((message) => eventIdOf(message) === id);
      const isPosted = this.urlOf(expected) !== '';
      if (place < 0 && isPosted) throw new Error(`No message was sent for the event ${expected.event}`);
      if (place >= 0) fresh.splice(place, 1);
      const event = this.spec.record(id, expected);
      if (place < 0) this.spec.events.set(id, skipped(event, 'record'));
      this.messaged.set(id, this.now);
    }
    this.spec.expected = [];
    if (fresh.length > 0) throw new Error(`An event that nobody expected: ${JSON.stringify(fresh)}`);
  }
  private urlOf = ({ productId }: { readonly productId: number }): string => this.spec.products.get(productId)?.webhookUrl ?? '';

  private async recordedId(licenseId: number, { data }: Numbered): Promise<string | undefined> {
    const events = await eventsOf(licenseId, this.table);
    return events.find(({ payload }) => payload.data.license.sequence === data.license.sequence)?.id;
  }

  same(what: string, actual: unknown, wanted: unknown): void {
    if (!isDeepStrictEqual(actual, wanted)) expect({ [what]: actual }).toEqual({ [what]: wanted });
  }

  note(line: string): void {
    this.trace.push(`${new Date(this.now).toISOString()} ${line}`);
  }

  // ── Delivery ──────────────────────────────────────────────────────────────────────────────────

  /** Takes a message from the queue and passes it to the delivery, once or several times simultaneously. */
  async deliver(message: Message, reaction: ReceiverResponse, { times = 1, keep = false } = {}): Promise<void> {
    const { queue } = this.service;
    if (!keep) queue.splice(queue.indexOf(message), 1);
    const before = [...queue];
    const event = this.event(eventIdOf(message));
    const url = this.spec.products.get(event.productId)?.webhookUrl ?? '';
    const [at, isDue] = [this.now, event.status === 'pending' && event.dueAt <= this.now];

    this.posts = [];
    this.receiver.answer = (received, response) => {
      this.posts.push(received);
      this.service.advance(reaction.ms);
      if (reaction.status === null) response.destroy();
      else response.writeHead(reaction.status, { Location: `${this.receiver.url}/elsewhere` }).end();
    };
    expect(await this.service.deliver(...Array<Message>(times).fill(message))).toEqual(Array(times).fill(true));
    this.note(
      `delivery of ${event.event} ${event.id} → ${this.posts.map(({ path }) => `${path} ${reaction.status ?? 'cut off'}`).join() || 'no post'}`,
    );

    expect(this.posts).toHaveLength(isDue && url !== '' ? 1 : 0);
    const [post] = this.posts;
    if (post) this.checkPost(post, event, url, at);
    if (isDue) this.spec.events.set(event.id, url === '' ? skipped(event, 'delivery') : attempted(event, url, { at, ...reaction }));

    // For an event with remaining attempts, a new message arrives within a second after the event is due.
    const after = this.event(event.id);
    const again = queue.filter((one) => !before.includes(one));
    const inTime = again.filter((one) => eventIdOf(one) === event.id && one.at >= after.dueAt && one.at < after.dueAt + 1000);
    const wanted = after.status === 'pending' ? [1, times] : [0, 0];
    expect({ again: again.length === inTime.length, count: again.length >= wanted[0]! && again.length <= wanted[1]! }).toEqual({
      again: true,
      count: true,
    });
    if (again.length > 0) this.messaged.set(event.id, this.now);
  }

  private checkPost({ path, raw, headers }: Received, event: Event, url: string, at: number): void {
    const { secret = '' } = this.spec.products.get(event.productId) ?? {};
    const seconds = String(Math.floor(at / 1000));
    const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
    const body = raw.toString();
    this.same('a delivery', JSON.parse(body), { id: event.id, ...event.payload });
    const { [event.id]: first = body } = this.bytes;
    this.bytes[event.id] = first;
    const sent = ['x-svc-event', 'x-svc-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type'].map(
      (name) => headers[name],
    );
    // Signatures can be checked only after a response has shown the product's secret.
    const signatures =
      secret === ''
        ? [sent[1], sent[4]]
        : [
            sign(secret, body).digest('hex'),
            `v1,${sign(Buffer.from(secret.replace('whsec_', ''), 'base64'), `${event.id}.${seconds}.${body}`).digest('base64')}`,
          ];
    this.same(
      'a delivery',
      [new URL(url).pathname, first, ...sent],
      [path, body, event.event, signatures[0], event.id, seconds, signatures[1], 'application/json'],
    );
  }
  /** The body of the first post of each event, because every attempt must send the same bytes. */
  private readonly bytes: Record<string, string> = {};

  private event(id: string): Event {
    const event = this.spec.events.get(id);
    if (!event) throw new Error(`The queue holds the unknown event ${id}`);
    return event;
  }

  /** The sweeper sends messages for overdue events and counts skipped events. It ignores all other events. */
  async sweep(): Promise<void> {
    const before = [...this.service.queue];
    await this.service.sweep();
    const woken = this.service.queue.filter((message) => !before.includes(message)).map(eventIdOf);
    for (const event of this.spec.events.values()) this.spec.events.set(event.id, swept(event));
    this.note(`sweep → ${woken.length} events woken`);
    const pending = [...this.spec.events.values()].filter(({ status, dueAt }) => status === 'pending' && dueAt <= this.now);
    const lost = pending.filter(({ id, dueAt }) => Math.max(dueAt, this.messaged.get(id) ?? 0) + SWEPT_WITHIN <= this.now);
    const ids = new Set(pending.map(({ id }) => id));
    expect({
      needless: woken.filter((id) => !ids.has(id)),
      left: lost.filter(({ id }) => !woken.includes(id)),
      twice: woken.length - new Set(woken).size,
    }).toEqual({ needless: [], left: [], twice: 0 });
    for (const id of woken) this.messaged.set(id, this.now);
  }

  /** The message in the queue that is due first. */
  nextMessage(): Message | undefined {
    const { queue } = this.service;
    return queue.length === 0 ? undefined : queue.reduce((first, message) => (message.at < first.at ? message : first));
  }

  // ── The end ───────────────────────────────────────────────────────────────────────────────────

  /** Delivers all pending events. Then compares all lists, overviews and rows with the specification. */
  async finish(): Promise<void> {
    do {
      for (let message = this.nextMessage(); message; message = this.nextMessage()) {
        this.service.advance(Math.max(0, message.at - this.now));
        await this.deliver(message, { status: 200, ms: 0 });
      }
      this.service.advance(SWEPT_WITHIN);
      await this.sweep();
    } while (this.service.queue.length > 0);
    expect([...this.spec.events.values()].filter(({ status }) => status === 'pending')).toEqual([]);

    await this.list('listProducts', {}, this.spec.listProducts(), 1);
    for (const product of this.spec.products.values()) {
      const params = { id: product.id };
      await this.call('listLicenses', { params }, () => this.spec.listLicenses(product.id, {}));
      await this.call('listDeliveries', { params }, () => this.spec.listDeliveries(product.id));
      const { body } = await this.call('getOverview', { params }, this.spec.overview(product.id, this.now));
      this.compareNumbers(product, body['licenses'] as unknown as Drawn[]);
    }
    await this.compareRows();
  }

  /** After all deliveries, the overview shows how many licenses have each status now. */
  private compareNumbers({ id }: Product, licenses: readonly Drawn[]): void {
    const own = [...this.spec.licenses.values()].filter(({ productId }) => productId === id);
    for (const status of licenseStatuses) {
      expect({ [status]: licenses.reduce((sum, row) => sum + Number(row[status]), 0) }).toEqual({
        [status]: own.filter((license) => license.status === status).length,
      });
    }
  }

  /** In the table, the number of used seats of a license equals the number of its devices, and there is one row for each event. */
  private async compareRows(): Promise<void> {
    const rows = await everyRow(this.table);
    const devicesOf = (license: Drawn): number =>
      rows.filter(({ pk, sk, epoch }) => pk === license['pk'] && String(sk).startsWith('DEVICE#') && epoch === license['epoch']).length;
    const stored = rows
      .filter(({ sk, dead }) => sk === 'LICENSE' && dead !== true)
      .map((row) => ({ id: row['id'], used: row['seats_used'], devices: devicesOf(row), sequence: row['sequence'] }));
    const wanted = [...this.spec.licenses.values()].map(({ id, devices, sequence }) => ({
      id,
      used: devices.length,
      devices: devices.length,
      sequence,
    }));
    const byId = (a: { id: unknown }, b: { id: unknown }): number => Number(a.id) - Number(b.id);
    this.same('the rows of licenses', stored.sort(byId), wanted.sort(byId));
    expect(rows.filter(({ pk }) => String(pk).startsWith('EVENT#'))).toHaveLength(this.spec.events.size);
  }

  close(): void {
    this.service.close();
  }
}
