import { useMay } from '../permission';
import { useOverview } from '../queries/overview';
import { number, t } from '../texts';
import { Days, type Series } from '../ui/chart';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';

const downloads: readonly Series<'downloads'>[] = [
  { name: 'downloads', label: t('Downloads'), words: (count) => t('{count} downloads', { count }), colour: 'accent' },
];

/**
 * How often files were downloaded, by day.
 *
 * @param version undefined for the files of all releases of the product
 */
export function DownloadCounts({ productId, version }: { productId: number; version?: string }) {
  const query = useOverview(productId);
  const may = useMay();
  if (!may('getOverview')) return null;
  return (
    <Panel
      title={t('Downloads by day')}
      note={t('Days are UTC. A download that is interrupted and continued counts once. Downloads from the portal do not count.')}
    >
      <Loaded query={query} lines={4}>
        {({ days, downloads: versions }) => {
          const counted = versions.find((one) => one.version === version)?.days ?? [];
          const shown =
            version === undefined
              ? days
              : days.map(({ date }) => ({ date, downloads: counted.find((day) => day.date === date)?.downloads ?? 0 }));
          return (
            <Days
              title={t('Downloads by day')}
              days={shown}
              series={downloads}
              none={t('No downloads in the last {days} days.', { days: number(days.length) })}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** Number of downloads of each version in the last 30 days; undefined until the numbers are loaded. */
export function useDownloadsOfVersions(productId: number): ReadonlyMap<string, number> | undefined {
  const { data } = useOverview(productId);
  return data && new Map(data.downloads.map(({ version, total }) => [version, total]));
}
