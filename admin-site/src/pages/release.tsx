import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Release } from '../api';
import { plural } from '../format';
import { May, useMay } from '../permission';
import { releaseKeys, useChange, useProductName, useRelease } from '../queries';
import { go, href } from '../router';
import { CopyButton } from '../ui/copy-button';
import { Dialog, DialogForm } from '../ui/dialog';
import { CheckIcon, EditIcon, PlayIcon, StopIcon, TrashIcon } from '../ui/icons';
import { Code, Dim, Facts, PageHead, Panel, Row, Stack } from '../ui/page';
import { Loaded, Problem } from '../ui/states';
import { Status } from '../ui/status';
import { Moment } from '../ui/time';
import { wrongWith } from '../ui/wrong-field';
import { useUploads } from '../uploads';
import { DownloadCounts } from './download-counts';
import { ReleaseFiles } from './release-files';
import { EditRelease } from './release-form';

type Action = 'edit' | 'publish' | 'yank' | 'delete';

interface Props {
  readonly release: Release;
  readonly onClose: () => void;
}

function Publish({ release, onClose }: Props) {
  const publish = useChange('publishRelease', {
    stale: releaseKeys(release),
    done: ({ version }) => `Published version ${version}`,
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => publish.mutate({ params: { id: release.id } })}
      onCancel={onClose}
      submit="Publish"
      busy={publish.isPending}
      error={publish.error}
    >
      <p>
        Updaters in the channel <strong>{release.channel}</strong> are offered version <strong>{release.version}</strong> with{' '}
        {plural(release.artifacts.length, 'file')} at once, as far as their license covers it.
      </p>
      <p>A published release never changes: its files and its version are final. A faulty one can be yanked.</p>
    </DialogForm>
  );
}

function Yank({ release, onClose }: Props) {
  const [reason, setReason] = useState('');
  const yank = useChange('yankRelease', {
    stale: releaseKeys(release),
    done: ({ version }) => `Yanked version ${version}`,
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => yank.mutate({ params: { id: release.id }, body: reason.trim() === '' ? {} : { reason: reason.trim() } })}
      onCancel={onClose}
      submit="Yank"
      danger
      busy={yank.isPending}
      error={yank.error}
      fields={['reason']}
    >
      <p>
        From then on version <strong>{release.version}</strong> is neither offered nor downloadable. Links that were given out end within 5
        minutes. Devices that have it keep it; publish the fix as a new version.
      </p>
      <TextInput
        label="Reason (optional)"
        description="For you and your colleagues."
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={wrongWith(yank.error, 'reason')}
        maxLength={500}
        autoComplete="off"
      />
    </DialogForm>
  );
}

function Delete({ release, onClose }: Props) {
  const remove = useChange('deleteRelease', {
    stale: [['releases', release.product_id]],
    done: () => `Deleted the draft of version ${release.version}`,
    onSuccess: () => {
      onClose();
      go(href(`/products/${release.product_id}/releases`));
    },
  });
  return (
    <DialogForm
      onSubmit={() => remove.mutate({ params: { id: release.id } })}
      onCancel={onClose}
      submit="Delete the draft"
      danger
      busy={remove.isPending}
      error={remove.error}
    >
      <p>
        The draft of version <strong>{release.version}</strong> is deleted with {plural(release.artifacts.length, 'file')}.
      </p>
    </DialogForm>
  );
}

/** Why a draft can’t be published yet; undefined if it can. */
function missing({ artifacts }: Release, uploads: number): string | undefined {
  if (uploads > 0) return 'Files are not uploaded yet.';
  if (artifacts.length === 0) return 'Add a file first.';
  const absent = artifacts.filter(({ uploaded }) => !uploaded).map(({ filename }) => filename);
  return absent.length > 0 ? `Not uploaded: ${absent.join(', ')}. Add the file again, or remove it.` : undefined;
}

function Actions({ release, onChoose }: { release: Release; onChoose: (action: Action) => void }) {
  const uploads = useUploads(release.id).length;
  const unyank = useChange('unyankRelease', { stale: releaseKeys(release), done: ({ version }) => `Version ${version} is offered again` });
  const reason = missing(release, uploads);
  return (
    <>
      {release.status === 'draft' && (
        <>
          <Button variant="default" leftSection={<TrashIcon size={16} />} onClick={() => onChoose('delete')}>
            Delete
          </Button>
          <Button variant="default" leftSection={<EditIcon size={16} />} onClick={() => onChoose('edit')}>
            Edit
          </Button>
          <Button leftSection={<CheckIcon size={16} />} disabled={reason !== undefined} title={reason} onClick={() => onChoose('publish')}>
            Publish
          </Button>
        </>
      )}
      {release.status !== 'draft' && (
        <Button variant="default" leftSection={<EditIcon size={16} />} onClick={() => onChoose('edit')}>
          Edit notes
        </Button>
      )}
      {release.status === 'published' && (
        <Button variant="default" leftSection={<StopIcon size={16} />} onClick={() => onChoose('yank')}>
          Yank
        </Button>
      )}
      {release.status === 'yanked' && (
        <Button
          leftSection={<PlayIcon size={16} />}
          loading={unyank.isPending}
          onClick={() => unyank.mutate({ params: { id: release.id } })}
        >
          Offer again
        </Button>
      )}
      {unyank.error && <Problem error={unyank.error} />}
    </>
  );
}

function Shown({ release }: { release: Release }) {
  const [action, setAction] = useState<Action>();
  const product = useProductName(release.product_id);
  const may = useMay();
  const close = (): void => setAction(undefined);
  return (
    <>
      <PageHead
        title={`Version ${release.version}`}
        back={{ to: href(`/products/${release.product_id}/releases`), label: `Releases of ${product}` }}
        aside={<Status status={release.status} />}
        action={
          <May call="updateRelease">
            <Actions release={release} onChoose={setAction} />
          </May>
        }
      />
      <Stack>
        <Panel title="Release">
          <Facts
            facts={[
              ['Channel', <bdi key="channel">{release.channel}</bdi>],
              [
                'Release date',
                release.released_at === null ? (
                  <Dim key="date">The time of publishing</Dim>
                ) : (
                  <Moment key="date" at={release.released_at} />
                ),
              ],
              ...(release.published_at === null ? [] : [['Published', <Moment key="published" at={release.published_at} />] as const]),
              ...(release.yanked_at === null
                ? []
                : [
                    [
                      'Yanked',
                      <span key="yanked">
                        <Moment at={release.yanked_at} />
                        {release.yanked_reason !== null && (
                          <>
                            <br />
                            <bdi>“{release.yanked_reason}”</bdi>
                          </>
                        )}
                      </span>,
                    ] as const,
                  ]),
              ...(release.features.length === 0
                ? []
                : [['Needs features', <code key="features">{release.features.join(' ')}</code>] as const]),
              ...(release.build === null ? [] : [['Build number', <code key="build">{release.build}</code>] as const]),
              [
                'Release id',
                <Row key="id">
                  <code>{release.id}</code>
                  <CopyButton text={String(release.id)} what="release id" />
                </Row>,
              ],
            ]}
          />
        </Panel>
        <ReleaseFiles release={release} editable={release.status === 'draft' && may('createArtifact')} />
        {release.status !== 'draft' && <DownloadCounts productId={release.product_id} version={release.version} />}
        <Panel title="Notes">{release.notes === null ? <Dim>None.</Dim> : <Code label="Notes">{release.notes}</Code>}</Panel>
      </Stack>
      <EditRelease release={release} opened={action === 'edit'} onClose={close} />
      <Dialog title="Publish this release?" opened={action === 'publish'} onClose={close}>
        <Publish release={release} onClose={close} />
      </Dialog>
      <Dialog title="Yank this release?" opened={action === 'yank'} onClose={close}>
        <Yank release={release} onClose={close} />
      </Dialog>
      <Dialog title="Delete this draft?" opened={action === 'delete'} onClose={close}>
        <Delete release={release} onClose={close} />
      </Dialog>
    </>
  );
}

export function ReleasePage({ id }: { id: number }) {
  const query = useRelease(id);
  return (
    <Loaded query={query} page={`Release ${id}`}>
      {(release) => <Shown release={release} />}
    </Loaded>
  );
}
