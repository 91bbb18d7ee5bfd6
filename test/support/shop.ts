import { randomBytes } from 'node:crypto';
import type { AppParts } from '../../lambdas/runtime/app';
import type { DeviceView, SeatsView } from '../../lambdas/contract/resources';
import { startHarness, type CallResult, type Harness } from './harness';

/** A product with a license type in its own harness, and the requests of its operator and its clients. */

export type Fields = Record<string, unknown>;

export interface StoredLicense {
  readonly status: string;
  readonly expires_at: string | null;
  readonly seats: SeatsView;
  readonly activations: readonly DeviceView[];
}

export interface Shop extends Harness {
  readonly productId: number;
  readonly typeId: number;
  readonly apiKey: string;
  newLicense(fields?: object): Promise<{ id: number; key: string }>;
  activate(key: string, fingerprint: string, labels?: object): Promise<CallResult>;
  deactivate(key: string, fingerprint: string): Promise<CallResult>;
  validate(key: string, fingerprint: string): Promise<CallResult>;
  /** The stored license, read without the faults that a test has injected into this harness. */
  license(id: number): Promise<StoredLicense>;
}

const unique = (): string => randomBytes(8).toString('hex');
const running: Harness[] = [];

/** Closes everything that {@link openShop} opened; call it in `afterEach`. */
export function closeShops(): void {
  for (const harness of running.splice(0)) harness.close();
}

export async function openShop(type: object = { kind: 'lifetime' }, parts: Partial<AppParts> = {}): Promise<Shop> {
  const harness = startHarness(parts);
  const quiet = startHarness();
  running.push(harness, quiet);
  const product = (await harness.call('createProduct', { body: { name: unique(), slug: unique() } })).body as Fields;
  const apiKey = String(product['api_key']);
  const params = { id: Number(product['id']) };
  const typeId = Number((await harness.call('createLicenseType', { params, body: { name: unique(), ...type } })).body['id']);
  return {
    ...harness,
    productId: params.id,
    typeId,
    apiKey,
    ...customers(harness, params.id, apiKey, typeId),
    license: async (id) => (await quiet.call('getLicense', { params: { id } })).body as never,
  };
}

/** Another function instance that serves the same product, with its own client, cache and clock. */
export function anotherInstance({ productId, apiKey, typeId, license }: Shop, parts: Partial<AppParts> = {}): Shop {
  const harness = startHarness(parts);
  running.push(harness);
  return { ...harness, productId, typeId, apiKey, ...customers(harness, productId, apiKey, typeId), license };
}

function customers(
  { call }: Harness,
  productId: number,
  apiKey: string,
  typeId: number,
): Pick<Shop, 'newLicense' | 'activate' | 'deactivate' | 'validate'> {
  const params = { id: productId };
  return {
    newLicense: async (fields = {}) => {
      const { body } = await call('createLicense', { params, body: { license_type_id: typeId, ...fields } });
      return { id: Number(body['id']), key: String(body['key']) };
    },
    activate: (key, fingerprint, labels = {}) => call('activate', { params, apiKey, body: { key, fingerprint, ...labels } }),
    deactivate: (key, fingerprint) => call('deactivate', { params, apiKey, body: { key, fingerprint } }),
    validate: (key, fingerprint) => call('validate', { params, apiKey, query: { key, fingerprint } }),
  };
}
