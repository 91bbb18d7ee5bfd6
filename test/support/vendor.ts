import { declare, upload, type Upload } from './releases';
import type { CallRequest, CallResult } from './harness';

/** A vendor who publishes releases through the API. */

interface Caller {
  readonly productId: number;
  call(name: string, request?: CallRequest): Promise<CallResult>;
}

/** A file of a release, with its declaration and its bytes. */
export interface VendorFile {
  readonly filename: string;
  readonly platform: string;
  readonly arch?: string;
  readonly bytes: Uint8Array;
  readonly signature?: string;
  readonly block_map_size?: number;
}

const someFile: VendorFile = { filename: 'app-x64.exe', platform: 'windows', bytes: Buffer.from('the bytes of an app') };

async function ok({ status, body }: CallResult): Promise<CallResult['body']> {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return Promise.resolve(body);
}

/** Publishes a release with files; returns its id. */
export async function publishRelease(
  { productId, call }: Caller,
  version: string,
  fields: object = {},
  files: readonly VendorFile[] = [someFile],
): Promise<number> {
  const created = await ok(await call('createRelease', { params: { id: productId }, body: { version, ...fields } }));
  const id = Number(created['id']);
  for (const { bytes, arch = 'x64', ...declared } of files) {
    const artifact = await ok(await call('createArtifact', { params: { id }, body: declare(bytes, { arch, ...declared }) }));
    const { status } = await upload((artifact as unknown as { upload: Upload }).upload, bytes);
    if (status !== 200) throw new Error(`The upload of ${declared.filename} ended with ${status}`);
  }
  await ok(await call('publishRelease', { params: { id } }));
  return id;
}
