/** The operator's part of the example: it creates a product and licenses. It needs the admin token, which no app ever contains. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The product's data that ships inside the app. */
export interface Product {
  readonly baseUrl: string;
  readonly id: number;
  readonly slug: string;
  readonly apiKey: string;
  readonly publicKey: string;
}

const fileIn = (folder: string): string => join(folder, 'product.json');

/** Reads the product that `setup` created. */
export async function readProduct(folder: string): Promise<Product> {
  const text = await readFile(fileIn(folder), 'utf8').catch(() => {
    throw new Error('There is no product yet: run `npm run example -- setup` first.');
  });
  return JSON.parse(text) as Product;
}

/** Returns a function that sends POST requests with the operator's admin token. */
export function operator(): { readonly baseUrl: string; post(path: string, body?: object): Promise<Record<string, unknown>> } {
  const { BASE: baseUrl = 'http://127.0.0.1:8787', SVC_ADMIN_TOKEN: token } = process.env;
  if (!token) throw new Error('Set SVC_ADMIN_TOKEN to the admin token that `npm start` prints.');
  return {
    baseUrl,
    async post(path, body = {}) {
      const response = await fetch(`${baseUrl}${path}`, {
        method: 'POST',
        headers: { 'X-Svc-Admin-Token': token, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`POST ${path} responded with ${response.status}: ${await response.text()}`);
      return (await response.json()) as Record<string, unknown>;
    },
  };
}

/** Creates a product, and returns the data that the example app needs. */
export async function createProduct({ baseUrl, post }: ReturnType<typeof operator>): Promise<Product> {
  const slug = `example-${randomBytes(4).toString('hex')}`;
  const product = await post('/v1/products', { name: `Example app ${slug}`, slug });
  return { baseUrl, id: Number(product['id']), slug, apiKey: String(product['api_key']), publicKey: String(product['public_key']) };
}

/** Creates a license with one seat, which is valid for a year, and returns its id and key. */
export async function createLicense(
  { post }: ReturnType<typeof operator>,
  product: Product,
  fields: object = {},
): Promise<{ readonly id: number; readonly key: string }> {
  const type = await post(`/v1/products/${product.id}/license-types`, {
    name: `Single ${randomBytes(4).toString('hex')}`,
    kind: 'subscription',
    duration_days: 365,
    max_seats: 1,
  });
  const license = await post(`/v1/products/${product.id}/licenses`, { license_type_id: type['id'], ...fields });
  return { id: Number(license['id']), key: String(license['key']) };
}

/** `setup`: creates a product with a license, and writes the data that the app needs into the folder. */
export async function setup(folder: string): Promise<void> {
  const admin = operator();
  const product = await createProduct(admin);
  const license = await createLicense(admin, product);
  const { token } = await admin.post(`/v1/licenses/${license.id}/offline`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(fileIn(folder), JSON.stringify(product, null, 2), { mode: 0o600 });
  console.log(`LICENSE_ID=${license.id}\nKEY=${license.key}\nOFFLINE_TOKEN=${String(token)}`);
}
