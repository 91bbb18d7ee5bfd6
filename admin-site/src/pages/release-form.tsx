import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Release } from '../api';
import { localTime } from '../format';
import { releaseKeys, useChange } from '../queries';
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
}

const empty: Fields = { version: '', channel: 'stable', notes: '', releasedAt: '', features: '', build: '' };
const fieldsOf = (release: Release): Fields => ({
  version: release.version,
  channel: release.channel,
  notes: release.notes ?? '',
  releasedAt: release.released_at === null ? '' : localTime(release.released_at),
  features: release.features.join(' '),
  build: release.build ?? '',
});

const NAMES = ['version', 'channel', 'notes', 'released_at', 'features', 'build'];

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
        onValue={(features) => onChange({ features })}
        error={wrongWith(error, 'features')}
        description={t('Names separated by spaces. Only licenses that have all of them get the release.')}
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
        <p>{t('Only the notes and the features of a published release can be changed. Publish a fix as a new version.')}</p>
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
