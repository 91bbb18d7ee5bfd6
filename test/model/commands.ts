import fc from 'fast-check';
import { endpoints } from '../../lambdas/contract';
import { credentialHeaders } from '../../lambdas/contract/endpoint';
import { deliveryStatuses } from '../../lambdas/contract/events';
import { licenseKinds } from '../../lambdas/contract/license-kinds';
import { licenseStatuses } from '../../lambdas/contract/statuses';
import { deviceRefOf } from '../support/devices';
import type { CallRequest } from '../support/harness';
import { reinstate, renew, renewUpdates, reset, revoke, suspend } from './changes';
import { activate, deactivate, mint, validate, type Claim, type Instant, type Release } from './checks';
import { DAY, leaseEndOf, MINUTE, refuse, rfc3339, sameDevice, type License, type LicenseType, type Refusal, type Step } from './license';
import type { Expected, Product } from './specification';
import { eventIdOf, type World } from './world';

/**
 * Random operations on the service. Each endpoint has a command with its name. Further commands cause other events, such as the passage of
 * time. A command names a row by its position among the existing rows.
 */

export interface Command {
  readonly run: (world: World) => Promise<void>;
  readonly toString: () => string;
}

const command = <Args extends object>(
  name: string,
  args: { [Name in keyof Args]: fc.Arbitrary<Args[Name]> },
  run: (world: World, args: Args) => Promise<void>,
): fc.Arbitrary<Command> =>
  fc.record(args).map((given) => ({ run: (world: World) => run(world, given), toString: () => `${name} ${fc.stringify(given)}` }));

// ── Arguments ───────────────────────────────────────────────────────────────────────────────────

/** The position of a row among the existing rows. Sometimes no such row exists. */
const one = fc.oneof({ weight: 15, arbitrary: fc.nat(11) }, { weight: 1, arbitrary: fc.constant(null) });
/** Omits a value in half of the cases. */
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(arbitrary, { nil: undefined, freq: 2 });
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const sometimes = <Value>(value: Value, usually: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 15, arbitrary: usually }, { weight: 1, arbitrary: fc.constant(value) });

const UNKNOWN_ID = 4_000_000;
const UNKNOWN_EVENT = 'f'.repeat(32);
const HEX = 'abcdef0123456789'.repeat(4);
/** The second fingerprint is the first in upper case, and means the same device. */
const fingerprint = sometimes(
  'short',
  fc.constantFrom(HEX, HEX.toUpperCase(), HEX.replaceAll('a', 'b'), 'Machine-C', 'machine-c', '12345678'),
);
const isFingerprint = (fingerprint: string): boolean => fingerprint.length >= 8;
const label = maybe(fc.constantFrom('', 'laptop', 'Zoë’s PC'));
const idempotencyKey = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom('order-1', 'order-2') },
);
const email = fc.constantFrom('ada@example.com', 'grace@example.org');
const metadata = fc.constantFrom({}, { order: 'A-1001' }, { nested: { list: [1, 0.5, 'ü', null, true] } });
const features = fc.constantFrom<string[][]>([], ['export'], ['sync', 'export'], ['no spaces please']);
const isFeature = (name: string): boolean => /^[a-z0-9._-]+$/.test(name);
const newDevices = fc.constantFrom(0, 1, 2);
const limit = fc.integer({ min: 1, max: 4 });
const updatesDays = fc.constantFrom(null, 1, 30, 365);
const maxMajor = fc.constantFrom(null, 0, 2, 3);
const starts = fc.constantFrom('creation' as const, 'activation' as const);
/** A release of an app: a version with its major number, and a release time relative to the current time. */
const release = fc.constantFrom<({ readonly version?: string; readonly major?: number; readonly released?: number } | undefined)[]>(
  undefined,
  undefined,
  undefined,
  { version: '2.0.1', major: 2 },
  { version: 'v3', major: 3 },
  { version: '0.9.0.1-unreadable' },
  { released: 0 },
  { released: 2 * DAY },
  { version: '3.0.0-rc.1', major: 3, released: 40 * DAY },
  { version: '2.0', major: 2, released: 400 * DAY },
);
/** Offsets from the current time, in ms. */
const instant = fc.constantFrom(-DAY, 0, 1, DAY, 400 * DAY);

/** Spellings of a key as people type it. */
const spellings = {
  asShown: (key: string) => key,
  lowerCase: (key: string) => key.toLowerCase(),
  withoutHyphens: (key: string) => key.replaceAll('-', ''),
  withSpaces: (key: string) => ` ${key.replaceAll('-', '  ')} `,
  withLettersForDigits: (key: string) => key.replaceAll('0', 'o').replace('1', 'I').replaceAll('1', 'l'),
  wrong: (key: string) => `${key.slice(0, -1)}${key.endsWith('Z') ? 'Y' : 'Z'}`,
} as const;
const spelling = fc.oneof(
  { weight: 3, arbitrary: fc.constant('asShown' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(spellings) as (keyof typeof spellings)[])) },
);

const nth = <Item>(items: Iterable<Item>, place: number | null): Item | undefined => {
  const all = [...items];
  return place === null ? undefined : all[place % Math.max(1, all.length)];
};
const productOf = (world: World, place: number | null): Product | undefined => nth(world.spec.products.values(), place);
const typeOf = (world: World, place: number | null): LicenseType | undefined => nth(world.spec.types.values(), place);
const licenseOf = (world: World, place: number | null): License | undefined => nth(world.spec.licenses.values(), place);
const idOf = (item: { readonly id: number } | undefined): { id: number } => ({ id: item?.id ?? UNKNOWN_ID });
const withKey = (key: string | undefined): Pick<CallRequest, 'headers'> =>
  key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
/** Returns an object without the fields that are undefined. */
const given = <Fields extends object>(fields: Fields): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** Returns the time with the given offset from now. Returns null or undefined if the offset is null or undefined. */
const untilOf = (world: World, from: number | null | undefined): string | null | undefined =>
  from === undefined || from === null ? from : rfc3339(world.now + from);

// ── Endpoints ───────────────────────────────────────────────────────────────────────────────────

interface ClientArgs {
  readonly license: number | null;
  readonly elsewhere: boolean;
  readonly fingerprint: string;
  readonly spelling: keyof typeof spellings;
  /** Whether the request uses the key that the license had before its latest reissue. Has no effect if there was no reissue. */
  readonly old: boolean;
  readonly name?: string | undefined;
  readonly platform?: string | undefined;
  readonly release?: { readonly version?: string; readonly major?: number; readonly released?: number } | undefined;
  /** The device that loses its seat if the license is full. */
  readonly replace?: string | undefined;
  /** Whether the request names the device by its ref. */
  readonly byRef?: boolean | undefined;
}
const clientArgs = {
  license: one,
  elsewhere: sometimes(true, fc.constant(false)),
  fingerprint,
  spelling,
  old: fc.constantFrom(true, false, false),
};
type Rule = (license: License, claim: Claim, at: Instant) => Step<object>;

/** Arguments that only some operations of client apps accept. */
const further = {
  activate: { name: label, platform: label, release, replace: seldom(fingerprint) },
  validate: { release },
  deactivate: { byRef: fc.constantFrom(true, false) },
} as const;

/** The release in the form in which it is sent. */
const sentRelease = ({ version, released }: NonNullable<ClientArgs['release']>, now: number): Record<string, string> =>
  given({ version, released_at: released === undefined ? undefined : rfc3339(now + released) });

/**
 * A client's request about a license. The request usually names the product of the license, and sometimes another product. It always has
 * the API key of the product that it names.
 */
const byClient = (name: 'activate' | 'validate' | 'deactivate', unknown: Expected, rule: Rule): fc.Arbitrary<Command> =>
  command<ClientArgs>(name, { ...clientArgs, ...further[name] }, async (world, args) => {
    const license = licenseOf(world, args.license);
    const product = args.elsewhere || !license ? nth(world.spec.products.values(), 1) : world.spec.products.get(license.productId);
    const judged: Release | undefined = args.release && {
      ...given({ major: args.release.major, appVersion: args.release.version?.replace(/^v(?=\d)/i, '') || undefined }),
      ...(args.release.released !== undefined && { releasedAt: world.now + args.release.released }),
    };
    const labels = given({ name: args.name, platform: args.platform });
    const claim = { fingerprint: args.fingerprint, ...labels, ...given({ release: judged, replace: args.replace }) };
    const refOf = (device: string): string => deviceRefOf(idOf(license), sameDevice(device));
    const key = (args.old ? license?.deadKeys.at(-1) : undefined) ?? license?.key ?? 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA';
    const sent = args.release && sentRelease(args.release, world.now);
    const typed = {
      ...(args.byRef ? { device: refOf(args.fingerprint) } : { fingerprint: args.fingerprint }),
      ...labels,
      ...(args.replace !== undefined && { replace: refOf(args.replace) }),
      key: spellings[args.spelling](key),
    };
    const known = { license: args.spelling === 'wrong' ? undefined : license?.id, key };
    const expected =
      product && !args.byRef && !isFingerprint(args.fingerprint)
        ? refuse('invalid_request')
        : world.spec.onKey(idOf(product).id, name, known, unknown, (found) => rule(found, claim, world.at), world.now);
    await world.call(
      name,
      {
        params: idOf(product),
        ...(name === 'validate' ? { query: { ...typed, ...sent } } : { body: { ...typed, ...(sent && { release: sent }) } }),
        ...(product && { apiKey: product.apiKey }),
      },
      expected,
    );
  });

/** An operator's operation on a license. */
const onLicense = (name: string, step: (license: License, at: Instant) => Step<object>): fc.Arbitrary<Command> =>
  command<{ license: number | null }>(name, { license: one }, async (world, { license }) => {
    const params = idOf(licenseOf(world, license));
    await world.call(
      name,
      { params },
      world.spec.onLicense(params.id, (found) => step(found, world.at), world.now),
    );
  });

/** A simple read of a product or a license. */
const reading = (
  name: string,
  of: 'product' | 'license' | 'type',
  expected: (world: World, id: number) => Expected,
): fc.Arbitrary<Command> =>
  command<{ which: number | null }>(name, { which: one }, async (world, { which }) => {
    const items = { product: productOf, license: licenseOf, type: typeOf };
    const params = idOf(items[of](world, which));
    await world.call(name, { params }, expected(world, params.id));
  });

const constant = (name: string, expected: Expected, request: CallRequest = {}): fc.Arbitrary<Command> =>
  command(name, {}, async (world) => void (await world.call(name, request, expected)));

/** A command for each endpoint. */
export const endpointCommands: Readonly<Record<string, fc.Arbitrary<Command>>> = {
  getService: constant('getService', (drawn) => ({
    service: 'license-key-service',
    version: drawn['version'],
    docs: '/docs',
    admin: '/admin',
    healthz: '/healthz',
  })),
  getHealth: constant('getHealth', () => ({ status: 'ok', service: 'license-key-service' })),
  getOpenapi: constant('getOpenapi', (drawn) => ({ ...drawn, openapi: '3.1.0' })),
  getMailStatus: constant('getMailStatus', () => ({ configured: false, from: null })),
  sendTestMail: constant('sendTestMail', refuse('mail_not_configured'), { body: { to: 'ada@example.com' } }),

  // The text of the mail is tested separately (test/events/key-mail.test.ts), so no text is expected here.
  getMailSettings: reading('getMailSettings', 'product', (world, id) =>
    world.spec.products.has(id) ? (drawn) => drawn : refuse('not_found'),
  ),
  setMailSettings: command<{ product: number | null }>('setMailSettings', { product: one }, async (world, { product }) => {
    const params = idOf(productOf(world, product));
    await world.call('setMailSettings', { params, body: {} }, world.spec.products.has(params.id) ? (drawn) => drawn : refuse('not_found'));
  }),
  mailLicense: command<{ license: number | null }>('mailLicense', { license: one }, async (world, { license }) => {
    const params = idOf(licenseOf(world, license));
    await world.call('mailLicense', { params }, refuse(world.spec.licenses.has(params.id) ? 'mail_not_configured' : 'not_found'));
  }),

  createProduct: command<{ name: string; slug: string; key: string | undefined }>(
    'createProduct',
    { name: fc.constantFrom('Aurora', 'Borealis', 'Comet'), slug: fc.constantFrom('aurora', 'borealis', 'comet'), key: idempotencyKey },
    async (world, { name, slug, key }) =>
      void (await world.call(
        'createProduct',
        { body: { name, slug }, ...withKey(key) },
        world.spec.createProduct({ name, slug }, key, world.now),
      )),
  ),
  listProducts: command<{ limit: number }>('listProducts', { limit }, (world, args) =>
    world.list('listProducts', {}, world.spec.listProducts(), args.limit),
  ),
  getProduct: reading('getProduct', 'product', (world, id) => world.spec.getProduct(id)),
  getJwks: reading('getJwks', 'product', (world, id) => {
    const product = world.spec.products.get(id);
    return product ? () => ({ keys: [world.responses.publicKey(product.slug).jwk] }) : refuse('not_found');
  }),
  getOverview: reading('getOverview', 'product', (world, id) => world.spec.overview(id, world.now)),
  getWebhook: reading('getWebhook', 'product', (world, id) => world.spec.webhook(id)),
  setWebhook: command<{ product: number | null; url: string }>(
    'setWebhook',
    { product: one, url: fc.constantFrom('', 'ftp://example.com', '1', '1', '2') },
    async (world, { product, url }) => {
      const params = idOf(productOf(world, product));
      const whole = url.length === 1 ? `${world.receiver.url}/${url}` : url;
      await world.call(
        'setWebhook',
        { params, body: { url: whole } },
        url.startsWith('ftp:') ? refuse('invalid_request') : world.spec.webhook(params.id, whole),
      );
    },
  ),
  testWebhook: reading('testWebhook', 'product', (world, id) => world.spec.testWebhook(id, world.now)),

  createLicenseType: command<{
    product: number | null;
    name: string;
    kind: (typeof licenseKinds)[number];
    max_seats: number | undefined;
    days: number | undefined;
    features: string[] | undefined;
    lease: number | undefined;
    newDevices: number | undefined;
    trial: boolean;
    updates: number | null | undefined;
    major: number | null | undefined;
    starts: 'creation' | 'activation' | undefined;
    key: string | undefined;
    strange: boolean;
  }>(
    'createLicenseType',
    {
      product: one,
      name: fc.constantFrom('Basic', 'Pro', 'Team', 'Site'),
      // A product has at most one type for trials.
      kind: fc.constantFrom(...licenseKinds, 'trial' as const),
      max_seats: maybe(fc.integer({ min: 0, max: 3 })),
      days: fc.constantFrom(1, 30, 365),
      features: seldom(features),
      lease: maybe(fc.constant(5)),
      newDevices: seldom(newDevices),
      trial: fc.constantFrom(true, true, false),
      updates: maybe(updatesDays),
      major: seldom(maxMajor),
      starts: maybe(starts),
      key: idempotencyKey,
      strange: sometimes(true, fc.constant(false)),
    },
    async (world, { product, name, kind, max_seats, days, features: names, lease, newDevices: newDevicesPerWeek, trial, ...args }) => {
      const { key, strange } = args;
      const params = idOf(productOf(world, product));
      // Usually only fields that the kind of the license type supports are set.
      const body = given({
        name,
        kind,
        max_seats,
        duration_days: (kind === 'subscription' || kind === 'trial') === strange ? undefined : days,
        features: names,
        lease_minutes: (kind === 'floating') === strange ? undefined : lease,
        new_devices_per_week: newDevicesPerWeek,
        self_service: (kind === 'trial') === strange ? undefined : trial,
        updates_days: args.updates,
        max_major: args.major,
        starts: (kind === 'subscription' || kind === 'trial') === strange ? undefined : args.starts,
      });
      const expected =
        names?.every(isFeature) === false ? refuse('invalid_request') : world.spec.createLicenseType(params.id, body, key, world.now);
      await world.call('createLicenseType', { params, body, ...withKey(key) }, expected);
    },
  ),
  getLicenseType: reading('getLicenseType', 'type', (world, id) => world.spec.getLicenseType(id)),
  updateLicenseType: command<{
    type: number | null;
    max_seats: number | undefined;
    days: number | undefined;
    features: string[] | undefined;
    lease: number | null | undefined;
    newDevices: number | undefined;
    trial: boolean | undefined;
    archived: boolean | undefined;
    updates: number | null | undefined;
    major: number | null | undefined;
    starts: 'creation' | 'activation' | undefined;
  }>(
    'updateLicenseType',
    {
      type: one,
      max_seats: seldom(fc.integer({ min: 0, max: 3 })),
      days: seldom(fc.constantFrom(1, 30)),
      features: seldom(features),
      lease: seldom(fc.constantFrom(null, 5, 60)),
      newDevices: seldom(newDevices),
      trial: seldom(fc.boolean()),
      archived: seldom(fc.boolean()),
      updates: seldom(updatesDays),
      major: seldom(maxMajor),
      starts: seldom(starts),
    },
    async (world, { type, max_seats, days, features: names, lease, newDevices: newDevicesPerWeek, trial, archived, ...args }) => {
      const params = idOf(typeOf(world, type));
      const body = given({
        max_seats,
        duration_days: days,
        features: names,
        lease_minutes: lease,
        new_devices_per_week: newDevicesPerWeek,
        self_service: trial,
        archived,
        updates_days: args.updates,
        max_major: args.major,
        starts: args.starts,
      });
      await world.call(
        'updateLicenseType',
        { params, body },
        names?.every(isFeature) === false ? refuse('invalid_request') : world.spec.updateLicenseType(params.id, body),
      );
    },
  ),
  listLicenseTypes: command<{ product: number | null; limit: number }>('listLicenseTypes', { product: one, limit }, async (world, args) => {
    const params = idOf(productOf(world, args.product));
    await world.list(
      'listLicenseTypes',
      { params },
      world.spec.products.has(params.id) ? world.spec.listLicenseTypes(params.id) : undefined,
      args.limit,
    );
  }),

  createLicense: command<{
    type: number | null;
    elsewhere: boolean;
    email: string | undefined;
    metadata: Record<string, unknown> | undefined;
    end: number | undefined;
    updates: number | null | undefined;
    major: number | null | undefined;
    key: string | undefined;
  }>(
    'createLicense',
    {
      type: one,
      elsewhere: sometimes(true, fc.constant(false)),
      email: maybe(email),
      metadata: maybe(metadata),
      end: seldom(instant),
      updates: seldom(fc.option(instant)),
      major: seldom(maxMajor),
      key: idempotencyKey,
    },
    async (world, { type: place, elsewhere, email, metadata, end, updates, major, key }) => {
      const type = nth(world.spec.types.values(), place);
      const params = { id: elsewhere || !type ? idOf(productOf(world, 1)).id : type.product_id };
      const body = given({
        license_type_id: idOf(type).id,
        customer_email: email,
        metadata,
        expires_at: end === undefined ? undefined : rfc3339(world.now + end),
        updates_until: untilOf(world, updates),
        max_major: major,
      });
      await world.call('createLicense', { params, body, ...withKey(key) }, world.spec.createLicense(params.id, body, key, world.now));
    },
  ),
  listLicenses: command<{
    product: number | null;
    limit: number;
    status: License['status'] | undefined;
    email: string | undefined;
    key: number | undefined;
    type: number | undefined;
    direction: 'asc' | 'desc' | undefined;
  }>(
    'listLicenses',
    {
      product: one,
      limit,
      status: maybe(fc.constantFrom(...licenseStatuses)),
      email: seldom(email),
      key: seldom(fc.nat(9)),
      type: seldom(fc.nat(9)),
      direction: maybe(fc.constantFrom('asc' as const, 'desc' as const)),
    },
    async (world, { product, limit, status, email, key: place, type, direction }) => {
      const params = idOf(productOf(world, product));
      const key = place === undefined ? undefined : licenseOf(world, place)?.key;
      const typeId = type === undefined ? undefined : nth(world.spec.types.values(), type)?.id;
      const filter = given({ status, customer_email: email, key, license_type_id: typeId });
      const query = given({ ...filter, direction, license_type_id: typeId === undefined ? undefined : String(typeId) });
      await world.list(
        'listLicenses',
        { params, query },
        world.spec.products.has(params.id) ? world.spec.listLicenses(params.id, filter, direction) : undefined,
        limit,
      );
    },
  ),
  getLicense: reading('getLicense', 'license', (world, id) => world.spec.getLicense(id)),
  revokeLicense: onLicense('revokeLicense', revoke),
  resetLicense: command<{ license: number | null; newDevices: boolean | undefined }>(
    'resetLicense',
    { license: one, newDevices: maybe(fc.boolean()) },
    async (world, { license, newDevices: isCleared }) => {
      const params = idOf(licenseOf(world, license));
      const body = given({ new_devices: isCleared });
      await world.call(
        'resetLicense',
        { params, body },
        world.spec.onLicense(params.id, (found) => reset(found, { newDevices: isCleared }), world.now),
      );
    },
  ),
  suspendLicense: command<{ license: number | null; reason: string | undefined }>(
    'suspendLicense',
    { license: one, reason: maybe(fc.constantFrom('chargeback', '')) },
    async (world, { license, reason }) => {
      const params = idOf(licenseOf(world, license));
      await world.call(
        'suspendLicense',
        { params, ...(reason !== undefined && { body: { reason } }) },
        world.spec.onLicense(params.id, (found) => suspend(found, { reason }, world.at), world.now),
      );
    },
  ),
  reinstateLicense: onLicense('reinstateLicense', reinstate),
  updateLicense: command<{
    license: number | null;
    email: string | null | undefined;
    metadata: Record<string, unknown> | undefined;
    end: number | null | undefined;
    max_seats: number | null | undefined;
    features: string[] | null | undefined;
    updates: number | null | undefined;
    major: number | null | undefined;
    type: number | null | undefined;
    key: string | undefined;
  }>(
    'updateLicense',
    {
      license: one,
      email: seldom(fc.option(email)),
      metadata: seldom(metadata),
      end: seldom(fc.option(instant)),
      max_seats: maybe(fc.option(fc.integer({ min: 0, max: 3 }))),
      features: seldom(fc.option(features)),
      updates: seldom(fc.option(instant)),
      major: seldom(maxMajor),
      type: seldom(one),
      key: idempotencyKey,
    },
    async (world, { license: place, email: address, metadata: facts, end, max_seats, features: names, updates, major, type, key }) => {
      const license = licenseOf(world, place);
      const own = [...world.spec.types.values()].filter(({ product_id }) => product_id === license?.productId);
      const body = given({
        customer_email: address,
        metadata: facts,
        expires_at: end === undefined ? undefined : end === null ? null : rfc3339(world.now + end),
        max_seats,
        features: names,
        updates_until: untilOf(world, updates),
        max_major: major,
        license_type_id: type === undefined ? undefined : type === 0 ? idOf(typeOf(world, 0)).id : idOf(nth(own, type)).id,
      });
      const params = idOf(license);
      const expected =
        names?.every(isFeature) === false ? refuse('invalid_request') : world.spec.updateLicense(params.id, body, key, world.now);
      await world.call('updateLicense', { params, body, ...withKey(key) }, expected);
    },
  ),
  deleteActivation: command<{ license: number | null; fingerprint: string }>(
    'deleteActivation',
    { license: one, fingerprint },
    async (world, { license, fingerprint }) => {
      const params = idOf(licenseOf(world, license));
      const expected = isFingerprint(fingerprint)
        ? world.spec.onLicense(params.id, (found) => deactivate(found, { fingerprint }), world.now)
        : refuse('invalid_request');
      await world.call('deleteActivation', { params: { ...params, fingerprint } }, expected);
    },
  ),
  reissueLicense: command<{ license: number | null; key: string | undefined }>(
    'reissueLicense',
    { license: one, key: idempotencyKey },
    async (world, { license, key }) => {
      const params = idOf(licenseOf(world, license));
      await world.call('reissueLicense', { params, ...withKey(key) }, world.spec.reissueLicense(params.id, key, world.now));
    },
  ),
  renewLicense: command<{
    license: number | null;
    days: number | undefined;
    end: number | undefined;
    fromEnd: boolean;
    key: string | undefined;
  }>(
    'renewLicense',
    { license: one, days: maybe(fc.constantFrom(1, 30)), end: maybe(instant), fromEnd: fc.boolean(), key: idempotencyKey },
    async (world, { license: place, days, end, fromEnd, key }) => {
      const license = licenseOf(world, place);
      const from = (fromEnd && license?.expiresAt) || world.now;
      const body = given({ days, expires_at: end === undefined ? undefined : rfc3339(from + end) });
      const expected: Expected =
        days !== undefined && end !== undefined
          ? refuse('invalid_request')
          : world.spec.onLicense(idOf(license).id, (found) => renew(found, body, world.at), world.now, { name: 'renewLicense', key, body });
      await world.call('renewLicense', { params: idOf(license), ...(Object.keys(body).length > 0 && { body }), ...withKey(key) }, expected);
    },
  ),
  renewUpdates: command<{ license: number | null; days: number | undefined; until: number | undefined; key: string | undefined }>(
    'renewUpdates',
    { license: one, days: maybe(fc.constantFrom(1, 30)), until: seldom(instant), key: idempotencyKey },
    async (world, { license: place, days, until, key }) => {
      const license = licenseOf(world, place);
      const from = license?.updatesUntil ?? world.now;
      const body = given({ days, until: until === undefined ? undefined : rfc3339(from + until) });
      const expected: Expected =
        days !== undefined && until !== undefined
          ? refuse('invalid_request')
          : world.spec.onLicense(idOf(license).id, (found) => renewUpdates(found, body, world.at), world.now, {
              name: 'renewUpdates',
              key,
              body,
            });
      await world.call('renewUpdates', { params: idOf(license), ...(Object.keys(body).length > 0 && { body }), ...withKey(key) }, expected);
    },
  ),
  mintOfflineToken: command<{
    license: number | null;
    days: number | undefined;
    fingerprint: string | undefined;
    name: string | undefined;
  }>(
    'mintOfflineToken',
    { license: one, days: maybe(fc.constantFrom(0, 1, 3650)), fingerprint: maybe(fingerprint), name: label },
    async (world, { license, days, fingerprint, name }) => {
      const params = idOf(licenseOf(world, license));
      const claim = fingerprint === undefined ? undefined : given({ fingerprint, name });
      const isInvalid = days === 0 || (fingerprint !== undefined && !isFingerprint(fingerprint));
      const expected = isInvalid
        ? refuse('invalid_request')
        : world.spec.onLicense(params.id, (found) => mint(found, { ttlDays: days, claim }, world.at), world.now);
      await world.call('mintOfflineToken', { params, body: { ...given({ ttl_days: days }), ...claim } }, expected);
    },
  ),
  listLicenseEvents: command<{ license: number | null; limit: number }>(
    'listLicenseEvents',
    { license: one, limit },
    async (world, args) => {
      const params = idOf(licenseOf(world, args.license));
      await world.list(
        'listLicenseEvents',
        { params },
        world.spec.licenses.has(params.id) ? world.spec.listLicenseEvents(params.id) : undefined,
        args.limit,
      );
    },
  ),

  activate: byClient('activate', refuse('not_found'), activate),
  deactivate: byClient('deactivate', refuse('not_found'), deactivate),
  validate: byClient('validate', () => ({ valid: false, status: 'invalid' }), validate),

  startTrial: command<{ product: number | null; fingerprint: string; name: string | undefined; email: string | undefined }>(
    'startTrial',
    // The same device often repeats its request.
    {
      product: one,
      fingerprint: fc.oneof({ weight: 3, arbitrary: fc.constant(HEX) }, { weight: 1, arbitrary: fingerprint }),
      name: label,
      email: seldom(email),
    },
    async (world, { product: place, fingerprint, name, email: address }) => {
      const product = productOf(world, place);
      const params = idOf(product);
      const claim = given({ fingerprint, name });
      const had = world.spec.trialLicense(params.id, fingerprint);
      const expected =
        product && !isFingerprint(fingerprint)
          ? refuse('invalid_request')
          : had
            ? world.spec.onLicense(had.id, (found) => activate(found, claim, world.at), world.now)
            : world.spec.startTrial(params.id, claim, address ?? null, world.at);
      const body = { ...claim, ...given({ customer_email: address }) };
      await world.call('startTrial', { params, body, ...(product && { apiKey: product.apiKey }) }, expected, had ? 200 : 201);
    },
  ),

  listDeliveries: command<{ product: number | null; limit: number; status: (typeof deliveryStatuses)[number] | undefined }>(
    'listDeliveries',
    { product: one, limit, status: maybe(fc.constantFrom(...deliveryStatuses)) },
    async (world, { product, limit, status }) => {
      const params = idOf(productOf(world, product));
      await world.list(
        'listDeliveries',
        { params, query: given({ status }) },
        world.spec.products.has(params.id) ? world.spec.listDeliveries(params.id, status) : undefined,
        limit,
      );
    },
  ),
  getDelivery: command<{ event: number | null }>('getDelivery', { event: one }, async (world, { event }) => {
    const id = nth(world.spec.events.keys(), event) ?? UNKNOWN_EVENT;
    await world.call('getDelivery', { params: { event_id: id } }, world.spec.getDelivery(id));
  }),
  redeliver: command<{ event: number | null }>('redeliver', { event: one }, async (world, { event }) => {
    const id = nth(world.spec.events.keys(), event) ?? UNKNOWN_EVENT;
    await world.call('redeliver', { params: { event_id: id } }, world.spec.redeliver(id, world.now));
  }),
  redeliverMany: command<{ product: number | null; status: 'failed' | 'skipped' }>(
    'redeliverMany',
    { product: one, status: fc.constantFrom('failed', 'skipped') },
    async (world, { product, status }) => {
      const params = idOf(productOf(world, product));
      await world.call('redeliverMany', { params, body: { status } }, world.spec.redeliverMany(params.id, status, world.now));
    },
  ),
};

// ── Other events ────────────────────────────────────────────────────────────────────────────────

// The routes of the portal are left out, because no product of the model has opened its portal, so these routes respond with 404.
const guarded = endpoints.filter(({ credential }) => credential !== 'none' && credential !== 'portal');

/** Calls any endpoint without a valid credential. */
const unauthorized = command<{ row: (typeof guarded)[number]; which: number; wrong: boolean }>(
  'unauthorized',
  { row: fc.constantFrom(...guarded), which: fc.nat(9), wrong: fc.boolean() },
  async (world, { row, which, wrong }) => {
    const { id } = idOf(row.path.includes('/licenses/{id}') ? licenseOf(world, which) : productOf(world, which));
    const params: CallRequest['params'] = row.path.includes('{event_id}') ? { event_id: UNKNOWN_EVENT } : { id };
    const other = [...world.spec.products.values()].find((product) => product.id !== id)?.apiKey ?? 'pk_wrong';
    const headers = {
      [credentialHeaders.admin]: row.credential === 'admin' && wrong ? other : undefined,
      [credentialHeaders.product]: row.credential === 'product' && wrong ? other : undefined,
    };
    const refusal: Refusal = refuse('unauthorized');
    await world.call(
      row.name,
      { params, headers: { 'X-Svc-Admin-Token': undefined as never, ...(given(headers) as Record<string, string>) } },
      refusal,
    );
  },
);

const wait = command<{ ms: number }>(
  'wait',
  { ms: fc.constantFrom(1, 999, 5000, 61_000, DAY - 1, DAY, 30 * DAY, 365 * DAY, 3653 * DAY) },
  async (world, { ms }) => {
    world.service.advance(ms);
    world.note(`wait ${ms} ms`);
  },
);

/** Advances the clock to a moment right before an expiry, exactly at it, or right after it. */
const waitForExpiry = command<{ license: number; offset: number }>(
  'waitForExpiry',
  { license: fc.nat(9), offset: fc.constantFrom(-1, 0, 0, 1) },
  async (world, { license, offset }) => {
    const { expiresAt = null } = licenseOf(world, license) ?? {};
    world.service.advance(Math.max(0, (expiresAt ?? 0) + offset - world.now));
    world.note(`wait for the expiry ${offset}`);
  },
);

/**
 * Advances the clock to the end of a lease, or to the time at which a third of the lease has passed: right before it, exactly at it, or
 * right after it.
 */
const waitForLease = command<{ license: number; third: boolean; offset: number }>(
  'waitForLease',
  { license: fc.nat(9), third: fc.boolean(), offset: fc.constantFrom(-1, 0, 0, 1) },
  async (world, { license: place, third, offset }) => {
    const license = licenseOf(world, place);
    const ends = license?.devices.flatMap((device) => leaseEndOf(license, device) ?? []) ?? [];
    const left = third ? ((license?.type.lease_minutes ?? 0) * MINUTE * 2) / 3 : 0;
    world.service.advance(Math.max(0, Math.min(...ends, Infinity) === Infinity ? 0 : Math.min(...ends) - left + offset - world.now));
    world.note(`wait for a lease ${offset}`);
  },
);

const receiverResponse = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ status: 200, ms: 0 }) },
  {
    weight: 4,
    arbitrary: fc.record({ status: fc.constantFrom(204, 302, 399, 400, 410, 500, 503, null), ms: fc.constantFrom(0, 3, 9999) }),
  },
);

/** The next messages of the queue are delivered, and the receiver responds as given. */
const deliver = command<{ responses: { status: number | null; ms: number }[] }>(
  'deliver',
  { responses: fc.array(receiverResponse, { minLength: 1, maxLength: 4 }) },
  async (world, { responses }) => {
    for (const response of responses) {
      const message = world.nextMessage();
      if (!message) return;
      world.service.advance(Math.max(0, message.at - world.now));
      await world.deliver(message, response);
    }
  },
);

/** A message is delivered too early, too late, twice at the same time, or again later. */
const deliverBadly = command<{ which: number; response: { status: number | null; ms: number }; times: number; keep: boolean }>(
  'deliverBadly',
  { which: fc.nat(20), response: receiverResponse, times: fc.integer({ min: 1, max: 2 }), keep: fc.boolean() },
  async (world, { which, response, times, keep }) => {
    const message = nth(world.service.queue, which);
    if (message) await world.deliver(message, response, { times, keep });
  },
);

const loseMessage = command<{ which: number }>('loseMessage', { which: fc.nat(20) }, async (world, { which }) => {
  const message = nth(world.service.queue, which);
  if (!message) return;
  world.service.queue.splice(world.service.queue.indexOf(message), 1);
  world.note(`the message of ${eventIdOf(message)} is lost`);
});

const sweep = command('sweep', {}, (world) => world.sweep());

/** The relative frequency of calls of an endpoint, if it differs from the usual frequency. */
const weights: Readonly<Record<string, number>> = {
  activate: 12,
  validate: 6,
  deactivate: 4,
  createLicense: 4,
  resetLicense: 2,
  renewLicense: 3,
  renewUpdates: 3,
  updateLicense: 4,
  suspendLicense: 2,
  reinstateLicense: 2,
  reissueLicense: 2,
  startTrial: 5,
  revokeLicense: 1,
  redeliver: 2,
  setWebhook: 2,
  listLicenses: 2,
  getOpenapi: 0,
};

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  ...Object.entries(endpointCommands).map(([name, arbitrary]) => ({ weight: weights[name] ?? 1, arbitrary })),
  { weight: 1, arbitrary: unauthorized },
  { weight: 3, arbitrary: wait },
  { weight: 4, arbitrary: waitForExpiry },
  { weight: 4, arbitrary: waitForLease },
  { weight: 6, arbitrary: deliver },
  { weight: 3, arbitrary: deliverBadly },
  { weight: 1, arbitrary: loseMessage },
  { weight: 2, arbitrary: sweep },
);

/** The first commands of a history, which create rows for the later ones. */
const some = (name: string, minLength: number, maxLength: number): fc.Arbitrary<Command[]> =>
  fc.array(endpointCommands[name]!, { minLength, maxLength });
export const beginning: fc.Arbitrary<Command[]> = fc
  .tuple(some('createProduct', 1, 3), some('setWebhook', 0, 2), some('createLicenseType', 1, 5), some('createLicense', 1, 4))
  .map((parts) => parts.flat());
