import { newOrder, ticking } from '../../bin/sell/shop';
import { shops } from '../../bin/sell/scenarios';
import { endpoints } from '../../lambdas/contract';
import { noteExample } from '../../lambdas/contract/notes';
import { takesBody, type Endpoint } from '../../lambdas/contract/endpoint';
import { portalActions } from '../../lambdas/contract/portal-actions';
import { FILE, isAboutRelease, licenseHeadersOf, publishOffer, releaseFor, someVersion, updaterParams } from './releases';
import {
  adminToken,
  get,
  newFingerprint,
  newLicense,
  newShop,
  newType,
  patch,
  post,
  send,
  serviceNow,
  unique,
  type Answer,
  type Shop,
} from './http';

/** Builds requests to any route of the contract. The requests name objects that exist, belong to another product, or do not exist. */

/** A product with everything that a path or a body can name. */
export interface Target extends Shop {
  readonly eventId: string;
  /** The id of a license of named people with the same buyer. */
  readonly teamId: number;
  /** The id of a note on the license. */
  readonly noteId: string;
  /** The id of a signing key that can be activated and deleted. */
  readonly kid: string;
  /** The id of an admin token that can be revoked. */
  readonly tokenId: number;
  readonly connectionId: number;
  /** The id of a row of the payments log. */
  readonly paymentId: string;
  /** The id of a release. The release is published if the route yanks releases. Otherwise it is a draft with an uploaded file. */
  readonly releaseId: number;
  /** A portal session of the license's buyer. */
  readonly session: string;
  /** The code of an app's request to be activated. */
  readonly userCode: string;
}

/** A URL with a closed port. A webhook delivery to this URL fails at once. */
const NOWHERE = 'http://127.0.0.1:9/';
const SIGNING_SECRET = 'whsec_c3RyaXBlLXNlY3JldC1mb3ItdGVzdHM=';

/**
 * Creates a product for requests of all routes, or for requests of one route.
 *
 * @param row if given, the product is only for requests of this route. Then most rows are created only if this route needs them
 */
export async function newTarget(row?: Endpoint): Promise<Target> {
  const isNamed = (part: string): boolean => row?.path.includes(part) ?? true;
  const meters = [{ name: 'exports', included: 1_000_000, period: 'none' }];
  const shop = await newShop(
    { meters, ...(isNamed('/renew-updates') && { updates_days: 365 }) },
    {
      customer_email: `${unique('Buyer')}@example.com`,
      ...(row?.path.endsWith('/renew') && { expires_at: new Date(serviceNow() + 1000).toISOString() }),
    },
  );
  const path = `/v1/products/${shop.product.id}`;
  const team = isNamed('/members')
    ? await newLicense(await newType(shop.product, { name: 'Team', binding: 'user' }), { customer_email: shop.license.customer_email })
    : { id: NOBODY };
  await post(`${path}/webhook`, { url: NOWHERE });
  if (isNamed('/devices')) await patch(path, { list_devices: true });
  if (isNamed('/trial')) await newType(shop.product, { name: 'Trial', kind: 'trial', duration_days: 30, self_service: true });
  const events = isNamed('{event_id}') ? (await get<{ id: string }[]>(`/v1/licenses/${shop.license.id}/events`)).body : [];
  const note = isNamed('{note}')
    ? (await post<{ id: string }>(`/v1/licenses/${shop.license.id}/notes`, { text: 'to be deleted' })).body
    : { id: UNKNOWN.note };
  const next = isNamed('/signing-keys') ? (await post<{ kid: string }>(`${path}/signing-keys`)).body : UNKNOWN;
  const token = isNamed('/tokens')
    ? (await post<{ id: number }>('/v1/tokens', { name: 'to be revoked', scopes: ['read'] })).body
    : { id: NOBODY };
  const connection = await post<{ id: number; url: string }>(`${path}/payment-connections`, {
    processor: 'stripe',
    signing_secret: SIGNING_SECRET,
  });
  const paymentId = isNamed('{payment}') ? await sell(connection.body.url) : UNKNOWN.payment;
  const session = isNamed('/portal/') || isNamed('/activation-requests') ? await newSession(shop) : UNKNOWN.kid;
  if (row && needsSeat(row))
    await post(`${path}/activate`, { key: shop.license.key, fingerprint: SEATED }, { 'X-API-Key': shop.product.api_key });
  const userCode = isNamed('/activation-requests') ? await newUserCode(shop) : UNKNOWN.userCode;
  const releaseId = !row || isAboutRelease(row) ? await newRelease(shop.product.id, row) : NOBODY;
  if (!row || row.credential === 'license') await newOffer(shop.product.id);
  return {
    ...shop,
    releaseId,
    session,
    userCode,
    teamId: team.id,
    eventId: events[0]?.id ?? UNKNOWN.event,
    noteId: note.id,
    kid: next.kid,
    tokenId: token.id,
    connectionId: connection.body.id,
    paymentId,
  };
}

/** Creates the release that the route needs; see {@link releaseFor}. */
export const newRelease = (productId: number, row?: Endpoint): Promise<number> => releaseFor(row, productId, callByName);

/** Publishes the release for updaters; see {@link publishOffer}. */
export const newOffer = (productId: number): Promise<void> => publishOffer(productId, callByName);

export const callByName = async (name: string, id: number, body?: object): Promise<unknown> => {
  const { path = '' } = endpoints.find((one) => one.name === name) ?? {};
  return (await post(path.replace('{id}', String(id)), body)).body;
};

/** Opens the portal of a product with all its options, and signs in the buyer of its license. */
export async function newSession({ product, license }: Pick<Shop, 'product' | 'license'>): Promise<string> {
  await post(`/v1/products/${product.id}/portal`, { enabled: true, allow: portalActions });
  const link = await post<{ url: string }>(`/v1/products/${product.id}/portal/links`, { customer_email: license.customer_email });
  const [, token] = link.body.url.split('#t=');
  const { body } = await send<{ session: string }>(`/v1/portal/${product.slug}/sessions`, { method: 'POST', body: { token } });
  return body.session;
}

/** Lets an app ask for an activation by sign-in, and returns the code that the app shows. */
async function newUserCode({ product }: Pick<Shop, 'product'>): Promise<string> {
  const { body } = await send<{ user_code: string }>(`/v1/products/${product.id}/activation-requests`, {
    method: 'POST',
    headers: { 'X-API-Key': product.api_key },
    body: { fingerprint: newFingerprint() },
  });
  return body.user_code;
}

/** Sends the sale of an item that no plan names, so the service holds the sale in the payments log. */
async function sell(url: string): Promise<string> {
  const stripe = shops.stripe(ticking(serviceNow));
  const order = newOrder({ email: 'ada@example.com', ref: stripe.ref.example, quantity: 1, recurring: false, test: false }, serviceNow());
  const [message] = stripe.messages('sale', order);
  if (!message) throw new Error('A sale has no message');
  const headers = { 'Content-Type': message.contentType, ...stripe.sign(message, SIGNING_SECRET, serviceNow()) };
  const { body } = await send<{ id: string }>(new URL(url).pathname, { method: 'POST', headers, body: message.body });
  return body.id;
}

/** The ids and values of an existing product, which requests can contain in paths and bodies. */
export const namesOf = ({
  product,
  license,
  type,
  teamId,
  eventId,
  noteId,
  kid,
  tokenId,
  connectionId,
  paymentId,
  releaseId,
  userCode,
}: Target): Names => ({
  product: product.id,
  slug: product.slug,
  license: license.id,
  team: teamId,
  event: eventId,
  note: noteId,
  kid,
  type: type.id,
  typeId: type.id,
  key: license.key,
  email: license.customer_email ?? '',
  token: tokenId,
  connection: connectionId,
  payment: paymentId,
  release: releaseId,
  userCode,
});

export interface Names {
  readonly product: number | string;
  readonly slug: string;
  readonly license: number | string;
  readonly team: number | string;
  readonly event: string;
  readonly note: string;
  readonly kid: string;
  /** The id of the license type, as a body contains it. */
  readonly type: number;
  /** The id of the license type, as a path contains it. */
  readonly typeId: number | string;
  readonly key: string;
  /** The buyer's e-mail address. */
  readonly email: string;
  readonly token: number | string;
  readonly connection: number | string;
  readonly payment: string;
  readonly release: number | string;
  readonly userCode: string;
}

const NOBODY = 9007199254740991;
export const UNKNOWN: Names = {
  product: NOBODY,
  slug: 'no-such-product',
  license: NOBODY,
  team: NOBODY,
  event: 'f'.repeat(32),
  note: noteExample.id,
  kid: 'f'.repeat(43),
  type: NOBODY,
  typeId: NOBODY,
  key: 'unknown',
  email: 'nobody@example.com',
  token: NOBODY,
  connection: NOBODY,
  payment: 'f'.repeat(32),
  release: NOBODY,
  userCode: '0000-0000',
};
export const ODD: Names = {
  ...UNKNOWN,
  product: '%00',
  slug: '%00',
  license: '0',
  team: '0',
  typeId: '-1',
  event: "'--",
  note: '%00',
  token: '1.0',
  connection: '+1',
  payment: 'x',
  release: '01',
};

export type Headers = Readonly<Record<string, string | readonly string[]>>;
export const headerNames = {
  admin: 'X-Svc-Admin-Token',
  product: 'X-API-Key',
  license: 'X-License-Key',
  portal: 'X-Portal-Session',
} as const;

/** Whether a route needs a payment processor. test/api/payments.test.ts tests these routes. */
export const needsProcessor = ({ name }: Endpoint): boolean => ['receivePayment', 'reconcilePayments'].includes(name);

/** Whether a route needs the content of a mail. portal-sign-in.test.ts, portal-buyer.test.ts and reminders.test.ts test these routes. */
export const needsCode = ({ name }: Endpoint): boolean =>
  ['createPortalSession', 'confirmPortalEmail', 'mintPortalToken', 'showUnsubscribe', 'unsubscribeFromReminders'].includes(name);

/** The request headers with the credential that a contract row requires, for a given product. */
export function headersFor(
  { credential }: Endpoint,
  { product, license, session }: Pick<Target, 'product' | 'license' | 'session'>,
): Headers {
  if (credential === 'none' || credential === 'signature') return {};
  if (credential === 'license') return licenseHeadersOf(product.api_key, license.key);
  return { [headerNames[credential]]: { admin: adminToken(), product: product.api_key, portal: session }[credential] };
}

/** The id that replaces `{id}` in a path, depending on the beginning of the path. In paths with other beginnings it is the product's id. */
const ids = {
  licenses: 'license',
  'license-types': 'typeId',
  tokens: 'token',
  releases: 'release',
  'payment-connections': 'connection',
} as const;

/** The values of the parameters in a path, by name. */
export function pathValues(row: Pick<Endpoint, 'path'>, names: Names): Readonly<Record<string, string | number>> {
  const { path } = row;
  const values = {
    ...updaterParams(row, names.slug),
    id: names[
      path.includes('/members')
        ? 'team'
        : path.startsWith('/v1/portal/')
          ? 'license'
          : (ids[path.split('/')[2] as keyof typeof ids] ?? 'product')
    ],
    slug: names.slug,
    ref: 'a-ref',
    event_id: names.event,
    note: names.note,
    member_id: 'a-member',
    fingerprint: 'a-fingerprint',
    name: 'exports',
    kid: names.kid,
    filename: FILE,
    payment: names.payment,
  };
  return Object.fromEntries(Object.entries(values).filter(([name]) => path.includes(`{${name}}`)));
}

export const pathOf = (row: Pick<Endpoint, 'path'>, names: Names): string =>
  Object.entries(pathValues(row, names)).reduce((path, [name, value]) => path.replace(`{${name}}`, String(value)), row.path);

/** The query string for each contract row that requires a query. */
const queries: Readonly<Record<string, (names: Names) => string>> = {
  searchLicenses: ({ key }) => `?key=${key}`,
};

/** The query string that a route requires, with its question mark. */
export const queryOf = ({ name }: Endpoint, names: Names): string => queries[name]?.(names) ?? '';

/** The fingerprint of the device that {@link newTarget} activates for routes that need a seat. */
const SEATED = 'device-with-a-seat';
const needsSeat = ({ name }: Endpoint): boolean => name === 'consume' || name === 'listAppMeters';

/** A request that succeeds if its credential is right and the rows that it names exist. */
export function wellFormed(row: Endpoint, names: Names, headers: Headers, path = pathOf(row, names)): Promise<Answer<unknown>> {
  const claim = { key: names.key, fingerprint: needsSeat(row) ? SEATED : newFingerprint(), order: 'cs_unknown' };
  const query = row.credential === 'product' && row.query ? `?${new URLSearchParams(claim).toString()}` : queryOf(row, names);
  return send(`${path}${query}`, {
    method: row.method,
    headers: { ...headers } as Record<string, string | string[]>,
    ...(takesBody(row) && { body: bodyOf(row, names, claim) }),
  });
}

/** A valid request body: the example of the contract row, with the names of existing rows. */
export function bodyOf(row: Endpoint, names: Names, claim: object = {}): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = {
    ...claim,
    customer_email: names.email,
    license_type_id: names.type,
    name: unique(),
    slug: unique(),
    version: someVersion(),
    filename: `${unique()}.dmg`,
    url: NOWHERE,
    plans: [],
    user_code: names.userCode,
    license_id: names.license,
  };
  return Object.fromEntries(Object.entries(row.examples.request ?? {}).map(([field, example]) => [field, values[field] ?? example]));
}
