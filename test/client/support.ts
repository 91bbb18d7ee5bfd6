import {
  LicenseClient,
  memoryStorage,
  type Fetch,
  type LicenseClientOptions,
  type LicenseState,
  type LicenseStorage,
} from '../../client/src';
import type { ProductView } from '../../lambdas/contract/resources';
import { baseUrl, newFingerprint, serviceNow } from '../support/http';
import { openShop, type Shop } from '../support/shop';

/** Helpers that install apps with the client library on simulated devices. */

export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** A simulated device on which the app is installed. */
export interface Device {
  readonly client: LicenseClient;
  readonly fingerprint: string;
  readonly storage: LicenseStorage;
  /** The operations that the client requested from the service: `activate`, `validate`, `deactivate`. */
  readonly requests: string[];
  /** All states that a listener received. */
  readonly states: LicenseState[];
  /** All warnings of the client. */
  readonly warnings: string[];
  /** Restarts the app: creates a new client with the same storage. */
  restart(options?: Partial<LicenseClientOptions>): Device;
}

/** The name under which {@link installApp} stores the cache. */
export const itemName = (productId: number): string => `license-key-service.${productId}`;

const operationOf = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';

/** Installs a product's app on a new device, whose clock shows the service's time. Retries do not wait. */
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
    // The name of the cache is the same for every URL of the service, because some tests replace the service with another server.
    storageName: itemName(product.id),
    retryDelayMs: 0,
    now: serviceNow,
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

/** A fetch function that fails as if there were no network. */
export const noNetwork: Fetch = () => Promise.reject(new TypeError('fetch failed'));

/** A product of a service whose handlers run in this process. The test controls the time and the network. */
export interface World extends Shop {
  readonly product: Pick<ProductView, 'id' | 'api_key' | 'public_key' | 'slug'>;
  /** A fetch function that reaches the service even if the test has switched the network off. */
  readonly fetchOfService: Fetch;
  /**
   * Whether the app can reach the service. If the value is a fetch function, this function handles the app's requests instead of the
   * service.
   */
  network: boolean | Fetch;
  /** Installs the app on a new device. The device's clock is the clock of the service. */
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
      if (state.status !== 'licensed') throw new Error(`The activation resulted in the state ${JSON.stringify(state)}`);
      device.requests.length = 0;
      device.states.length = 0;
      return { ...device, license };
    },
  };
  return world;
}

/** Maps the last segment of a path to the name of its endpoint. Contains only the endpoints for which the two differ. */
const endpoints: Readonly<Record<string, string>> = { trial: 'startTrial', devices: 'listDevices' };

/** A fetch function that calls the handlers directly. */
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
