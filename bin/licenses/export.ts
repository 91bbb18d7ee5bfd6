import { once } from 'node:events';
import { UNREADABLE_HEADER } from '../../lambdas/contract/edge';
import { listLicenses } from '../../lambdas/contract/licenses';
import type { ExportOptions } from './options';
import { plural, Progress } from './progress';
import type { Service } from './service';

/**
 * Writes the licenses of a product to standard output, page by page.
 *
 * @returns the exit status: 1 when licenses are missing that the service could not read
 */
export async function exportLicenses(
  service: Service,
  { product, mediaType, query }: ExportOptions,
  output: NodeJS.WritableStream = process.stdout,
): Promise<number> {
  const progress = new Progress('exported', undefined);
  let [isFirst, done, unreadable] = [true, 0, 0];
  for await (const { text, headers } of service.pages(listLicenses, { params: { id: product }, query, headers: { Accept: mediaType } })) {
    // Every page of CSV names the columns; a file does so once.
    const rows = isFirst || mediaType !== 'text/csv' ? text : text.slice(text.indexOf('\n') + 1);
    if (!output.write(rows)) await once(output, 'drain');
    isFirst = false;
    done += rowsIn(text, mediaType);
    unreadable += Number(headers.get(UNREADABLE_HEADER) ?? 0);
    progress.update(done);
  }
  progress.end();
  if (unreadable > 0)
    console.error(`${plural(unreadable, 'license')} could not be read by the service and ${unreadable === 1 ? 'is' : 'are'} missing.`);
  return unreadable > 0 ? 1 : 0;
}

/** Lines behind the header of CSV; line breaks in cells are not counted. */
function rowsIn(text: string, mediaType: ExportOptions['mediaType']): number {
  const lines = text.replace(/"[^"]*"/g, '').split('\n').length - 1;
  return mediaType === 'text/csv' ? lines - 1 : lines;
}
