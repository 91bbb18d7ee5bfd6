import type { AppParts } from '../../lambdas/runtime/app';
import { parseConfig } from '../../lambdas/runtime/config';
import type { LicenseTypeView, LicenseView } from '../../lambdas/contract/resources';
import { licenseStatuses } from '../../lambdas/contract/statuses';
import type { DeliveryView } from '../../lambdas/contract/webhooks';
import { startEventHarness, type EventHarness, type Message, type Product } from '../support/event-harness';
import type { CallResult } from '../support/harness';
import { chances, randomFaults } from '../support/intercept';
import { ownTable } from '../support/own-table';
import type { Received, Receiver } from '../support/receiver';
import { eventsOf, expectWholeHistory } from '../support/table';
import { Responses } from './responses';
import type { Instant } from './checks';
import { interleaving, LEASE_MINUTES, show, type Act, type Burst, type Interleaving } from './interleaving-plan';
import { DAY, leaseEndOf, leaseMs, newLicense, type LicenseType } from './license';
import { requestOf, type Setting } from './license-acts';
import { explain, type Operation, type State } from './linearizable';
import { hold, type Runs } from './runs';
import { noLock, Turns, type Task } from './turns';

/**
 * Runs many requests, deliveries and sweeps at the same time. Their calls of the table and the queue are executed in a random order, with
 * injected faults and crashes. The specification must explain all results as a sequence of single operations (see `linearizable.ts`). At
 * the end, no event may be pending.
 */

/** A sale, and the response to it; undefined if the response was lost. */
interface Sale {
  readonly once: boolean;
  response: CallResult | undefined;
}

/** A service whose calls of the table and the queue are executed one at a time, in a random order. */
class Crowd {
  readonly service: EventHarness;
  readonly turns: Turns;
  private readonly instances: { readonly instance: EventHarness; readonly faults: ReturnType<typeof randomFaults> }[] = [];
  private isFaulty = false;
  readonly posts: (Received & { readonly status: number })[] = [];
  readonly responses = new Responses(() => this.product.public_key);
  readonly states: State[] = [];
  product!: Product;
  types!: Setting['types'];
  operations = 0;
  private readonly chance: () => number;

  constructor(
    private readonly table: string,
    private readonly receiver: Receiver,
    private readonly plan: Interleaving,
  ) {
    this.chance = chances(plan.seed);
    this.turns = new Turns(this.chance, plan.deathRate);
    this.service = this.instance({});
    receiver.answer = (received) => {
      const status = this.chance() < 0.5 ? 200 : 500;
      this.posts.push({ ...received, status });
      return status;
    };
  }

  /** A function instance with its own client. */
  private instance(parts: Partial<AppParts>): EventHarness {
    const instance = startEventHarness(this.table, {
      config: { ...parseConfig({}), expiringDays: this.plan.expiringDays, tableName: this.table, webhookAllowPrivate: true },
      // Each request runs in a separate function instance, so the death of one instance doesn't block other requests.
      withLock: noLock,
      // A retry takes no time, so every refusal with 503 is wrong.
      sleep: () => this.turns.take(() => Promise.resolve()),
      send: (messages) =>
        this.turns.take(async () => {
          if (this.isFaulty && this.chance() < this.plan.faultRate) throw new Error('The queue fails (injected by the test)');
          this.service.queue.push(...messages.map(({ body, delaySeconds }) => ({ body, at: this.service.now() + delaySeconds * 1000 })));
        }),
      ...parts,
    });
    instance.client.middlewareStack.add((next) => (args) => this.turns.take(() => next(args)), { step: 'initialize', name: 'turns' });
    const faults = randomFaults(instance.client, this.plan.seed + this.instances.length, this.plan.faultRate, false);
    faults.active = this.isFaulty;
    this.instances.push({ instance, faults });
    return instance;
  }

  private set faulty(faulty: boolean) {
    this.isFaulty = faulty;
    for (const { faults } of this.instances) faults.active = faulty;
  }

  get faultCount(): number {
    return this.instances.reduce((sum, { faults }) => sum + faults.count, 0);
  }

  close(): void {
    for (const { instance } of this.instances) instance.close();
  }

  async open(): Promise<void> {
    const { max_seats, kind, starts, new_devices_per_week, licenses } = this.plan;
    this.product = await this.service.newProduct();
    const first = await this.newType({
      name: 'First',
      kind: kind === 'timed' ? 'trial' : 'floating',
      max_seats,
      new_devices_per_week,
      updates_days: 2,
      ...(kind === 'timed' && { duration_days: 1, starts }),
      ...(kind === 'leased' && { lease_minutes: LEASE_MINUTES }),
    });
    const second = await this.newType({ name: 'Second', kind: 'lifetime', max_seats: 2, max_major: 2, features: ['sync', 'export'] });
    this.types = { first, second };
    for (let i = 0; i < licenses; i += 1) {
      const { id, key, created_at, expires_at } = await this.product.license({ license_type_id: first.id });
      const createdAt = Date.parse(created_at);
      const expiresAt = expires_at === null ? null : Date.parse(expires_at);
      const waits = kind === 'timed' && starts === 'activation';
      const updates = waits ? { term: { days: 1, updatesDays: 2 } } : { updatesUntil: createdAt + 2 * DAY };
      this.states.push({
        stored: new Map(),
        license: newLicense({
          id,
          key,
          productId: this.product.id,
          slug: this.product.slug,
          type: first,
          createdAt,
          expiresAt,
          ...updates,
        }),
      });
    }
  }

  private async newType(body: object): Promise<LicenseType> {
    const { created_at, ...type } = await this.service.ok<LicenseTypeView>('createLicenseType', { params: { id: this.product.id }, body });
    return { ...type, createdAt: Date.parse(created_at) };
  }

  // ── One burst ─────────────────────────────────────────────────────────────────────────────────

  async burst({ pause, webhook, acts }: Burst, place: number): Promise<void> {
    this.service.advance(this.pauseOf(pause));
    await this.product.setWebhook(webhook ? this.receiver.url : '');
    const before = new Set((await this.licenses()).map(({ id }) => id));
    const skipped = webhook ? await this.skippedEvents() : [];

    const at: Instant = { now: this.service.now(), expiringDays: this.plan.expiringDays };
    const setting: Setting = { at, burst: place, productId: this.product.id, apiKey: this.product.api_key, types: this.types };
    const onLicenses = this.states.map((): Operation[] => []);
    const sales: Sale[] = [];
    const types: CallResult[] = [];
    const works = acts.map((one) => async (task: Task): Promise<void> => {
      if (one.act === 'sweep') return this.service.sweep().catch(() => undefined);
      if (one.act === 'deliver') return this.deliver(one.message, one.again);
      if (one.act === 'sell' || one.act === 'type') {
        const sale: Sale = { once: one.act === 'sell' && one.once, response: undefined };
        if (one.act === 'sell') sales.push(sale);
        const response = await this.create(one.act, sale.once, place);
        sale.response = response;
        if (one.act === 'type') types.push(response);
        return;
      }
      const which = one.license % this.states.length;
      const { endpoint, request, ...specified } = requestOf(one, this.states[which]!, setting);
      const operation: Operation = { what: JSON.stringify(one), task, ...specified };
      onLicenses[which]!.push(operation);
      const { status, headers, body } = await this.service.call(endpoint, request);
      operation.response = { status, code: headers['X-Svc-Error-Code'], body: this.responses.readable(body) };
    });
    this.operations += works.length;
    this.faulty = true;
    await this.turns.run(works);
    this.faulty = false;

    // The events of requests that began after the webhook was set must not be skipped.
    if (webhook) expect(await this.skippedEvents()).toEqual(skipped);
    for (const [which, operations] of onLicenses.entries()) await this.explainLicense(which, operations, at.now);
    await this.checkSales(sales, before);
    this.checkTypes(types, acts);
  }

  private skippedEvents = async (): Promise<string[]> => (await this.product.deliveries({ status: 'skipped' })).map(({ id }) => id);

  /** The length of a pause, in ms. */
  private pauseOf(pause: Burst['pause']): number {
    if (typeof pause === 'number') return pause;
    const { license } = this.states[0]!;
    const [leaseEnd = null] = license.devices.flatMap((device) => leaseEndOf(license, device) ?? []).sort((a, b) => a - b);
    const instants = {
      expiry: license.expiresAt,
      'end of a lease': leaseEnd,
      'third of a lease': leaseEnd && leaseEnd - ((leaseMs(license) ?? 0) * 2) / 3,
    };
    return Math.max(0, (instants[pause.until] ?? 0) + pause.offset - this.service.now());
  }

  private async deliver(place: number, again: boolean): Promise<void> {
    const { queue } = this.service;
    const message: Message | undefined = queue[place % Math.max(1, queue.length)];
    if (!message) return;
    // With `again`, the message stays in the queue, so it is delivered a second time later.
    if (!again) queue.splice(queue.indexOf(message), 1);
    // Each delivery has a separate function instance. If deliveries shared an instance, it would record their attempts together, and its
    // death would end them all.
    const [done] = await this.instance({ clock: () => this.service.now() }).deliver(message);
    if (!done) queue.push(message);
  }

  private create(what: 'sell' | 'type', once: boolean, place: number): Promise<CallResult> {
    const params = { id: this.product.id };
    if (what === 'type') return this.service.call('createLicenseType', { params, body: { name: `Type ${place}`, kind: 'lifetime' } });
    return this.service.call('createLicense', {
      params,
      body: { license_type_id: this.product.typeId },
      ...(once && { headers: { 'Idempotency-Key': `sale-${place}` } }),
    });
  }

  /** There must be an order of the operations that explains every response about a license and leads to the license's current state. */
  private async explainLicense(which: number, operations: readonly Operation[], now: number): Promise<void> {
    const before = this.states[which]!;
    const events = await eventsOf(before.license.id, this.table);
    expectWholeHistory(events);
    const fresh = events.slice(before.license.sequence);
    const shown = await this.service.ok<LicenseView>('getLicense', { params: { id: before.license.id } });
    const after = explain(before, operations, fresh, shown, now);
    if (!after) {
      const lines = operations.map(
        ({ what, task: { begin, end }, response }) =>
          `${begin}–${end} ${what} → ${response ? `${response.status} ${JSON.stringify(response.body)}` : 'died'}`,
      );
      const report = [
        `No order of operations explains license ${before.license.id}:`,
        ...lines,
        'Its events:',
        ...fresh.map(({ payload }) => JSON.stringify(payload)),
        'As it is:',
        JSON.stringify(shown),
        'As it was:',
        JSON.stringify(before.license),
      ];
      throw new Error(report.join('\n'));
    }
    this.states[which] = after;
  }

  // ── Sales and types ───────────────────────────────────────────────────────────────────────────

  private licenses = (): Promise<LicenseView[]> => this.service.ok<LicenseView[]>('listLicenses', { params: { id: this.product.id } });

  /**
   * Each sale created one license, but all sales with the same idempotency key together created only one. A sale whose function died may
   * have created a license.
   */
  private async checkSales(sales: readonly Sale[], before: ReadonlySet<number>): Promise<void> {
    const made = (await this.licenses()).filter(({ id }) => !before.has(id));
    const received = sales.flatMap(({ response }) => response ?? []);
    for (const { status, body } of received)
      expect({ status, body }).toEqual({ status: 201, body: made.find(({ id }) => id === body['id']) });
    const repeated = sales.flatMap(({ once, response }) => (once && response ? [response] : []));
    expect(new Set(repeated.map(({ body }) => body['id'])).size).toBe(Math.min(1, repeated.length));
    const distinct = new Set(received.map(({ body }) => body['id'])).size;
    const lost = sales.filter(({ response }) => !response).length;
    expect(made.length >= distinct && made.length <= distinct + lost).toBe(true);
    for (const { id } of made) expectWholeHistory(await eventsOf(id, this.table));
  }

  /**
   * Of several license types with the same name, one is created, and the others are refused with 409. A 409 without an existing type of
   * that name would be wrong.
   */
  private checkTypes(responses: readonly CallResult[], acts: readonly Act[]): void {
    const asked = acts.filter((one) => one.act === 'type').length;
    const statuses = responses.map(({ status }) => status);
    const made = statuses.filter((status) => status === 201).length;
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    if (asked > 0 && responses.length === asked) expect(made).toBe(1);
    else expect(made).toBeLessThanOrEqual(1);
  }

  // ── The end ───────────────────────────────────────────────────────────────────────────────────

  /**
   * Although messages and responses were lost, no event is pending at the end: each event is delivered, failed or skipped, and the
   * statistics count it once.
   */
  async finish(): Promise<void> {
    this.service.queue.splice(0, Math.floor(this.chance() * this.service.queue.length));
    await this.service.recover();
    const deliveries = await this.product.deliveries();
    const licenses = await this.licenses();
    const recorded = await Promise.all(licenses.map(({ id }) => eventsOf(id, this.table)));
    expect(deliveries.map(({ id }) => id).sort()).toEqual(recorded.flatMap((events) => events.map(({ id }) => id)).sort());

    let unrecorded = 0;
    for (const delivery of deliveries) unrecorded += this.checkDelivery(delivery);
    expect(unrecorded).toBeLessThanOrEqual(this.turns.deaths);
    await this.checkNumbers(licenses, deliveries);
  }

  /**
   * Checks that the log matches what the receiver got. Returns how many posts are missing in the log, because the functions that sent them
   * died.
   */
  private checkDelivery({ id, status, attempts, history, payload }: DeliveryView): number {
    const posts = this.posts.filter((post) => post.id === id);
    expect(new Set(posts.map(({ raw }) => raw.toString()))).toEqual(new Set(posts.length > 0 ? [JSON.stringify(payload)] : []));
    expect(['delivered', 'failed', 'skipped']).toContain(status);
    expect(history.at(-1)?.error === null).toBe(status === 'delivered');
    const statuses = posts.map((post) => post.status);
    // For each entry of the log, the receiver got a post, in the same order.
    let place = 0;
    for (const entry of history) {
      while (place < statuses.length && statuses[place] !== entry.status) place += 1;
      expect({ id, statuses, entry, found: place < statuses.length }).toEqual({ id, statuses, entry, found: true });
      place += 1;
    }
    expect(attempts).toBe(history.length);
    return posts.length - attempts;
  }

  private async checkNumbers(licenses: readonly LicenseView[], deliveries: readonly DeliveryView[]): Promise<void> {
    const overview = await this.service.ok<{ licenses: Record<string, number>[]; days: Record<string, number>[] }>('getOverview', {
      params: { id: this.product.id },
    });
    const sum = (rows: readonly Record<string, number>[], name: string): number => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
    for (const status of licenseStatuses)
      expect({ [status]: sum(overview.licenses, status) }).toEqual({ [status]: licenses.filter((one) => one.status === status).length });
    for (const status of ['delivered', 'failed', 'skipped'])
      expect({ [status]: sum(overview.days, status) }).toEqual({ [status]: deliveries.filter((one) => one.status === status).length });
    expect(sum(overview.days, 'activations')).toBe(deliveries.filter(({ event }) => event === 'license.activated').length);
  }
}

/** The numbers of runs, operations, simulated deaths of functions, and injected faults. */
export interface Interleaved {
  runs: number;
  operations: number;
  deaths: number;
  faults: number;
}

export async function playInterleavings(runs: Runs, receiver: Receiver): Promise<Interleaved> {
  const played: Interleaved = { runs: 0, operations: 0, deaths: 0, faults: 0 };
  await hold('model/interleavings', runs, interleaving, show, async (plan) => {
    const crowd = new Crowd(await ownTable(), receiver, plan);
    try {
      await crowd.open();
      for (const [place, one] of plan.bursts.entries()) await crowd.burst(one, place);
      await crowd.finish();
      played.runs += 1;
      played.operations += crowd.operations;
      played.deaths += crowd.turns.deaths;
      played.faults += crowd.faultCount;
    } finally {
      crowd.close();
    }
  });
  return played;
}
