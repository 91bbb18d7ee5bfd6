import { NativeSelect } from '@mantine/core';
import type { Release } from '../api';
import { bytes } from '../format';
import { May, useMay } from '../permission';
import { useChange } from '../queries/change';
import { useProduct, useProductName } from '../queries/products';
import { useDownloads, useReleases, type ReleaseFilter } from '../queries/releases';
import { go, href, Link } from '../router';
import { number, plural, t, T } from '../texts';
import { Act } from '../ui/act';
import { PackageIcon, PlusIcon, SearchIcon } from '../ui/icons';
import { Dim, PageHead, Panel, Row, Stack } from '../ui/page';
import { LoadedPages } from '../ui/pages';
import { Empty, Loaded, Problem } from '../ui/states';
import { Status } from '../ui/status';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { useNewDialog } from '../use-new-dialog';
import { DownloadCounts, useDownloadsOfVersions } from './download-counts';
import { NewRelease } from './release-form';

const statuses: Readonly<Record<Release['status'], string>> = { draft: t('Drafts'), published: t('Published'), yanked: t('Yanked') };
const statusOf = (text: string | null): Release['status'] | undefined =>
  text !== null && Object.hasOwn(statuses, text) ? (text as Release['status']) : undefined;

/** The channels that updaters know without configuration; a product may have more channels. */
const usualChannels = ['stable', 'beta', 'alpha'];

function filesOf({ artifacts, status }: Release): string {
  const uploaded = artifacts.filter((artifact) => artifact.uploaded);
  if (artifacts.length === 0) return t('No files');
  if (status === 'draft' && uploaded.length < artifacts.length)
    return plural(artifacts.length, '{uploaded} of {count} file uploaded', '{uploaded} of {count} files uploaded', {
      uploaded: number(uploaded.length),
    });
  return `${plural(artifacts.length, '{count} file', '{count} files')}, ${bytes(artifacts.reduce((sum, { size }) => sum + size, 0))}`;
}

function Releases({ productId, releases, busy }: { productId: number; releases: readonly Release[]; busy: boolean }) {
  const downloads = useDownloadsOfVersions(productId);
  return (
    <Table
      label={t('Releases')}
      items={releases}
      id={({ id }) => id}
      href={({ id }) => href(`/releases/${id}`)}
      busy={busy}
      columns={[
        {
          name: t('Version'),
          cell: ({ id, version }) => (
            <Link to={href(`/releases/${id}`)} className={tableClasses['link']}>
              <Name>{version}</Name>
            </Link>
          ),
        },
        { name: t('Status'), clear: true, cell: ({ status }) => <Status status={status} /> },
        { name: t('Channel'), clear: true, cell: ({ channel }) => <Name>{channel}</Name> },
        { name: t('Files'), clear: true, cell: filesOf },
        {
          name: t('Features'),
          extra: true,
          cell: ({ features }) => (features.length === 0 ? <Dim>{t('None')}</Dim> : <Name>{features.join(' ')}</Name>),
        },
        {
          name: t('Downloads, 30 days'),
          right: true,
          cell: ({ version, status }) => (status === 'draft' || !downloads ? <Dim>—</Dim> : number(downloads.get(version) ?? 0)),
        },
        {
          name: t('Released'),
          cell: ({ released_at: at, status }) => (at === null || status === 'draft' ? <Dim>{t('Not yet')}</Dim> : <Ago at={at} />),
        },
      ]}
    />
  );
}

/** Who may download the product’s releases. */
function Downloads({ productId }: { productId: number }) {
  const query = useDownloads(productId);
  const change = useChange('setDownloads', {
    stale: [['downloads', productId]],
    done: ({ access }) => (access === 'public' ? t('Everybody may download') : t('Downloads need a license')),
  });
  return (
    <Panel
      title={t('Downloads')}
      note={t('Takes effect within a minute. With public downloads, releases that need features are offered to nobody.')}
    >
      <Loaded query={query} lines={1}>
        {({ access }) => (
          <May call="setDownloads">
            <NativeSelect
              label={t('Who may download')}
              value={change.isPending ? change.variables.body.access : access}
              disabled={change.isPending}
              onChange={(event) =>
                change.mutate({
                  params: { id: productId },
                  body: { access: event.currentTarget.value === 'public' ? 'public' : 'licensed' },
                })
              }
              data={[
                { value: 'licensed', label: t('Apps with a license that covers the release') },
                { value: 'public', label: t('Everybody, without a license') },
              ]}
            />
          </May>
        )}
      </Loaded>
      {change.error && <Problem error={change.error} />}
    </Panel>
  );
}

export function ReleasesPage({ productId, query: address }: { productId: number; query: URLSearchParams }) {
  const filter: ReleaseFilter = { channel: address.get('channel') ?? undefined, status: statusOf(address.get('status')) };
  const name = useProductName(productId);
  const product = useProduct(productId);
  const may = useMay();
  const query = useReleases(productId, filter);
  const [creating, setCreating] = useNewDialog();
  const rows = query.data?.pages.flatMap((page) => page.rows);
  const isFiltered = filter.channel !== undefined || filter.status !== undefined;
  const show = (change: ReleaseFilter): void => go(href(`/products/${productId}/releases`, { ...filter, ...change }));
  const channels = [
    ...new Set([...usualChannels, ...(filter.channel ? [filter.channel] : []), ...(rows ?? []).map(({ channel }) => channel)]),
  ];
  const create = (
    <Act call="createRelease" primary Icon={PlusIcon} onClick={() => setCreating(true)}>
      {t('New release')}
    </Act>
  );
  // A page of a product that does not exist shows only the error, without buttons.
  if (product.error && !product.data)
    return (
      <Loaded query={product} page={t('Releases')}>
        {() => null}
      </Loaded>
    );
  return (
    <>
      <PageHead title={t('Releases')} back={{ to: href(`/products/${productId}`), label: name }} action={create}>
        {t('Versions of the app. An updater gets the newest version that its license covers.')}
      </PageHead>
      <Stack>
        <Panel>
          <Stack>
            <Row>
              <NativeSelect
                size="xs"
                aria-label={t('Channel')}
                value={filter.channel ?? ''}
                onChange={(event) => show({ channel: event.currentTarget.value || undefined })}
                data={[{ value: '', label: t('Any channel') }, ...channels]}
              />
              <NativeSelect
                size="xs"
                aria-label={t('Status')}
                value={filter.status ?? ''}
                onChange={(event) => show({ status: statusOf(event.currentTarget.value) })}
                data={[{ value: '', label: t('Any status') }, ...Object.entries(statuses).map(([value, label]) => ({ value, label }))]}
              />
            </Row>
            <LoadedPages
              query={query}
              empty={
                isFiltered ? (
                  <Empty
                    icon={<SearchIcon size={26} />}
                    title={t('No releases match these filters')}
                    action={<Link to={href(`/products/${productId}/releases`)}>{t('Show all releases')}</Link>}
                  />
                ) : (
                  <Empty icon={<PackageIcon size={26} />} title={t('No releases yet')} action={create}>
                    <T
                      text="Create a draft, upload its files and publish it; or let your build do this with {command}."
                      values={{ command: <code>npm run releases -- publish</code> }}
                    />
                  </Empty>
                )
              }
            >
              {(releases) => <Releases productId={productId} releases={releases} busy={query.isPlaceholderData} />}
            </LoadedPages>
          </Stack>
        </Panel>
        {rows && rows.length > 0 && <DownloadCounts productId={productId} />}
        {may('getDownloads') && <Downloads productId={productId} />}
      </Stack>
      <NewRelease productId={productId} opened={creating} onClose={() => setCreating(false)} />
    </>
  );
}
