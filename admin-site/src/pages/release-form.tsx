import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Release } from '../api';
import { localTime } from '../format';
import { useChange } from '../queries/change';
import { releaseKeys } from '../queries/releases';
import { go, href } from '../router';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import { textIn, useFields } from '../ui/use-fields';
import { changedFields } from './changed-fields';

/** The values of the form, by the names of the fields of the request. */
const empty = {
  version: '',
  channel: 'stable',
  notes: '',
  released_at: '',
  features: '',
  build: '',
  /** One version for all systems, or `windows=10.0.17763 macos=22.0.0`. */
  minimum_system_version: '',
  /** The percentage of the installations; empty: all. */
  staging_percentage: '',
};
type Values = typeof empty;

/** The minimum version of the system as a person reads and types it; empty if there is none. */
export const minimumText = ({ minimum_system_version: minimum }: Release): string =>
  typeof minimum === 'string'
    ? minimum
    : Object.entries(minimum ?? {})
        .map(([system, version]) => `${system}=${version}`)
        .join(' ');

const minimumIn = (text: string): Release['minimum_system_version'] => {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  const [first] = parts;
  if (first === undefined) return null;
  if (parts.length === 1 && !first.includes('=')) return first;
  return Object.fromEntries(
    parts.map((part): [string, string] => {
      const [system = '', version = ''] = part.split('=');
      return [system, version];
    }),
  );
};

/** A text that is no number becomes 0, which the service refuses. */
const stagingIn = (text: string): number | null => (text.trim() === '' ? null : Number(text) || 0);

const valuesOf = (release: Release): Values => ({
  version: release.version,
  channel: release.channel,
  notes: release.notes ?? '',
  released_at: release.released_at === null ? '' : localTime(release.released_at),
  features: release.features.join(' '),
  build: release.build ?? '',
  minimum_system_version: minimumText(release),
  staging_percentage: String(release.staging_percentage ?? ''),
});

/** The input as a request, without the version, which can't be changed later. */
const bodyOf = (values: Values) => ({
  channel: textIn(values.channel),
  notes: values.notes.trim() === '' ? null : values.notes,
  released_at: values.released_at === '' ? null : new Date(values.released_at).toISOString(),
  features: featuresIn(values.features),
  build: textIn(values.build),
  minimum_system_version: minimumIn(values.minimum_system_version),
  staging_percentage: stagingIn(values.staging_percentage),
});

/** @param frozen whether to hide the fields that can't be changed after publishing */
function Inputs({
  form: { field },
  isNew = false,
  frozen = false,
}: {
  form: ReturnType<typeof useFields<Values>>;
  isNew?: boolean;
  frozen?: boolean;
}) {
  return (
    <>
      {isNew && (
        <TextInput
          label={t('Version')}
          placeholder="2.4.0"
          description={t('According to Semantic Versioning. The version can’t be changed later.')}
          {...field('version')}
          data-autofocus
          required
          withAsterisk={false}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {!frozen && (
        <TextInput
          label={t('Channel')}
          description={t('stable, beta, alpha, or a name of your own: a-z, 0-9 and hyphens. Beta users also get stable releases.')}
          {...field('channel')}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Textarea
        label={t('Notes (optional)')}
        description={t('What is new, in Markdown. Updaters show this text.')}
        {...field('notes')}
        rows={6}
        {...(!isNew && { 'data-autofocus': true })}
      />
      <FeaturesField
        {...field('features')}
        description={t('Names separated by spaces. Only licenses that have all of them get the release.')}
      />
      <TextInput
        label={t('Minimum system (optional)')}
        description={t(
          'Such as 10.0.17763, or for each system: windows=10.0.17763 macos=22.0.0. electron-updater compares the version of the kernel, Sparkle the version of macOS.',
        )}
        {...field('minimum_system_version')}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label={t('Percentage of the installations (optional)')}
        description={t('Only electron-updater can offer a release to a part of the installations. If empty, all get it.')}
        inputMode="numeric"
        {...field('staging_percentage')}
        autoComplete="off"
      />
      {!frozen && (
        <>
          <TextInput
            label={t('Release date (optional)')}
            type="datetime-local"
            step={1}
            description={t(
              'In your time zone. A license whose updates end at this time or later covers the release. If empty, the time of publishing is used.',
            )}
            {...field('released_at')}
          />
          <TextInput
            label={t('Build number (optional)')}
            description={t('Sparkle compares this number, such as 512. If empty, Sparkle compares the version.')}
            {...field('build')}
            autoComplete="off"
          />
        </>
      )}
    </>
  );
}

function New({ productId, onClose }: { productId: number; onClose: () => void }) {
  const create = useChange('createRelease', {
    stale: [['releases', productId]],
    done: ({ version }) => t('Created a draft of version {version}', { version }),
    onSuccess: ({ id }) => {
      onClose();
      go(href(`/releases/${id}`));
    },
  });
  const form = useFields(empty, create);
  const version = form.values.version.trim();
  return (
    <DialogForm
      onSubmit={() => create.mutate({ params: { id: productId }, body: { version, ...bodyOf(form.values) } })}
      onCancel={onClose}
      submit={t('Create draft')}
      change={create}
      disabled={version === ''}
    >
      <Inputs form={form} isNew />
    </DialogForm>
  );
}

function Edit({ release, onClose }: { release: Release; onClose: () => void }) {
  const update = useChange('updateRelease', { stale: releaseKeys(release), done: () => t('Changed the release'), onSuccess: onClose });
  const [before] = useState(() => valuesOf(release));
  const form = useFields(before, update);
  const { channel, ...changes } = changedFields(bodyOf(before), bodyOf(form.values));
  // A channel can't be removed. The service refuses an empty one.
  const body = { ...changes, ...(channel !== undefined && { channel: channel ?? '' }) };
  return (
    <DialogForm
      onSubmit={() => update.mutate({ params: { id: release.id }, body })}
      onCancel={onClose}
      submit={t('Save changes')}
      change={update}
      disabled={Object.keys(body).length === 0}
    >
      {release.status !== 'draft' && (
        <p>{t('The channel, the dates and the files of a published release can no longer be changed. Publish a fix as a new version.')}</p>
      )}
      <Inputs form={form} frozen={release.status !== 'draft'} />
    </DialogForm>
  );
}

export const NewRelease = ({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) => (
  <Dialog title={t('New release')} opened={opened} onClose={onClose} size="lg">
    <New productId={productId} onClose={onClose} />
  </Dialog>
);

export const EditRelease = ({ release, opened, onClose }: { release: Release; opened: boolean; onClose: () => void }) => (
  <Dialog title={t('Edit this release')} opened={opened} onClose={onClose} size="lg">
    <Edit release={release} onClose={onClose} />
  </Dialog>
);
