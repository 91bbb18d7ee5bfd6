import { createHash, randomBytes } from 'node:crypto';
import type { Endpoint } from '../../lambdas/contract/endpoint';

/** Helpers for tests of releases: bytes, their declaration by a vendor, and their upload. */

const hex = (algorithm: string, bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest('hex');

/** The default file name of an uploaded file. */
export const FILE = 'app-x64.zip';

/** The body of a request that declares a file of a release. */
export const declare = (bytes: Uint8Array, fields: object = {}) => ({
  filename: FILE,
  platform: 'windows',
  arch: 'x64',
  size: bytes.length,
  sha256: hex('sha256', bytes),
  sha512: hex('sha512', bytes),
  ...fields,
});

export interface Upload {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly expires_at: string;
}

/** Uploads bytes to the URL that the service returned. */
export const upload = (to: Upload, bytes: Uint8Array): Promise<Response> =>
  fetch(to.url, { method: to.method, headers: to.headers, body: Uint8Array.from(bytes) });

/** A version number that no other test uses. */
export const someVersion = (): string => `1.${randomBytes(4).readUInt32BE()}.${randomBytes(4).readUInt32BE()}`;

/** The version of the release that {@link publishOffer} publishes. */
const OFFERED = '0.1.0';

/** The path parameters of a route for updaters, without the product's id. They name the release that {@link publishOffer} publishes. */
export const updaterParams = ({ path }: Pick<Endpoint, 'path'>, slug: string): Readonly<Record<string, string>> => ({
  slug,
  version: OFFERED,
  channel: 'stable',
  file: path.includes('/electron/') ? 'latest.yml' : 'stable.xml',
  target: 'windows',
  arch: 'x86_64',
  current_version: '0.0.1',
});

/** The request headers that an updater sends. */
export const licenseHeadersOf = (apiKey: string, key: string) => ({ 'X-API-Key': apiKey, 'X-License-Key': key });

/** Whether a route's path contains the id of a single release. */
export const isAboutRelease = ({ path }: Pick<Endpoint, 'path'>): boolean => path.startsWith('/v1/releases/');

/** Calls an endpoint by its name, with the id in its path; throws if the call fails. */
type CallByName = (name: 'createRelease' | 'createArtifact' | 'publishRelease', id: number, body?: object) => Promise<unknown>;

/**
 * Creates a release for a request to a route. The release is published if the route yanks releases. Otherwise it is a draft with an
 * uploaded file.
 *
 * @returns the release's id
 */
export async function releaseFor(row: Pick<Endpoint, 'path'> | undefined, productId: number, call: CallByName): Promise<number> {
  const { id } = (await call('createRelease', productId, { version: someVersion() })) as { id: number };
  const bytes = Buffer.from('the bytes of an app');
  const artifact = (await call('createArtifact', id, declare(bytes))) as { upload: Upload };
  await upload(artifact.upload, bytes);
  if (row?.path.includes('yank')) await call('publishRelease', id);
  return id;
}

/** Publishes a release that all routes for updaters return. */
export const publishOffer = (productId: number, call: CallByName): Promise<void> => publishVersion(productId, OFFERED, call);

/** Publishes a version with one file. The file has the same name in all versions, but different bytes. */
export async function publishVersion(productId: number, version: string, call: CallByName): Promise<void> {
  const { id } = (await call('createRelease', productId, { version })) as { id: number };
  const bytes = Buffer.from(`the bytes of version ${version}`);
  const artifact = (await call('createArtifact', id, declare(bytes, { signature: 'c2lnbmF0dXJl' }))) as { upload: Upload };
  await upload(artifact.upload, bytes);
  await call('publishRelease', id);
}
