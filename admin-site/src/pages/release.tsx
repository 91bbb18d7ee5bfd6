import { useState } from 'react';
import type { Release } from '../api';
import { useMay } from '../permission';
import { useChange } from '../queries/change';
import { useProductName } from '../queries/products';
import { releaseKeys, useRelease } from '../queries/releases';
import { go, href } from '../router';
import { plural, t, T } from '../texts';
import { Act } from '../ui/act';
import { Confirm } from '../ui/confirm';
import { CopyButton } from '../ui/copy-button';
import { CheckIcon, EditIcon, PlayIcon, StopIcon, TrashIcon } from '../ui/icons';
import { Code, Dim, Facts, PageHead, Panel, Quoted, Row, Stack } from '../ui/page';
import { Loaded, Problem } from '../ui/states';
import { Status } from '../ui/status';
import { Moment } from '../ui/time';
import { useUploads } from '../uploads';
import { DownloadCounts } from './download-counts';
import { ReleaseFiles } from './release-files';
import { EditRelease, minimumText } from './release-form';

type Action = 'edit' | 'publish' | 'yank' | 'delete';

interface Question {
  readonly release: Release;
  readonly opened: boolean;
  readonly onClose: () => void;
}

const Publish = ({ release, ...dialog }: Question) => (
  <Confirm
    {...dialog}
    title={t('Publish this release?')}
    call="publishRelease"
    request={() => ({ params: { id: release.id } })}
    submit={t('Publish')}
    stale={releaseKeys(release)}
    done={({ version }) => t('Published version {version}', { version })}
  >
    <p>
      <T
        text="Version {version} with {files} is offered at once to updaters in the channel {channel} if their license covers the version."
        values={{
          channel: <strong>{release.channel}</strong>,
          version: <strong>{release.version}</strong>,
          files: plural(release.artifacts.length, '{count} file', '{count} files'),
        }}
      />
    </p>
    <p>
      {t('After publishing, the channel, the dates and the files of a release can no longer be changed. A faulty release can be yanked.')}
    </p>
  </Confirm>
);

const Yank = ({ release, ...dialog }: Question) => (
  <Confirm
    {...dialog}
    title={t('Yank this release?')}
    call="yankRelease"
    request={(body) => ({ params: { id: release.id }, body })}
    reason={500}
    submit={t('Yank')}
    danger
    stale={releaseKeys(release)}
    done={({ version }) => t('Yanked version {version}', { version })}
  >
    <p>
      <T
        text="A yanked version is neither offered nor downloadable. Existing download links expire within 5 minutes. Devices that have version {version} keep it. Publish the fix as a new version."
        values={{ version: <strong>{release.version}</strong> }}
      />
    </p>
  </Confirm>
);

const Delete = ({ release, ...dialog }: Question) => (
  <Confirm
    {...dialog}
    title={t('Delete this draft?')}
    call="deleteRelease"
    request={() => ({ params: { id: release.id } })}
    submit={t('Delete the draft')}
    danger
    stale={[['releases', release.product_id]]}
    done={() => t('Deleted the draft of version {version}', { version: release.version })}
    onSuccess={() => go(href(`/products/${release.product_id}/releases`))}
  >
    <p>
      <T
        text="The draft of version {version} is deleted together with {files}."
        values={{
          version: <strong>{release.version}</strong>,
          files: plural(release.artifacts.length, '{count} file', '{count} files'),
        }}
      />
    </p>
  </Confirm>
);

/** Why a draft can’t be published yet; undefined if the draft can be published. */
function missing({ artifacts }: Release, uploads: number): string | undefined {
  if (uploads > 0) return t('Files are not uploaded yet.');
  if (artifacts.length === 0) return t('Add a file first.');
  const absent = artifacts.filter(({ uploaded }) => !uploaded).map(({ filename }) => filename);
  return absent.length > 0 ? t('Not uploaded: {files}. Add the file again, or remove it.', { files: absent.join(', ') }) : undefined;
}

function Actions({ release, onChoose }: { release: Release; onChoose: (action: Action) => void }) {
  const uploads = useUploads(release.id).length;
  const unyank = useChange('unyankRelease', {
    stale: releaseKeys(release),
    done: ({ version }) => t('Version {version} is offered again', { version }),
  });
  const reason = missing(release, uploads);
  const edit = (
    <Act call="updateRelease" Icon={EditIcon} onClick={() => onChoose('edit')}>
      {t('Edit')}
    </Act>
  );
  return (
    <>
      {release.status === 'draft' && (
        <>
          <Act call="deleteRelease" Icon={TrashIcon} onClick={() => onChoose('delete')}>
            {t('Delete')}
          </Act>
          {edit}
          <Act
            call="publishRelease"
            primary
            Icon={CheckIcon}
            disabled={reason !== undefined}
            title={reason}
            onClick={() => onChoose('publish')}
          >
            {t('Publish')}
          </Act>
        </>
      )}
      {release.status !== 'draft' && edit}
      {release.status === 'published' && (
        <Act call="yankRelease" Icon={StopIcon} onClick={() => onChoose('yank')}>
          {t('Yank')}
        </Act>
      )}
      {release.status === 'yanked' && (
        <Act
          call="unyankRelease"
          primary
          Icon={PlayIcon}
          loading={unyank.isPending}
          onClick={() => unyank.mutate({ params: { id: release.id } })}
        >
          {t('Offer again')}
        </Act>
      )}
      {unyank.error && <Problem error={unyank.error} />}
    </>
  );
}

function Shown({ release }: { release: Release }) {
  const [action, setAction] = useState<Action>();
  const product = useProductName(release.product_id);
  const may = useMay();
  const minimum = minimumText(release);
  const close = (): void => setAction(undefined);
  return (
    <>
      <PageHead
        title={t('Version {version}', { version: release.version })}
        back={{ to: href(`/products/${release.product_id}/releases`), label: t('Releases of {product}', { product }) }}
        aside={<Status status={release.status} />}
        action={<Actions release={release} onChoose={setAction} />}
      />
      <Stack>
        <Panel title={t('Release')}>
          <Facts
            facts={[
              [t('Channel'), <bdi key="channel">{release.channel}</bdi>],
              [
                t('Release date'),
                release.released_at === null ? (
                  <Dim key="date">{t('The time of publishing')}</Dim>
                ) : (
                  <Moment key="date" at={release.released_at} />
                ),
              ],
              ...(release.published_at === null ? [] : [[t('Published'), <Moment key="published" at={release.published_at} />] as const]),
              ...(release.yanked_at === null
                ? []
                : [
                    [
                      t('Yanked'),
                      <span key="yanked">
                        <Moment at={release.yanked_at} />
                        {release.yanked_reason !== null && (
                          <>
                            <br />
                            <Quoted>{release.yanked_reason}</Quoted>
                          </>
                        )}
                      </span>,
                    ] as const,
                  ]),
              ...(release.features.length === 0
                ? []
                : [[t('Needs features'), <code key="features">{release.features.join(' ')}</code>] as const]),
              ...(minimum === '' ? [] : [[t('Minimum system'), <code key="minimum">{minimum}</code>] as const]),
              ...(release.staging_percentage === null
                ? []
                : [
                    [
                      t('Offered to'),
                      <span key="staging">
                        {t('{percentage} % of the installations', { percentage: String(release.staging_percentage) })}
                      </span>,
                    ] as const,
                  ]),
              ...(release.build === null ? [] : [[t('Build number'), <code key="build">{release.build}</code>] as const]),
              [
                t('Release id'),
                <Row key="id">
                  <code>{release.id}</code>
                  <CopyButton text={String(release.id)} what={t('release id')} />
                </Row>,
              ],
            ]}
          />
        </Panel>
        <ReleaseFiles release={release} editable={release.status === 'draft' && may('createArtifact')} />
        {release.status !== 'draft' && <DownloadCounts productId={release.product_id} version={release.version} />}
        <Panel title={t('Notes')}>
          {release.notes === null ? <Dim>{t('None.')}</Dim> : <Code label={t('Notes')}>{release.notes}</Code>}
        </Panel>
      </Stack>
      <EditRelease release={release} opened={action === 'edit'} onClose={close} />
      <Publish release={release} opened={action === 'publish'} onClose={close} />
      <Yank release={release} opened={action === 'yank'} onClose={close} />
      <Delete release={release} opened={action === 'delete'} onClose={close} />
    </>
  );
}

export function ReleasePage({ id }: { id: number }) {
  const query = useRelease(id);
  return (
    <Loaded query={query} page={t('Release {id}', { id: String(id) })}>
      {(release) => <Shown release={release} />}
    </Loaded>
  );
}
