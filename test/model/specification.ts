import type { DeliveryStatus, EventName } from '../../lambdas/contract/events';
import { type LicenseTypeView, type ProductView } from '../../lambdas/contract/resources';
import { licenseStatuses, type LicenseStatus } from '../../lambdas/contract/statuses';
import { deliveryView, newEvent, redelivered, type Event } from './delivery';
import { startTrial, underDeadKey, type Claim, type Instant } from './checks';
import { edit, reissue, type Edit } from './changes';
import {
  adminView,
  DAY,
  isRefusal,
  newLicense,
  payload,
  refuse,
  rfc3339,
  sameDevice,
  written,
  type License,
  type LicenseType,
  type Refusal,
  type Step,
} from './license';

/**
 * A model of the service in memory, written according to the specification (docs/spec/README.md). It computes the expected response and the
 * effect of every operation. It shares only the contract with the tested code.
 *
 * The model takes random values (ids, keys, secrets) from the service's response. An expectation is either a refusal, or a function from
 * the service's response to the expected response.
 */

export type Drawn = Readonly<Record<string, unknown>>;
export type Expected = Refusal | ((drawn: Drawn) => unknown);

export interface Product {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly apiKey: string;
  readonly publicKey: string;
  readonly createdAt: number;
  /** The webhook's secret; undefined until a response has shown it. */
  secret?: string;
  /** The webhook's URL; empty if none is set. */
  webhookUrl: string;
}

/** An event that the product's backend must receive; its id is random. */
export interface ExpectedEvent {
  readonly event: EventName;
  readonly productId: number;
  readonly licenseId: number | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly at: number;
  readonly by?: string;
  readonly moved?: Event['moved'];
}

export interface LicenseFilter {
  readonly status?: LicenseStatus;
  readonly key?: string;
  readonly customer_email?: string;
  readonly license_type_id?: number;
}

const productView = ({ id, name, slug, apiKey, publicKey, createdAt }: Product): ProductView => ({
  id,
  name,
  slug,
  api_key: apiKey,
  public_key: publicKey,
  list_devices: false,
  trials_per_hour: 500,
  created_at: rfc3339(createdAt),
});
const typeView = ({ createdAt, features, ...type }: LicenseType): LicenseTypeView => ({
  ...type,
  features: [...features],
  limits: {},
  meters: [],
  binding: 'device',
  devices_per_user: null,
  created_at: rfc3339(createdAt),
});

/** The fields that create a license type; an omitted field has a default. */
export interface NewType extends Pick<LicenseType, 'name' | 'kind'> {
  readonly max_seats?: number;
  readonly duration_days?: number;
  readonly features?: readonly string[];
  readonly lease_minutes?: number | null;
  readonly new_devices_per_week?: number;
  readonly updates_days?: number | null;
  readonly max_major?: number | null;
  readonly starts?: 'creation' | 'activation';
  readonly downloads_when_expired?: boolean;
  readonly self_service?: boolean;
}
/** The body of a PATCH of a license type. */
export type TypeEdit = Partial<Pick<LicenseType, 'max_seats' | 'features' | 'new_devices_per_week' | 'self_service' | 'archived'>> & {
  readonly lease_minutes?: number | null;
  readonly duration_days?: number;
  readonly updates_days?: number | null;
  readonly max_major?: number | null;
  readonly starts?: 'creation' | 'activation';
};

const isTimed = ({ kind }: Pick<LicenseType, 'kind'>): boolean => kind === 'subscription' || kind === 'trial';
/** Whether a kind supports the settings. Unsupported settings are refused with 422, unless they are off. */
const applies = (kind: LicenseType['kind'], { duration_days, lease_minutes, self_service, starts }: TypeEdit): boolean =>
  (duration_days === undefined || isTimed({ kind })) &&
  (lease_minutes === undefined || lease_minutes === null || kind === 'floating') &&
  (starts !== 'activation' || isTimed({ kind })) &&
  (self_service !== true || kind === 'trial');

const OVERVIEW_DAYS = 30;
const dateOf = (ms: number): string => rfc3339(ms).slice(0, 10);
/** Events of the same moment are in the order of their ids (docs/decisions.md, 2). */
const newestFirst = (a: Event, b: Event): number => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
const sequenceOf = ({ payload: { data } }: Event): number => (data as { license: { sequence: number } }).license.sequence;

export class Specification {
  readonly products = new Map<number, Product>();
  readonly types = new Map<number, LicenseType>();
  readonly licenses = new Map<number, License>();
  readonly events = new Map<string, Event>();
  /** The events of the latest operation. `events` gets them as soon as the service has shown their random ids. */
  expected: ExpectedEvent[] = [];
  private readonly remembered = new Map<string, { readonly at: number; readonly body: string; readonly response: unknown }>();

  // ── Products ──────────────────────────────────────────────────────────────────────────────────

  createProduct(body: { name: string; slug: string }, key: string | undefined, now: number): Expected {
    return this.once('createProduct', key, body, now, () => {
      const taken = [...this.products.values()].some(({ name, slug }) => name === body.name || slug === body.slug);
      if (taken) return refuse('duplicate');
      return (drawn) => {
        const product = {
          ...body,
          id: risen(drawn, this.products),
          apiKey: String(drawn['api_key']),
          publicKey: String(drawn['public_key']),
          createdAt: now,
          webhookUrl: '',
        };
        this.products.set(product.id, product);
        return productView(product);
      };
    });
  }

  listProducts = (): object[] => [...this.products.values()].map(productView);
  getProduct = (id: number): Expected => this.of(this.products, id, productView);

  /** The webhook secret is generated once, and then stays the same. */
  webhook(id: number, url?: string): Expected {
    return this.of(this.products, id, (product, drawn) => {
      product.webhookUrl = url ?? product.webhookUrl;
      product.secret ??= String(drawn['secret']);
      return { url: product.webhookUrl, events: null, secret: product.secret };
    });
  }

  // ── License types ─────────────────────────────────────────────────────────────────────────────

  createLicenseType(productId: number, body: NewType, key: string | undefined, now: number): Expected {
    if (isTimed(body) !== (body.duration_days !== undefined) || !applies(body.kind, body)) return refuse('invalid_request');
    return this.once(`createLicenseType ${productId}`, key, { max_seats: 0, ...body }, now, () => {
      if (!this.products.has(productId)) return refuse('not_found');
      if (this.typesOf(productId).some(({ name }) => name === body.name)) return refuse('duplicate');
      if (body.self_service === true && this.trialOf(productId)) return refuse('duplicate');
      return (drawn) => {
        const {
          name,
          kind,
          max_seats = 0,
          duration_days = null,
          features = [],
          lease_minutes = null,
          new_devices_per_week = 0,
          updates_days = null,
          max_major = null,
          starts = 'creation',
          downloads_when_expired = false,
          self_service = false,
        } = body;
        const id = risen(drawn, this.types);
        const type = {
          id,
          product_id: productId,
          name,
          kind,
          max_seats,
          duration_days,
          features: [...features].sort(),
          lease_minutes,
          new_devices_per_week,
          updates_days,
          max_major,
          starts,
          downloads_when_expired,
          self_service,
          archived: false,
          createdAt: now,
        };
        this.types.set(id, type);
        return typeView(type);
      };
    });
  }

  getLicenseType = (id: number): Expected => this.of(this.types, id, typeView);

  /** A change of a license type applies to licenses issued from now on; existing licenses keep their terms. */
  updateLicenseType(id: number, body: TypeEdit): Expected {
    if (Object.keys(body).length === 0) return refuse('invalid_request');
    const type = this.types.get(id);
    if (!type) return refuse('not_found');
    if (!applies(type.kind, body)) return refuse('invalid_request');
    const after = { ...type, ...body, ...(body.features && { features: [...body.features].sort() }) };
    const other = this.trialOf(type.product_id);
    if (after.self_service && other && other.id !== id) return refuse('duplicate');
    return () => {
      this.types.set(id, after);
      return typeView(after);
    };
  }

  /** A product has at most one trial type, archived or not. */
  private readonly trialOf = (productId: number): LicenseType | undefined =>
    this.typesOf(productId).find(({ self_service }) => self_service);
  listLicenseTypes = (productId: number): object[] => this.typesOf(productId).map(typeView);
  private readonly typesOf = (productId: number): LicenseType[] =>
    [...this.types.values()].filter(({ product_id }) => product_id === productId);

  // ── Licenses ──────────────────────────────────────────────────────────────────────────────────

  createLicense(
    productId: number,
    body: {
      license_type_id: number;
      customer_email?: string;
      metadata?: Record<string, unknown>;
      expires_at?: string;
      updates_until?: string | null;
      max_major?: number | null;
    },
    key: string | undefined,
    now: number,
  ): Expected {
    return this.once(`createLicense ${productId}`, key, body, now, () => {
      const product = this.products.get(productId);
      const type = this.types.get(body.license_type_id);
      if (!product || type?.product_id !== productId) return refuse('not_found');
      // No license is issued for an archived type (422).
      if (type.archived) return refuse('invalid_request');
      return (drawn) => {
        const license = this.issued(product, type, risen(drawn, this.licenses), String(drawn['key']), now, {
          email: body.customer_email ?? null,
          metadata: body.metadata ?? {},
          ...(body.expires_at !== undefined && { expiresAt: Date.parse(body.expires_at) }),
          ...(body.updates_until !== undefined && {
            updatesUntil: body.updates_until === null ? null : Date.parse(body.updates_until),
          }),
          ...(body.max_major !== undefined && { maxMajor: body.max_major }),
        });
        this.commit({ license, response: {}, events: [{ event: 'license.created', license }] }, now);
        return adminView(license);
      };
    });
  }

  private readonly issued = (
    { id: productId, slug }: Product,
    type: LicenseType,
    id: number,
    key: string,
    now: number,
    facts: Partial<License>,
  ): License =>
    newLicense({
      id,
      key,
      productId,
      slug,
      type,
      createdAt: now,
      ...(type.starts === 'activation' && type.duration_days !== null && facts.expiresAt === undefined
        ? {
            expiresAt: null,
            // The period of updates starts with the term, unless `updates_until` is given.
            term: { days: type.duration_days, updatesDays: facts.updatesUntil === undefined ? type.updates_days : null },
          }
        : {
            expiresAt: type.duration_days === null ? null : now + type.duration_days * DAY,
            updatesUntil: type.updates_days === null ? null : now + type.updates_days * DAY,
          }),
      maxMajor: type.max_major,
      ...facts,
    });

  /** The filter uses the stored status, because a read of a list doesn't change the status of an expired license. */
  listLicenses(productId: number, filter: LicenseFilter, direction: 'asc' | 'desc' = 'asc'): object[] {
    const found = [...this.licenses.values()].filter(
      (license) =>
        license.productId === productId &&
        (filter.status === undefined || license.status === filter.status) &&
        (filter.key === undefined || license.key === filter.key) &&
        (filter.customer_email === undefined || license.email === filter.customer_email) &&
        (filter.license_type_id === undefined || license.type.id === filter.license_type_id),
    );
    return (direction === 'asc' ? found : found.reverse()).map(adminView);
  }

  getLicense = (id: number): Expected => this.of(this.licenses, id, adminView);

  /** An operator's operation on a license; idempotent if the request has a key. */
  onLicense(
    id: number,
    step: (license: License) => Step<object>,
    now: number,
    idempotent?: { readonly name: string; readonly key: string | undefined; readonly body: object },
  ): Expected {
    const act = (): Expected => {
      const license = this.licenses.get(id);
      return license ? this.apply(step(license), now) : refuse('not_found');
    };
    return idempotent ? this.once(`${idempotent.name} ${id}`, idempotent.key, idempotent.body, now, act) : act();
  }

  /** If the edit names a type of another product, the response is 404; for an archived type it is 422. */
  updateLicense(id: number, body: Edit, key: string | undefined, now: number): Expected {
    if (Object.keys(body).length === 0) return refuse('invalid_request');
    return this.once(`updateLicense ${id}`, key, body, now, () => {
      const license = this.licenses.get(id);
      const type = body.license_type_id === undefined ? undefined : this.types.get(body.license_type_id);
      if (!license || (body.license_type_id !== undefined && type?.product_id !== license.productId)) return refuse('not_found');
      if (type?.archived) return refuse('invalid_request');
      return this.apply(edit(license, body, type, now), now);
    });
  }

  /** Gives the same license a new key. */
  reissueLicense(id: number, key: string | undefined, now: number): Expected {
    return this.once(`reissueLicense ${id}`, key, {}, now, () => {
      const license = this.licenses.get(id);
      if (!license) return refuse('not_found');
      if (license.status === 'revoked') return refuse('license_revoked');
      return (drawn) => {
        const fresh = String(drawn['key']);
        if ([...this.licenses.values()].some((one) => one.key === fresh || one.deadKeys.includes(fresh)))
          throw new Error(`${fresh} is no new key`);
        const step = reissue(license, fresh);
        this.commit(step, now);
        return step.response;
      };
    });
  }

  /**
   * A client's operation with a license key. An unknown product id is refused with 401, like a wrong API key.
   *
   * @param unknown the expected result if the product has no license with the key
   */
  onKey(
    productId: number,
    name: keyof typeof underDeadKey,
    { license: licenseId, key }: { readonly license: number | undefined; readonly key: string },
    unknown: Expected,
    step: (license: License) => Step<object>,
    now: number,
  ): Expected {
    if (!this.products.has(productId)) return refuse('unauthorized');
    const license = licenseId === undefined ? undefined : this.licenses.get(licenseId);
    if (license?.productId !== productId) return unknown;
    return this.apply(license.key === key ? step(license) : underDeadKey[name](license), now);
  }

  // ── Trials ────────────────────────────────────────────────────────────────────────────────────

  /** The license that a device received as a trial of a product. A device always keeps the same trial license. */
  trialLicense = (productId: number, fingerprint: string): License | undefined =>
    this.licenses.get(this.trials.get(`${productId} ${sameDevice(fingerprint)}`) ?? 0);
  private readonly trials = new Map<string, number>();

  /** Starts the first trial of a device. The response is 404 if the product offers no trial. */
  startTrial(productId: number, claim: Claim, email: string | null, at: Instant): Expected {
    const product = this.products.get(productId);
    if (!product) return refuse('unauthorized');
    const type = this.trialOf(productId);
    if (!type || type.archived) return refuse('not_found');
    return (drawn) => {
      const { id, key } = drawn['license'] as { readonly id: number; readonly key: string };
      const step = startTrial(this.issued(product, type, risen({ id }, this.licenses), key, at.now, { email }), claim, at);
      this.trials.set(`${productId} ${sameDevice(claim.fingerprint)}`, id);
      this.commit(step, at.now);
      return step.response;
    };
  }

  private apply(step: Step<object>, now: number): Expected {
    this.commit(step, now);
    const { response } = step;
    return isRefusal(response) ? response : () => response;
  }

  private commit({ license, events, write }: Step<object>, now: number): void {
    let before = this.licenses.get(license.id);
    this.licenses.set(license.id, (write && written(license, write)) ?? license);
    for (const event of events) {
      const { id: licenseId, productId, type, status } = event.license;
      const isMoved = before?.status !== status || before.type.id !== type.id;
      const moved = isMoved
        ? { to: { type: type.id, status }, ...(before && { from: { type: before.type.id, status: before.status } }) }
        : undefined;
      before = event.license;
      this.expected.push({ event: event.event, productId, licenseId, payload: payload(event, now), at: now, ...(moved && { moved }) });
    }
  }

  // ── Events ────────────────────────────────────────────────────────────────────────────────────

  /** Sets `by`, which names who asked for the change, in the currently expected events. */
  askedBy(by: string): void {
    this.expected = this.expected.map((event) => (event.licenseId === null ? event : { ...event, by }));
  }

  /** Records an expected event with the id that the service has shown. */
  record(id: string, { at, ...facts }: ExpectedEvent): Event {
    if (!/^[0-9a-f]{32}$/.test(id) || this.events.has(id)) throw new Error(`${id} is no new event id`);
    const event = newEvent({ ...facts, id, createdAt: at });
    this.events.set(id, event);
    return event;
  }

  testWebhook(productId: number, now: number): Expected {
    const product = this.products.get(productId);
    if (!product) return refuse('not_found');
    if (product.webhookUrl === '') return refuse('invalid_request');
    const event = 'webhook.test';
    const test: ExpectedEvent = {
      event,
      productId,
      licenseId: null,
      at: now,
      payload: { event, timestamp: rfc3339(now).replace('T', ' ').replace('Z', '+00:00'), data: { product: product.slug } },
    };
    this.expected.push(test);
    return ({ id }) => deliveryView(newEvent({ ...test, id: String(id), createdAt: now }), product.webhookUrl);
  }

  view = (event: Event): object => deliveryView(event, this.products.get(event.productId)?.webhookUrl ?? '');
  getDelivery = (id: string): Expected => this.of(this.events, id, this.view);

  redeliver(id: string, now: number): Expected {
    return this.of(this.events, id, (event) => {
      const again = redelivered(event, now);
      this.events.set(id, again);
      return this.view(again);
    });
  }

  redeliverMany(productId: number, status: 'failed' | 'skipped', now: number): Expected {
    return this.of(this.products, productId, () => {
      // Only events of the last 30 days are delivered again. The overview shows the same period.
      const ended = [...this.events.values()].filter(
        (event) => event.productId === productId && event.status === status && event.createdAt >= now - 30 * DAY,
      );
      for (const event of ended) this.events.set(event.id, redelivered(event, now));
      return { count: ended.length };
    });
  }

  listDeliveries(productId: number, status?: DeliveryStatus): object[] {
    const found = [...this.events.values()].filter(
      (event) => event.productId === productId && (status === undefined || event.status === status),
    );
    return found.sort(newestFirst).map(this.view);
  }

  listLicenseEvents(licenseId: number): object[] {
    const found = [...this.events.values()].filter((event) => event.licenseId === licenseId);
    return found.sort((a, b) => sequenceOf(b) - sequenceOf(a)).map(this.view);
  }

  // ── Overview ──────────────────────────────────────────────────────────────────────────────────

  /** The overview includes the latest events: an event counts as soon as it is recorded, and its outcome counts after the last attempt. */
  overview(productId: number, now: number): Expected {
    if (!this.products.has(productId)) return refuse('not_found');
    const events = [...this.events.values()].filter((event) => event.productId === productId);
    const moves = events.flatMap(({ moved }) => (moved ? [moved] : []));
    const types = [...new Set(moves.flatMap(({ from, to }) => [to.type, ...(from ? [from.type] : [])]))].sort((a, b) => a - b);
    const count = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number => items.filter(holds).length;
    const having = (type: number, status: LicenseStatus): number =>
      Math.max(
        0,
        count(moves, ({ to }) => to.type === type && to.status === status) -
          count(moves, ({ from }) => from?.type === type && from.status === status),
      );
    const expiries = (type: number): number[] =>
      [...this.licenses.values()].flatMap((license) =>
        license.type.id === type && license.status === 'active' && license.expiresAt !== null ? [license.expiresAt] : [],
      );
    return () => ({
      licenses: types.map((type) => ({
        license_type_id: type,
        ...Object.fromEntries(licenseStatuses.map((status) => [status, having(type, status)])),
        lapsed: count(expiries(type), (expiresAt) => expiresAt < now),
        expiring: count(expiries(type), (expiresAt) => expiresAt >= now && expiresAt < now + 30 * DAY),
        capped: false,
      })),
      days: Array.from({ length: OVERVIEW_DAYS }, (_, place) => {
        const date = dateOf(now - (OVERVIEW_DAYS - 1 - place) * DAY);
        const ofDay = events.filter(({ createdAt }) => dateOf(createdAt) === date);
        const ended = (status: DeliveryStatus): number => count(ofDay, (event) => event.ended === status);
        return {
          date,
          issued: count(ofDay, ({ event }) => event === 'license.created'),
          renewed: count(ofDay, ({ event }) => event === 'license.renewed'),
          activations: count(ofDay, ({ event }) => event === 'license.activated'),
          downloads: 0,
          delivered: ended('delivered'),
          failed: ended('failed'),
          skipped: ended('skipped'),
        };
      }),
      downloads: [],
      meters: [],
      revenue: [],
      audience: null,
      expiring_days: Array.from({ length: OVERVIEW_DAYS }, (_, place) => {
        const date = dateOf(now + place * DAY);
        return {
          date,
          expiring: count(types.flatMap(expiries), (expiresAt) => expiresAt >= now && dateOf(expiresAt) === date),
          capped: false,
        };
      }),
    });
  }

  // ── Common ────────────────────────────────────────────────────────────────────────────────────

  /**
   * A repeated request with the same idempotency key and body within 24 h returns the first result without a second effect or event; with
   * another body the response is 409.
   */
  private once(scope: string, key: string | undefined, body: object, now: number, act: () => Expected): Expected {
    if (key === undefined) return act();
    const [place, asked] = [`${scope} ${key}`, JSON.stringify(body, Object.keys(flat(body)).sort())];
    const first = this.remembered.get(place);
    if (first && now < first.at + DAY) return first.body === asked ? () => first.response : refuse('idempotency_mismatch');
    const expected = act();
    if (typeof expected !== 'function') return expected;
    return (drawn) => {
      const response = expected(drawn);
      this.remembered.set(place, { at: now, body: asked, response });
      return response;
    };
  }

  private of<Id, Item>(items: ReadonlyMap<Id, Item>, id: Id, view: (item: Item, drawn: Drawn) => unknown): Expected {
    const item = items.get(id);
    return item === undefined ? refuse('not_found') : (drawn) => view(item, drawn);
  }
}

/** The names of all fields, at any depth. */
const flat = (value: unknown): Record<string, true> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).flatMap(([name, inner]) => [[name, true], ...Object.entries(flat(inner))]))
    : {};

/** A new id. Ids rise, so lists are in the order of creation. */
function risen({ id }: Drawn, existing: ReadonlyMap<number, unknown>): number {
  if (!Number.isSafeInteger(id) || (id as number) <= Math.max(0, ...existing.keys())) throw new Error(`${String(id)} is no new id`);
  return id as number;
}
