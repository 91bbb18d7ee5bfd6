import { DOWNLOAD_SECONDS } from '../../contract/downloads';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { fileKey } from '../../domain/releases/file-key';
import { isOffered } from '../../domain/releases/catalogue';
import { mayHave } from '../../domain/releases/offer';
import type { App } from '../../runtime/app';
import { header, type RequestEvent } from '../../runtime/http/request';
import { Redirect } from '../../runtime/http/response';
import { log } from '../../runtime/observability/log';
import { countDownload } from '../../store/stats/count';
import { identifyCaller } from './caller';
import { filesOf } from '../../runtime/files';

/** The version and the name of a file in a request's path. */
interface NamedFile {
  readonly version: string;
  readonly filename: string;
}

/** Redirects to a file that the caller may download. For every other file the response is 404, so that nobody learns which files exist. */
export async function download(
  app: App,
  event: RequestEvent,
  input: Failure | { readonly params: NamedFile },
): Promise<Failure | Redirect> {
  const versions = isFailure(input) ? [] : [input.params.version];
  const caller = await identifyCaller(app, event, { versions });
  if (isFailure(caller)) return caller;
  if (isFailure(input)) return input;
  const { product, rights } = caller;
  if (isFailure(rights)) return rights;

  const { version, filename } = input.params;
  const release = caller.releases.get(version);
  const artifact = release?.artifacts.find((file) => file.filename === filename);
  if (!artifact || release?.status !== 'published' || !mayHave(rights, release)) return fail('not_found', 'There is no such file');
  const [url] = await Promise.all([
    filesOf(app).signDownload({ key: fileKey(release.id, artifact) }, DOWNLOAD_SECONDS, app.clock()),
    startsDownload(event) && isOffered(artifact) && count(app, product.id, release.version),
  ]);
  return new Redirect(url);
}

/**
 * True unless the request continues a download or fetches a later part of a file. An updater may fetch a file in hundreds of parts, which
 * count as one download.
 */
const startsDownload = (event: RequestEvent): boolean => /^(?!bytes=(?!0-))/.test(header(event, 'range') ?? '');

/** Counts a download. The function never fails, because a download must work even if it cannot be counted. */
async function count(app: App, productId: number, version: string): Promise<void> {
  try {
    await countDownload(app.table, productId, version, app.clock());
  } catch (error) {
    log.warn('DOWNLOAD_NOT_COUNTED', { product_id: productId }, error);
  }
}
