import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { download } from '../download';
import type { CsvPage } from '../queries/csv';
import { number, plural, t } from '../texts';
import { DownloadIcon } from '../ui/icons';
import { announce, toastFailure } from '../ui/toast';

/** Saves all rows of a list as CSV. A second click stops the export. */
export function ExportButton({
  label = t('Export'),
  file,
  read,
  size = 'sm',
}: {
  label?: string;
  file: string;
  read: (signal: AbortSignal) => AsyncGenerator<CsvPage>;
  size?: 'xs' | 'sm';
}) {
  const [pages, setPages] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = async (): Promise<void> => {
    const abort = new AbortController();
    running.current = abort;
    const parts: string[] = [];
    let left = 0;
    setPages(0);
    try {
      for await (const { text, unreadable } of read(abort.signal)) {
        parts.push(text);
        left += unreadable;
        setPages(parts.length);
      }
      download(file, parts);
      if (left > 0)
        toastFailure(
          plural(
            left,
            '{count} row could not be read by the service and is missing from the file.',
            '{count} rows could not be read by the service and are missing from the file.',
          ),
        );
      else announce(t('Exported {file}.', { file }));
    } catch (error) {
      if (!abort.signal.aborted) toastFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setPages(undefined);
    }
  };
  return (
    <Button
      variant="default"
      size={size}
      leftSection={<DownloadIcon size={size === 'xs' ? 15 : 16} />}
      onClick={() => (pages === undefined ? void run() : running.current?.abort())}
    >
      {pages === undefined ? label : t('Stop (page {page})', { page: number(pages + 1) })}
    </Button>
  );
}
