import {
  LicenseClient,
  memoryStorage,
  type Fetch,
  type LicenseClientOptions,
  type LicenseState,
  type LicenseStorage,
} from '../../client/src';
import type { ProductView } from '../../lambdas/contract/resources';
import { baseUrl, newFingerprint } from '../support/http';
import { openShop, type Shop } from '../support/shop';

/** Apps with the client library, on devices of their own. */

export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** A device with the app on it. */
export interface Device {
  readonly client: LicenseClient;
  readonly fingerprint: string;
  readonly storage: LicenseStorage;
  /** Operations that were asked of the service: `activate`, `validate`, `deactivate`. */
  readonly requests: string[];
  /** Every state that a listener was told. */
  readonly states: LicenseState[];
  /** What the client warned of. */
  readonly warnings: string[];
  /** The app starts again: a new client on what is stored. */
  restart(options?: Partial<LicenseClientOptions>): Device;
}

/** Under which name {@link installApp} stores the cache. */
export const itemName = (productId: number): string => `license-key-service.${productId}`;

const operationOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

/** Installs an app of a product on a device that nobody has seen before. Retries wait no time. */
export function installApp(
  product: Pick<ProductView, 'id' | 'api_key' | 'public_key'>,
  options: Partial<LicenseClientOptions> = {},
): Device {
  const { fetch = globalThis.fetch, storage = memoryStorage(), fingerprint = newFingerprint() } = options;
  const requests: string[] = [];
  const states: LicenseState[] = [];
  const warnings: string[] = [];
  const client = new LicenseClient({
    baseUrl: baseUrl(),
    productId: product.id,
    apiKey: product.api_key,
    publicKey: product.public_key,
    // The same at every address: tests put other servers in the service's place.
    storageName: itemName(product.id),
    retryDelayMs: 0,
    onWarning: (message, cause) => warnings.push(`${message}: ${String(cause)}`),
    ...options,
    storage,
    fingerprint,
    fetch: (url, init) => {
      requests.push(operationOf(url));
      return fetch(url, init);
    },
  });
  client.subscribe((state) => states.push(state));
  return {
    client,
    fingerprint: String(fingerprint),
    storage,
    requests,
    states,
    warnings,
    restart: (changes = {}) => installApp(product, { ...options, storage, fingerprint, ...changes }),
  };
}

/** A fetch with nobody at the other end. */
export const noNetwork: Fetch = () => Promise.reject(new TypeError('fetch failed'));

/** A product on handlers in this process, with time and network in the test's hands. */
export interface World extends Shop {
  readonly product: Pick<ProductView, 'id' | 'api_key' | 'public_key' | 'slug'>;
  /** The service, past anything between. */
  readonly fetchOfService: Fetch;
  /** Whether the service can be reached; another fetch stands in the way. */
  network: boolean | Fetch;
  /** Installs the app; its clock is the service's. */
  install(options?: Partial<LicenseClientOptions>): Device;
  /** Installs the app and activates a new license. */
  licensed(options?: Partial<LicenseClientOptions>, license?: object): Promise<Device & { readonly license: { id: number; key: string } }>;
}

export async function openWorld(type: object = {}): Promise<World> {
  const shop = await openShop({ kind: 'subscription', duration_days: 365, max_seats: 2, ...type });
  const product = (await shop.call('getProduct', { params: { id: shop.productId } })).body as unknown as ProductView;
  const world: World = {
    ...shop,
    product: { ...product, api_key: shop.apiKey },
    network: true,
    fetchOfService: fetchFrom(shop),
    install: (options = {}) =>
      installApp(world.product, {
        now: () => shop.now(),
        fetch: (url, init) => {
          const fetch = typeof world.network === 'function' ? world.network : world.network ? world.fetchOfService : noNetwork;
          return fetch(url, init);
        },
        ...options,
      }),
    licensed: async (options, fields) => {
      const license = await shop.newLicense(fields);
      const device = world.install(options);
      const state = await device.client.activate(license.key);
      if (state.status !== 'licensed') throw new Error(`The activation ended as ${JSON.stringify(state)}`);
      device.requests.length = 0;
      device.states.length = 0;
      return { ...device, license };
    },
  };
  return world;
}

/** Routes whose endpoint has another name than their last part. */
const endpoints: Readonly<Record<string, string>> = { trial: 'startTrial', devices: 'listDevices' };

/** A fetch that calls the handlers. */
export const fetchFrom =
  ({ call }: Pick<Shop, 'call'>): Fetch =>
  async (url, init) => {
    const [, id = '', operation = ''] = /^\/v1\/products\/(\d+)\/(\w+)$/.exec(new URL(url).pathname) ?? [];
    const { status, headers, body } = await call(endpoints[operation] ?? operation, {
      params: { id },
      query: Object.fromEntries(new URL(url).searchParams),
      apiKey: init.headers['X-API-Key'] ?? '',
      ...(init.body !== undefined && { body: init.body }),
    });
    return { status, headers: new Headers(headers), text: () => Promise.resolve(JSON.stringify(body)) };
  };
