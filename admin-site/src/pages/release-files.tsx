import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ChangeEvent, type DragEvent } from 'react';
import type { Artifact, Release } from '../api';
import { bytes } from '../format';
import { useChange } from '../queries/change';
import { releaseKeys } from '../queries/releases';
import { number, plural, t, T } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { UploadIcon } from '../ui/icons';
import { Dim, Panel, Row, Stack } from '../ui/page';
import { Problem } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { cancelUpload, chooseFiles, retryUpload, setTarget, startUploads, useUploads, type Upload } from '../uploads';
import classes from './release-files.module.css';

/** The files of a release. A draft also shows its uploads. */

const platforms: Readonly<Record<Artifact['platform'], string>> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  any: t('Any system'),
};
const architectures: Readonly<Record<Artifact['arch'], string>> = {
  x64: 'x64',
  arm64: 'arm64',
  ia32: 'ia32',
  universal: 'universal',
  any: t('any processor'),
};
const keyIn = <Key extends string>(names: Readonly<Record<Key, string>>, text: string): Key | undefined =>
  Object.hasOwn(names, text) ? (text as Key) : undefined;
const choices = (names: Readonly<Record<string, string>>): { value: string; label: string }[] => [
  { value: '', label: t('Choose…') },
  ...Object.entries(names).map(([value, label]) => ({ value, label })),
];

function Files({ release, editable }: { release: Release; editable: boolean }) {
  const remove = useChange('deleteArtifact', { stale: releaseKeys(release), done: () => t('Removed the file') });
  return (
    <>
      <Table
        label={t('Files')}
        items={release.artifacts}
        id={({ filename }) => filename}
        columns={[
          { name: t('Name'), cell: ({ filename }) => <Name>{filename}</Name> },
          { name: t('Runs on'), clear: true, cell: ({ platform, arch }) => `${platforms[platform]}, ${architectures[arch]}` },
          { name: t('Size'), clear: true, right: true, cell: ({ size }) => bytes(size) },
          {
            name: t('Signature'),
            clear: true,
            cell: ({ signature }) => (signature === null ? <Dim>{t('Not signed')}</Dim> : t('Signed')),
          },
          {
            name: 'SHA-256',
            extra: true,
            cell: ({ sha256 }) => (
              <Row>
                <code title={sha256}>{sha256.slice(0, 12)}…</code>
                <CopyButton text={sha256} what="SHA-256" />
              </Row>
            ),
          },
          {
            name: t('State'),
            clear: true,
            cell: ({ uploaded }) => (uploaded ? t('Uploaded') : <span className={tableClasses['warn']}>{t('Not uploaded')}</span>),
          },
          ...(editable
            ? [
                {
                  name: t('Action'),
                  nameless: true,
                  right: true,
                  cell: ({ filename }: Artifact) => (
                    <Button
                      variant="default"
                      size="xs"
                      aria-label={t('Remove {filename}', { filename })}
                      loading={remove.isPending && remove.variables.params.filename === filename}
                      onClick={() => remove.mutate({ params: { id: release.id, filename } })}
                    >
                      {t('Remove')}
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {remove.error && <Problem error={remove.error} />}
    </>
  );
}

const phaseWords: Readonly<Record<Upload['phase'], string>> = {
  chosen: t('Not started'),
  waiting: t('Waiting'),
  hashing: t('Computing hashes'),
  sending: t('Uploading'),
  failed: t('Failed'),
};

function UploadRow({ upload, onUploaded }: { upload: Upload; onUploaded: () => void }) {
  const { id, filename, file, target, signature, phase, share, error } = upload;
  const isRunning = phase === 'hashing' || phase === 'sending';
  return (
    <li className={classes['upload']}>
      <span className={classes['file']}>
        <bdi>{filename}</bdi>
        <span className={classes['dim']}>
          {bytes(file.size)}
          {signature !== null && `, ${t('with its signature')}`}
        </span>
      </span>
      {phase === 'chosen' ? (
        <Row>
          <NativeSelect
            size="xs"
            aria-label={t('System of {filename}', { filename })}
            value={target.platform ?? ''}
            onChange={(event) => setTarget(id, { ...target, platform: keyIn(platforms, event.currentTarget.value) })}
            data={choices(platforms)}
          />
          <NativeSelect
            size="xs"
            aria-label={t('Processor of {filename}', { filename })}
            value={target.arch ?? ''}
            onChange={(event) => setTarget(id, { ...target, arch: keyIn(architectures, event.currentTarget.value) })}
            data={choices(architectures)}
          />
        </Row>
      ) : (
        <span className={classes['phase']}>
          <span className={phase === 'failed' ? classes['bad'] : classes['dim']} {...(phase === 'failed' && { role: 'alert' })}>
            {phase === 'failed' ? (
              <>
                <bdi>{filename}</bdi>: {error}
              </>
            ) : (
              `${phaseWords[phase]}${isRunning ? ` ${number(Math.floor(share * 100))} %` : ''}`
            )}
          </span>
          {isRunning && <progress max={1} value={share} aria-label={`${phaseWords[phase]}: ${filename}`} className={classes['progress']} />}
        </span>
      )}
      <Row>
        {phase === 'failed' && (
          <Button
            size="xs"
            variant="default"
            onClick={() => retryUpload(id, onUploaded)}
            aria-label={t('Try again: {filename}', { filename })}
          >
            {t('Try again')}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => cancelUpload(id)} aria-label={t('Cancel {filename}', { filename })}>
          {t('Cancel')}
        </Button>
      </Row>
    </li>
  );
}

function Uploads({ release }: { release: Release }) {
  const client = useQueryClient();
  const uploads = useUploads(release.id);
  const [over, setOver] = useState(false);
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const onUploaded = (): void => void Promise.all(releaseKeys(release).map((queryKey) => client.invalidateQueries({ queryKey })));
  const choose = (files: FileList | null): void => void chooseFiles(release.id, [...(files ?? [])]).then(setLeftOut);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    choose(event.dataTransfer.files);
  };
  const onPick = (event: ChangeEvent<HTMLInputElement>): void => {
    choose(event.currentTarget.files);
    // The field is cleared, because browsers report no change if the same file is chosen again.
    event.currentTarget.value = '';
  };
  const chosen = uploads.filter(({ phase }) => phase === 'chosen');
  const unclear = chosen.filter(({ target: { platform, arch } }) => !platform || !arch);
  return (
    <Stack>
      <div
        className={`${classes['drop'] ?? ''} ${over ? (classes['over'] ?? '') : ''}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <UploadIcon size={22} />
        <span>{t('Drop files here, with their .sig and .blockmap files, or')}</span>
        <Button variant="default" size="xs" onClick={() => input.current?.click()}>
          {t('Choose files')}
        </Button>
        <input ref={input} type="file" multiple hidden onChange={onPick} aria-label={t('Files of the release')} />
      </div>
      {leftOut.length > 0 && (
        <p className={classes['dim']} role="status">
          <T
            text="These files are not uploaded, because no release needs them: {files}"
            values={{ files: <bdi>{leftOut.join(', ')}</bdi> }}
          />
        </p>
      )}
      {uploads.length > 0 && (
        <ul className={classes['uploads']} aria-label={t('Uploads')}>
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onUploaded={onUploaded} />
          ))}
        </ul>
      )}
      {chosen.length > 0 && (
        <Row>
          <Button onClick={() => startUploads(release.id, onUploaded)} disabled={unclear.length > 0}>
            {plural(chosen.length, 'Upload {count} file', 'Upload {count} files')}
          </Button>
          {unclear.length > 0 && (
            <span className={classes['dim']}>
              {t('First choose the system and processor of: {files}', { files: unclear.map(({ filename }) => filename).join(', ') })}
            </span>
          )}
        </Row>
      )}
    </Stack>
  );
}

export function ReleaseFiles({ release, editable }: { release: Release; editable: boolean }) {
  return (
    <Panel
      title={t('Files')}
      note={
        editable
          ? t('Files are uploaded directly to the file storage, and are offered to nobody before the release is published.')
          : undefined
      }
    >
      <Stack>
        {release.artifacts.length > 0 && <Files release={release} editable={editable} />}
        {editable ? <Uploads release={release} /> : release.artifacts.length === 0 && <p className={classes['dim']}>{t('None.')}</p>}
      </Stack>
    </Panel>
  );
}
