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
import { wrongWith } from '../ui/wrong-field';

/** The form's values. */
interface Fields {
  readonly version: string;
  readonly channel: string;
  readonly notes: string;
  readonly releasedAt: string;
  readonly features: string;
  readonly build: string;
  /** One version for all systems, or `windows=10.0.17763 macos=22.0.0`. */
  readonly minimum: string;
  /** The percentage of the installations; empty: all. */
  readonly staging: string;
}

const empty: Fields = {
  version: '',
  channel: 'stable',
  notes: '',
  releasedAt: '',
  features: '',
  build: '',
  minimum: '',
  staging: '',
};

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

const fieldsOf = (release: Release): Fields => ({
  version: release.version,
  channel: release.channel,
  notes: release.notes ?? '',
  releasedAt: release.released_at === null ? '' : localTime(release.released_at),
  features: release.features.join(' '),
  build: release.build ?? '',
  minimum: minimumText(release),
  staging: release.staging_percentage === null ? '' : String(release.staging_percentage),
});

const NAMES = ['version', 'channel', 'notes', 'released_at', 'features', 'build', 'minimum_system_version', 'staging_percentage'];

/** @param frozen whether to hide the fields that can't be changed after publishing */
function Inputs({
  fields,
  onChange,
  error,
  isNew = false,
  frozen = false,
}: {
  fields: Fields;
  onChange: (change: Partial<Fields>) => void;
  error: Error | null;
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
          value={fields.version}
          onChange={(event) => onChange({ version: event.currentTarget.value })}
          error={wrongWith(error, 'version')}
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
          value={fields.channel}
          onChange={(event) => onChange({ channel: event.currentTarget.value })}
          error={wrongWith(error, 'channel')}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      <Textarea
        label={t('Notes (optional)')}
        description={t('What is new, in Markdown. Updaters show this text.')}
        value={fields.notes}
        onChange={(event) => onChange({ notes: event.currentTarget.value })}
        error={wrongWith(error, 'notes')}
        rows={6}
        {...(!isNew && { 'data-autofocus': true })}
      />
      <FeaturesField
        value={fields.features}
        onChange={(features) => onChange({ features })}
        error={wrongWith(error, 'features')}
        description={t('Names separated by spaces. Only licenses that have all of them get the release.')}
      />
      <TextInput
        label={t('Minimum system (optional)')}
        description={t(
          'Such as 10.0.17763, or for each system: windows=10.0.17763 macos=22.0.0. electron-updater compares the version of the kernel, Sparkle the version of macOS.',
        )}
        value={fields.minimum}
        onChange={(event) => onChange({ minimum: event.currentTarget.value })}
        error={wrongWith(error, 'minimum_system_version')}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label={t('Percentage of the installations (optional)')}
        description={t('Only electron-updater can offer a release to a part of the installations. If empty, all get it.')}
        inputMode="numeric"
        value={fields.staging}
        onChange={(event) => onChange({ staging: event.currentTarget.value })}
        error={wrongWith(error, 'staging_percentage')}
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
            value={fields.releasedAt}
            onChange={(event) => onChange({ releasedAt: event.currentTarget.value })}
            error={wrongWith(error, 'released_at')}
          />
          <TextInput
            label={t('Build number (optional)')}
            description={t('Sparkle compares this number, such as 512. If empty, Sparkle compares the version.')}
            value={fields.build}
            onChange={(event) => onChange({ build: event.currentTarget.value })}
            error={wrongWith(error, 'build')}
            autoComplete="off"
          />
        </>
      )}
    </>
  );
}

const timeIn = (text: string): string | null => (text === '' ? null : new Date(text).toISOString());
const textIn = (text: string): string | null => (text.trim() === '' ? null : text);

function New({ productId, onClose }: { productId: number; onClose: () => void }) {
  const [fields, setFields] = useState(empty);
  const create = useChange('createRelease', {
    stale: [['releases', productId]],
    done: ({ version }) => t('Created a draft of version {version}', { version }),
    onSuccess: ({ id }) => {
      onClose();
      go(href(`/releases/${id}`));
    },
  });
  return (
    <DialogForm
      onSubmit={() =>
        create.mutate({
          params: { id: productId },
          body: {
            version: fields.version.trim(),
            channel: fields.channel.trim() === '' ? null : fields.channel.trim(),
            notes: textIn(fields.notes),
            released_at: timeIn(fields.releasedAt),
            features: featuresIn(fields.features),
            build: textIn(fields.build)?.trim() ?? null,
            minimum_system_version: minimumIn(fields.minimum),
            staging_percentage: stagingIn(fields.staging),
          },
        })
      }
      onCancel={onClose}
      submit={t('Create draft')}
      busy={create.isPending}
      error={create.error}
      fields={NAMES}
      disabled={fields.version.trim() === ''}
    >
      <Inputs fields={fields} onChange={(change) => setFields({ ...fields, ...change })} error={create.error} isNew />
    </DialogForm>
  );
}

function Edit({ release, onClose }: { release: Release; onClose: () => void }) {
  const [before] = useState(() => fieldsOf(release));
  const [fields, setFields] = useState(before);
  const update = useChange('updateRelease', { stale: releaseKeys(release), done: () => t('Changed the release'), onSuccess: onClose });
  const isChanged = (name: keyof Fields): boolean => fields[name] !== before[name];
  const changes = {
    ...(isChanged('notes') && { notes: textIn(fields.notes) }),
    ...(isChanged('features') && { features: featuresIn(fields.features) }),
    ...(isChanged('channel') && { channel: fields.channel.trim() }),
    ...(isChanged('releasedAt') && { released_at: timeIn(fields.releasedAt) }),
    ...(isChanged('build') && { build: textIn(fields.build)?.trim() ?? null }),
    ...(isChanged('minimum') && { minimum_system_version: minimumIn(fields.minimum) }),
    ...(isChanged('staging') && { staging_percentage: stagingIn(fields.staging) }),
  };
  return (
    <DialogForm
      onSubmit={() => update.mutate({ params: { id: release.id }, body: changes })}
      onCancel={onClose}
      submit={t('Save changes')}
      busy={update.isPending}
      error={update.error}
      fields={NAMES}
      disabled={Object.keys(changes).length === 0}
    >
      {release.status !== 'draft' && (
        <p>{t('The channel, the dates and the files of a published release can no longer be changed. Publish a fix as a new version.')}</p>
      )}
      <Inputs
        fields={fields}
        onChange={(change) => setFields({ ...fields, ...change })}
        error={update.error}
        frozen={release.status !== 'draft'}
      />
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
