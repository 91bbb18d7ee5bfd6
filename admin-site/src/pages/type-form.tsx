import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { LicenseType } from '../api';
import { useChange } from '../queries/change';
import { t } from '../texts';
import { Check } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import { NumberField, numberIn } from '../ui/number-field';
import { wrongWith } from '../ui/wrong-field';
import { changedFields } from './changed-fields';
import { kinds } from './kinds';
import classes from './type-form.module.css';

type Kind = LicenseType['kind'];

/** The default duration of each kind, in days. */
const usualDays: Readonly<Record<Kind, number>> = { lifetime: 365, floating: 365, subscription: 365, trial: 14 };

/** The form's values. */
interface Terms {
  readonly name: string;
  readonly kind: Kind;
  readonly unlimited: boolean;
  readonly seats: string;
  /** Undefined until the operator changes the field; until then the default of the kind applies. */
  readonly days: string | undefined;
  readonly features: string;
  readonly leaseMinutes: string;
  readonly newDevices: string;
  readonly selfService: boolean;
  readonly updatesDays: string;
  readonly maxMajor: string;
  readonly starts: LicenseType['starts'];
  readonly downloadsWhenExpired: boolean;
}

const empty: Terms = {
  name: '',
  kind: 'subscription',
  unlimited: false,
  seats: '1',
  days: undefined,
  features: '',
  leaseMinutes: '',
  newDevices: '',
  selfService: false,
  updatesDays: '',
  maxMajor: '',
  starts: 'creation',
  downloadsWhenExpired: false,
};

const textOf = (value: number | null): string => (value === null ? '' : String(value));

const termsOf = (type: LicenseType): Terms => ({
  name: type.name,
  kind: type.kind,
  unlimited: type.max_seats === 0,
  seats: type.max_seats === 0 ? '' : String(type.max_seats),
  days: type.duration_days === null ? undefined : String(type.duration_days),
  features: type.features.join(' '),
  leaseMinutes: textOf(type.lease_minutes),
  newDevices: type.new_devices_per_week === 0 ? '' : String(type.new_devices_per_week),
  selfService: type.self_service,
  updatesDays: textOf(type.updates_days),
  maxMajor: textOf(type.max_major),
  starts: type.starts,
  downloadsWhenExpired: type.downloads_when_expired,
});

const daysOf = ({ days, kind }: Terms): string => days ?? String(usualDays[kind]);

const isComplete = (terms: Terms): boolean =>
  terms.name.trim() !== '' &&
  (terms.unlimited || (numberIn(terms.seats) ?? 0) >= 1) &&
  (!kinds[terms.kind].timed || (numberIn(daysOf(terms)) ?? 0) >= 1);

/** The fields that creating and changing a type have in common. Fields that do not apply to the kind are left out. */
const requestOf = (terms: Terms) => ({
  name: terms.name.trim(),
  max_seats: terms.unlimited ? 0 : (numberIn(terms.seats) ?? 0),
  features: featuresIn(terms.features),
  new_devices_per_week: numberIn(terms.newDevices) ?? 0,
  updates_days: numberIn(terms.updatesDays) ?? null,
  max_major: numberIn(terms.maxMajor) ?? null,
  ...(kinds[terms.kind].timed && {
    duration_days: numberIn(daysOf(terms)) ?? 0,
    starts: terms.starts,
    downloads_when_expired: terms.downloadsWhenExpired,
  }),
  ...(terms.kind === 'floating' && { lease_minutes: numberIn(terms.leaseMinutes) ?? null }),
  ...(terms.kind === 'trial' && { self_service: terms.selfService }),
});

function Fields({
  terms,
  onChange,
  error,
  fixedKind = false,
}: {
  terms: Terms;
  onChange: (change: Partial<Terms>) => void;
  error: Error | null;
  fixedKind?: boolean;
}) {
  const { timed } = kinds[terms.kind];
  return (
    <>
      <TextInput
        label={t('Name')}
        placeholder={t('Pro, yearly')}
        value={terms.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={wrongWith(error, 'name')}
        maxLength={200}
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
      />
      {!fixedKind && (
        <fieldset>
          <legend className={classes['legend']}>{t('Kind')}</legend>
          <div className={classes['kinds']}>
            {(Object.keys(kinds) as Kind[]).map((option) => (
              <label key={option} className={classes['kind']}>
                <input
                  type="radio"
                  name="kind"
                  value={option}
                  checked={terms.kind === option}
                  onChange={() => onChange({ kind: option })}
                />
                <span>
                  <strong>{kinds[option].label}</strong>
                  <span>{kinds[option].words}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {timed && (
        <div className={classes['pair']}>
          <NumberField
            label={t('Duration (days)')}
            value={daysOf(terms)}
            onChange={(days) => onChange({ days })}
            error={wrongWith(error, 'duration_days')}
          />
          <NativeSelect
            label={t('The term starts')}
            value={terms.starts}
            onChange={(event) => onChange({ starts: event.currentTarget.value === 'activation' ? 'activation' : 'creation' })}
            data={[
              { value: 'creation', label: t('when the license is issued') },
              { value: 'activation', label: t('with the first activation') },
            ]}
            error={wrongWith(error, 'starts')}
          />
        </div>
      )}
      <div className={classes['seats']}>
        <NumberField
          label={t('Seats')}
          description={t('Maximum number of devices at the same time.')}
          value={terms.unlimited ? '' : terms.seats}
          placeholder={terms.unlimited ? t('Unlimited') : ''}
          onChange={(seats) => onChange({ seats })}
          error={wrongWith(error, 'max_seats')}
          disabled={terms.unlimited}
        />
        <Check label={t('Unlimited')} checked={terms.unlimited} onChange={(unlimited) => onChange({ unlimited })} />
      </div>
      {terms.kind === 'floating' && (
        <NumberField
          label={t('Lease (minutes, optional)')}
          description={t(
            'If a device does not renew its seat for this number of minutes (5 to 43,200), another device can take the seat. If empty, a device keeps its seat until the seat is freed.',
          )}
          value={terms.leaseMinutes}
          onChange={(leaseMinutes) => onChange({ leaseMinutes })}
          error={wrongWith(error, 'lease_minutes')}
        />
      )}
      <fieldset>
        <legend className={classes['legend']}>{t('Updates')}</legend>
        <div className={classes['pair']}>
          <NumberField
            label={t('Days of updates (optional)')}
            value={terms.updatesDays}
            onChange={(updatesDays) => onChange({ updatesDays })}
            error={wrongWith(error, 'updates_days')}
          />
          <NumberField
            label={t('Up to major version (optional)')}
            value={terms.maxMajor}
            onChange={(maxMajor) => onChange({ maxMajor })}
            error={wrongWith(error, 'max_major')}
          />
        </div>
        <p className={classes['note']}>
          {t(
            'A license covers a release if at least one of the two limits allows the release. If both fields are empty, the license covers every release. While the license is valid, devices may run every release that it covers.',
          )}
        </p>
      </fieldset>
      {timed && (
        <Check
          label={t('Expired licenses keep their downloads')}
          note={t('They can still download what was released before their expiry.')}
          checked={terms.downloadsWhenExpired}
          onChange={(downloadsWhenExpired) => onChange({ downloadsWhenExpired })}
        />
      )}
      <FeaturesField value={terms.features} onChange={(features) => onChange({ features })} error={wrongWith(error, 'features')} />
      <NumberField
        label={t('New devices allowed per license in 7 days (optional)')}
        description={t('Counts devices that the license was not bound to before. If empty, there is no limit.')}
        value={terms.newDevices}
        onChange={(newDevices) => onChange({ newDevices })}
        error={wrongWith(error, 'new_devices_per_week')}
      />
      {terms.kind === 'trial' && (
        <Check
          label={t('Apps can start this trial without a key')}
          note={t('Each device gets one trial. A product can have only one license type with this setting.')}
          checked={terms.selfService}
          onChange={(selfService) => onChange({ selfService })}
        />
      )}
    </>
  );
}

const FIELDS = [
  'name',
  'duration_days',
  'starts',
  'max_seats',
  'features',
  'lease_minutes',
  'new_devices_per_week',
  'updates_days',
  'max_major',
];

function New({ productId, onClose }: { productId: number; onClose: () => void }) {
  const [terms, setTerms] = useState(empty);
  const create = useChange('createLicenseType', {
    stale: [['types', productId]],
    done: (type) => t('Created the license type {name}', { name: type.name }),
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => create.mutate({ params: { id: productId }, body: { kind: terms.kind, ...requestOf(terms) } })}
      onCancel={onClose}
      submit={t('Create license type')}
      busy={create.isPending}
      error={create.error}
      fields={FIELDS}
      disabled={!isComplete(terms)}
    >
      <Fields terms={terms} onChange={(change) => setTerms({ ...terms, ...change })} error={create.error} />
    </DialogForm>
  );
}

function Edit({ type, onClose }: { type: LicenseType; onClose: () => void }) {
  const [terms, setTerms] = useState(() => termsOf(type));
  const [archived, setArchived] = useState(type.archived);
  const update = useChange('updateLicenseType', {
    stale: [['types', type.product_id]],
    done: ({ name }) => t('Changed the license type {name}', { name }),
    onSuccess: onClose,
  });
  const changes = changedFields({ ...requestOf(termsOf(type)), archived: type.archived }, { ...requestOf(terms), archived });
  return (
    <DialogForm
      onSubmit={() => update.mutate({ params: { id: type.id }, body: changes })}
      onCancel={onClose}
      submit={t('Save changes')}
      busy={update.isPending}
      error={update.error}
      fields={FIELDS}
      disabled={!isComplete(terms) || Object.keys(changes).length === 0}
    >
      <p>
        {kinds[type.kind].label}.{' '}
        {t('The terms apply to licenses that are issued from now on. Existing licenses keep the terms that they were issued with.')}
      </p>
      <Fields terms={terms} onChange={(change) => setTerms({ ...terms, ...change })} error={update.error} fixedKind />
      <Check
        label={t('Archived')}
        note={t('This type can no longer be chosen for new licenses.')}
        checked={archived}
        onChange={setArchived}
      />
    </DialogForm>
  );
}

export const NewType = ({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) => (
  <Dialog title={t('New license type')} opened={opened} onClose={onClose} size="lg">
    <New productId={productId} onClose={onClose} />
  </Dialog>
);

export const EditType = ({ type, onClose }: { type: LicenseType | undefined; onClose: () => void }) => (
  <Dialog title={t('Edit this license type')} opened={type !== undefined} onClose={onClose} size="lg">
    {type && <Edit type={type} onClose={onClose} />}
  </Dialog>
);
