import type { AdminClient } from '@license-key-service/admin';
import { once } from 'node:events';
import { UNREADABLE_HEADER } from '../../lambdas/contract/edge';
import { lines, printError } from '../terminal';
import type { ExportOptions } from './options';
import { plural, Progress } from './progress';

/**
 * Writes the licenses of a product to standard output, page by page.
 *
 * @returns the exit status: 1 if licenses are missing because the service could not read them
 */
export async function exportLicenses(
  client: AdminClient,
  { product, mediaType, query }: ExportOptions,
  output: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stdout,
): Promise<number> {
  const progress = new Progress('exported', undefined);
  let [isFirst, done, unreadable] = [true, 0, 0];
  const pages = client.pages('/v1/products/{id}/licenses', {
    params: { path: { id: product }, query },
    headers: { Accept: mediaType },
    parseAs: 'text',
  });
  for await (const {
    data: text,
    response: { headers },
  } of pages) {
    // Every page of CSV begins with the column names; the file must contain them only once.
    const rows = isFirst || mediaType !== 'text/csv' ? text : text.slice(text.indexOf('\n') + 1);
    // A file must contain the unchanged data, but a terminal must not interpret control characters.
    if (!output.write(output.isTTY ? lines(rows) : rows)) await once(output, 'drain');
    isFirst = false;
    done += rowsIn(text, mediaType);
    unreadable += Number(headers.get(UNREADABLE_HEADER) ?? 0);
    progress.update(done);
  }
  progress.end();
  if (unreadable > 0)
    printError(`${plural(unreadable, 'license')} could not be read by the service and ${unreadable === 1 ? 'is' : 'are'} missing.`);
  return unreadable > 0 ? 1 : 0;
}

/** The number of rows. In CSV the header and line breaks within cells don't count. */
function rowsIn(text: string, mediaType: ExportOptions['mediaType']): number {
  const count = text.replace(/"[^"]*"/g, '').split('\n').length - 1;
  return mediaType === 'text/csv' ? count - 1 : count;
}
