import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { download } from '../download';
import { number, plural } from '../format';
import { exportLicenses, type LicenseFilter } from '../queries';
import { DownloadIcon } from '../ui/icons';
import { announce, toastFailure } from '../ui/toast';

/** Saves all licenses that match the filter as CSV. A second click stops it. */
export function ExportButton({ productId, filter }: { productId: number; filter: LicenseFilter }) {
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
      for await (const { text, unreadable } of exportLicenses(productId, filter, abort.signal)) {
        parts.push(text);
        left += unreadable;
        setPages(parts.length);
      }
      download(`licenses-${productId}.csv`, parts);
      if (left > 0)
        toastFailure(`${plural(left, 'license')} could not be read by the service and ${left === 1 ? 'is' : 'are'} missing from the file.`);
      else announce('Exported the licenses.');
    } catch (error) {
      if (!abort.signal.aborted) toastFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setPages(undefined);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<DownloadIcon size={16} />}
      onClick={() => (pages === undefined ? void run() : running.current?.abort())}
    >
      {pages === undefined ? 'Export' : `Stop (page ${number(pages + 1)})`}
    </Button>
  );
}
