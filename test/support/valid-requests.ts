import { randomBytes } from 'node:crypto';
import { newOrder } from '../../bin/sell/shop';
import { stepsOf, type ScenarioName } from '../../bin/sell/scenarios';
import { writeOfflineRequest } from '../../client/src/offline-request';
import type { Endpoint } from '../../lambdas/contract/endpoint';
import type { LicenseView } from '../../lambdas/contract/resources';
import { suppress } from '../../lambdas/store/suppressions';
import { unsubscribeToken } from '../../lambdas/use-cases/reminders/unsubscribe';
import { shopOf } from './counter';
import type { EventHarness, Product } from './event-harness';
import type { CallRequest } from './harness';
import type { MailServer } from './mail-server';
import { newPortalToken, signInToPortal, toCodeMail } from './portal';
import { FILE, licenseHeadersOf, publishOffer, releaseFor, updaterParams } from './releases';

/**
 * Builds a valid request to any endpoint of the contract, and creates the rows that the request needs. Most requests follow from the
 * contract: the example of the row, with the ids and values of an existing product and license. {@link preparations} has the others. No
 * request ends or removes what a later request with the same target needs.
 */

/** A product, and the license that requests name. */
export interface Target {
  readonly service: EventHarness;
  readonly product: Product;
  /** A license with 100 seats, a meter, and updates that end. */
  readonly license: LicenseView & { readonly customer_email: string };
  /** The URL of the product's webhook. */
  readonly webhook: string;
  /** The server that gets the service's mails. Without it, the code in a request for `confirmPortalEmail` is wrong. */
  readonly mails?: MailServer;
  /** Calls `make` once for this target, and returns its result every time. */
  once<Made>(make: (target: Target) => Promise<Made>): Promise<Made>;
}

/** A URL with a closed port. A delivery to this URL fails at once. */
export const NOWHERE = 'http://127.0.0.1:9/';
const SIGNING_SECRET = 'whsec_c3RyaXBlLXNlY3JldC1mb3ItdGVzdHM=';
const unique = (prefix = 't'): string => `${prefix}-${randomBytes(8).toString('hex')}`;

/**
 * Creates a product and a license.
 *
 * @param options the license's fields, the webhook's URL, and the server that gets the mails
 */
export async function newTarget(
  service: EventHarness,
  { license = {}, webhook = NOWHERE, mails }: { license?: object; webhook?: string; mails?: MailServer } = {},
): Promise<Target> {
  const product = await service.newProduct(webhook);
  const sold = await product.license({
    customer_email: 'ada@example.com',
    max_seats: 100,
    updates_until: '2099-01-01T00:00:00Z',
    meters: [{ name: 'exports', included: 1_000_000, period: 'none' }],
    ...license,
  });
  const made = new Map<unknown, Promise<unknown>>();
  const target: Target = {
    service,
    product,
    license: { ...sold, customer_email: sold.customer_email ?? '' },
    webhook,
    ...(mails && { mails }),
    once: <Made>(make: (target: Target) => Promise<Made>) => {
      if (!made.has(make)) made.set(make, make(target));
      return made.get(make) as Promise<Made>;
    },
  };
  return target;
}

interface Connection {
  readonly id: number;
  /** The secret part of the URL to which the processor sends notifications. */
  readonly token: string;
}

/** Creates a connection to Stripe. */
export async function connect({ service, product }: Target): Promise<Connection> {
  const body = { processor: 'stripe', signing_secret: SIGNING_SECRET, api_key: 'sk_test' };
  const { id, url } = await service.ok<{ id: number; url: string }>('createPaymentConnection', { params: { id: product.id }, body });
  return { id, token: url.split('/').pop() ?? '' };
}
const ofConnection = async (target: Target): Promise<CallRequest> => ({ params: { id: (await target.once(connect)).id } });

/** The notifications with which Stripe reports a scenario, such as a sale, in their order. */
export function notificationsOf(scenario: ScenarioName, { token }: Connection, now: number, quantity = 1): CallRequest[] {
  const shop = shopOf('stripe');
  const order = newOrder({ email: 'ada@example.com', ref: shop.ref.example, quantity, recurring: false, test: false }, now);
  return stepsOf(scenario, shop, order)
    .flatMap(({ messages }) => messages)
    .map((message) => ({
      params: { payment: token },
      body: message.body,
      headers: { 'Content-Type': message.contentType, ...shop.sign(message, SIGNING_SECRET, now) },
    }));
}

/** Creates a sale that can now be processed, but was held because no plan named its item. Returns its id in the payments log. */
export async function heldPayment(target: Target): Promise<string> {
  const { service, product } = target;
  const connection = await connect(target);
  for (const notification of notificationsOf('sale', connection, service.now())) await service.ok('receivePayment', notification);
  const body = { default_license_type_id: product.typeId };
  await service.ok('updatePaymentConnection', { params: { id: connection.id }, body });
  const [payment] = await service.ok<{ id: string }[]>('listPayments', { params: { id: product.id }, query: { status: 'held' } });
  return payment?.id ?? '';
}

/** Creates an event that is recorded as skipped, because its product has no webhook at this time. Returns the event's id. */
async function skippedEvent({ service, product, webhook }: Target): Promise<string> {
  await product.setWebhook('');
  await product.license();
  await service.recover();
  await product.setWebhook(webhook);
  const [event] = await product.deliveries({ status: 'skipped' });
  return event?.id ?? '';
}

/** The id of the product's next signing key, which is created if there is none. */
async function nextKid({ service, product }: Target): Promise<string> {
  const params = { id: product.id };
  const keys = await service.ok<{ kid: string; status: string }[]>('listSigningKeys', { params });
  const next = keys.find(({ status }) => status === 'next');
  return (next ?? (await service.ok<{ kid: string }>('createSigningKey', { params }))).kid;
}
const ofNextKey = async (target: Target): Promise<CallRequest> => ({ params: { id: target.product.id, kid: await nextKid(target) } });

/** Another license of the same buyer, for a request that ends the use of a license or of its key. */
const another = async ({ product, license }: Target): Promise<CallRequest> => ({
  params: { id: (await product.license({ customer_email: license.customer_email })).id },
});

/** Another product, for a request that ends its API key. */
const anotherProduct = async ({ service }: Target): Promise<CallRequest> => ({ params: { id: (await service.newProduct()).id } });

/** A device that has a seat of the target's license. */
async function seat({ product, license }: Target): Promise<{ readonly key: string; readonly fingerprint: string }> {
  const fingerprint = unique('device');
  const { status } = await product.activate(license.key, fingerprint);
  if (status !== 200) throw new Error(`The activation answered ${status}`);
  return { key: license.key, fingerprint };
}

const newNote = async ({ service, license: { id } }: Target): Promise<string> =>
  (await service.ok<{ id: string }>('createNote', { params: { id }, body: { text: 'Called' } })).id;

/** Creates a license of named people with the same buyer, and a member. */
async function team({ service, product, license }: Target): Promise<{ readonly id: number; readonly member_id: string }> {
  const body = { name: unique('Team'), kind: 'lifetime', binding: 'user' };
  const type = await service.ok<{ id: number }>('createLicenseType', { params: { id: product.id }, body });
  const { id } = await product.license({ license_type_id: type.id, customer_email: license.customer_email });
  const member = await service.ok<{ id: string }>('putMember', { params: { id }, body: { email: 'member@example.com', invite: false } });
  return { id, member_id: member.id };
}

const trialType = ({ service, product }: Target): Promise<unknown> =>
  service.ok('createLicenseType', {
    params: { id: product.id },
    body: { name: 'Trial', kind: 'trial', duration_days: 14, self_service: true },
  });

/** Publishes a release for updaters, which only licenses may download. */
async function offer({ service, product }: Target): Promise<void> {
  await publishOffer(product.id, (name, id, body) => service.ok(name, { params: { id }, body }));
}

/** Lets an app ask for an activation by sign-in, and returns the code that the app shows. */
async function newUserCode({ service, product }: Target): Promise<string> {
  const request = { params: { id: product.id }, apiKey: product.api_key, body: { fingerprint: unique('device') } };
  return (await service.ok<{ user_code: string }>('createActivationRequest', request)).user_code;
}

/** The code that was mailed to a buyer's new e-mail address. */
async function mailedCode({ service, product, mails }: Target, email: string, headers: Record<string, string>): Promise<string> {
  if (!mails) return '00000000';
  await service.ok('changePortalEmail', { params: { slug: product.slug }, headers, body: { email } });
  await service.run();
  const mail = mails.inbox.findLast(({ to }) => to.includes(email));
  return mail ? toCodeMail(mail).code : '';
}

/**
 * What a request needs besides the contract, by the name of its endpoint. Each function creates rows, and returns the parts of the request
 * that differ from the example in the contract.
 */
const preparations: Readonly<Record<string, (target: Target) => CallRequest | Promise<CallRequest>>> = {
  eraseCustomer: async ({ service, product }) => {
    const customer_email = `${unique()}@example.com`;
    await product.license({ customer_email });
    await service.recover();
    return { body: { customer_email } };
  },

  updateLicense: async (target) => ({ ...(await another(target)), body: { max_seats: 10, customer_email: 'grace@example.com' } }),
  suspendLicense: another,
  revokeLicense: another,
  reissueLicense: another,
  resetLicense: another,
  reinstateLicense: async (target) => {
    const { params } = await another(target);
    await target.service.ok('suspendLicense', { params });
    return { params };
  },
  deleteActivation: async (target) => ({ params: { id: target.license.id, fingerprint: (await seat(target)).fingerprint } }),
  consumeForLicense: () => ({ body: { meter: 'exports', amount: 1, id: unique() } }),
  correctMeter: () => ({ body: { add: 1 } }),
  deleteNote: async (target) => ({ params: { id: target.license.id, note: await newNote(target) } }),
  listMembers: async (target) => ({ params: await team(target) }),
  putMember: async (target) => ({ params: await team(target) }),
  removeMember: async (target) => ({ params: await team(target) }),
  searchLicenses: ({ license }) => ({ query: { key: license.key } }),

  deactivate: async (target) => ({ body: await seat(target) }),
  listDevices: async (target) => {
    await target.service.ok('updateProduct', { params: { id: target.product.id }, body: { list_devices: true } });
    return { body: await seat(target) };
  },
  consume: async (target) => ({ body: { ...(await seat(target)), meter: 'exports', amount: 1, id: unique() } }),
  listAppMeters: async (target) => ({ body: await seat(target) }),
  startTrial: async (target) => {
    await target.once(trialType);
    return { body: { fingerprint: unique('device'), customer_email: target.license.customer_email } };
  },

  rotateApiKey: anotherProduct,
  endPreviousApiKey: async (target) => {
    const request = await anotherProduct(target);
    await target.service.ok('rotateApiKey', { ...request, body: { overlap_hours: 24 } });
    return request;
  },
  createSigningKey: async (target) => {
    await target.service.ok('deleteSigningKey', await ofNextKey(target));
    return {};
  },
  activateSigningKey: ofNextKey,
  deleteSigningKey: ofNextKey,
  revokeToken: async ({ service }) => ({
    params: { id: (await service.ok<{ id: number }>('createToken', { body: { name: 'to be revoked', scopes: ['read'] } })).id },
  }),

  setWebhook: async ({ product }) => (await product.setWebhook(''), {}),
  testWebhook: async ({ product, webhook }) => (await product.setWebhook(webhook), {}),
  getDelivery: async ({ product }) => ({ params: { event_id: (await product.deliveries())[0]?.id ?? '' } }),
  redeliver: async (target) => ({ params: { event_id: await skippedEvent(target) } }),
  redeliverMany: async (target) => (await skippedEvent(target), { body: { status: 'skipped' } }),
  resumeMail: async ({ service, product, license }) => {
    const why = { at: service.now(), type: 'permanent', reason: 'General 5.1.1' } as const;
    await suppress(service.app.table, product.id, license.customer_email, why);
    return {};
  },
  showUnsubscribe: async ({ service, product, license }) => ({
    params: { token: await unsubscribeToken(service.app, product.id, license.customer_email) },
  }),
  unsubscribeFromReminders: (target) => preparations['showUnsubscribe']!(target),

  getPaymentConnection: ofConnection,
  updatePaymentConnection: ofConnection,
  reconcilePayments: ofConnection,
  receivePayment: async (target) => notificationsOf('sale', await target.once(connect), target.service.now())[0]!,
  getPayment: async (target) => ({ params: { payment: await heldPayment(target) } }),
  processPayment: async (target) => ({ params: { payment: await heldPayment(target) } }),
  processPayments: async (target) => (await heldPayment(target), {}),
  getPurchase: () => ({ query: { order: unique('cs') } }),

  createPortalLink: async ({ service, product }) => (
    await service.ok('setPortal', { params: { id: product.id }, body: { enabled: true } }), {}
  ),
  createPortalSession: async ({ service, product, license }) => ({
    body: { token: await newPortalToken(service.ok, product.id, license.customer_email) },
  }),
  mintPortalToken: ({ product, license }) => ({
    body: { request: writeOfflineRequest({ product: product.id, key: license.key, fingerprint: 'offline-device' }) },
  }),
  requestPortalCode: ({ license }) => ({ body: { email: license.customer_email } }),
  lookupActivationRequest: async (target) => ({ body: { user_code: await newUserCode(target) } }),
  decideActivationRequest: async (target) => ({
    body: { user_code: await newUserCode(target), decision: 'approve', license_id: target.license.id },
  }),
  reissuePortalLicense: async (target) => ({ params: { slug: target.product.slug, ...(await another(target)).params } }),
};

/** The part of a request that names the caller. Signs the buyer in, if the caller is a buyer. */
async function callerOf(row: Endpoint, target: Target): Promise<CallRequest> {
  const { service, product, license } = target;
  if (isOfPortal(row)) {
    await seat(target);
    const { session, ref } = await signInToPortal(service.ok, target);
    const people = row.path.includes('/members') ? await team(target) : undefined;
    return { params: { slug: product.slug, id: license.id, ref, ...people }, headers: { 'X-Portal-Session': session } };
  }
  if (row.credential === 'license') {
    await service.ok('setDownloads', { params: { id: product.id }, body: { access: 'licensed' } });
    await target.once(offer);
    return { headers: licenseHeadersOf(product.api_key, license.key) };
  }
  return row.credential === 'product' ? { apiKey: product.api_key } : {};
}

/** The id in a path, by the path's first segment after the version. In all other paths it is the product's id. */
async function idOf({ path }: Endpoint, { service, product, license }: Target): Promise<number> {
  if (path.startsWith('/v1/licenses/')) return license.id;
  if (path.startsWith('/v1/license-types/')) return product.typeId;
  if (!path.startsWith('/v1/releases/')) return product.id;
  const id = await releaseFor({ path }, product.id, (name, of, body) => service.ok(name, { params: { id: of }, body }));
  if (path.endsWith('/unyank')) await service.ok('yankRelease', { params: { id } });
  return id;
}

/** Creates the rows that a request to an endpoint needs, and returns the request. */
export async function validRequest(row: Endpoint, target: Target): Promise<CallRequest> {
  const { product, license, webhook } = target;
  const caller = await callerOf(row, target);
  const values: Readonly<Record<string, unknown>> = {
    name: unique(),
    slug: unique(),
    license_type_id: product.typeId,
    plans: [],
    url: webhook,
    key: license.key,
    fingerprint: unique('device'),
    customer_email: license.customer_email,
    metadata: license.metadata,
  };
  const example = row.examples.request;
  const body = example && Object.fromEntries(Object.entries(example).map(([field, value]) => [field, values[field] ?? value]));
  const prepared = await preparations[row.name]?.(target);
  const request: CallRequest = {
    ...(body && { body }),
    ...(row.credential === 'product' && row.query && { query: { key: license.key, fingerprint: String(values['fingerprint']) } }),
    ...caller,
    ...prepared,
    params: { ...updaterParams(row, product.slug), filename: FILE, name: 'exports', ...caller.params, ...prepared?.params },
  };
  if (row.name === 'confirmPortalEmail') {
    const { email } = body as { email: string };
    return { ...request, body: { email, code: await mailedCode(target, email, caller.headers as Record<string, string>) } };
  }
  return request.params?.['id'] === undefined ? { ...request, params: { ...request.params, id: await idOf(row, target) } } : request;
}

/** Whether a row is a route of the portal, which needs a session or an open portal. */
export const isOfPortal = ({ path }: Endpoint): boolean => path.startsWith('/v1/portal/');
