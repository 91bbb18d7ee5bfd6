import { NativeSelect, TextInput } from '@mantine/core';
import { limitsIn, limitsText } from '../../../lambdas/contract/resources/limits-text';
import type { LicenseType } from '../api';
import { useChange } from '../queries/change';
import { t } from '../texts';
import { Check } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import { LimitsField } from '../ui/limits-field';
import { meterInputs, MetersField, metersIn } from '../ui/meters-field';
import { NumberField, numberIn } from '../ui/number-field';
import { useFields } from '../ui/use-fields';
import { changedFields } from './changed-fields';
import { kinds } from './kinds';
import classes from './type-form.module.css';

type Kind = LicenseType['kind'];
type Binding = LicenseType['binding'];

/** What takes a seat. */
const bindings: Readonly<Record<Binding, { readonly label: string; readonly words: string }>> = {
  device: { label: t('Devices'), words: t('Each device takes a seat. An app is activated with the key, or by signing in.') },
  user: { label: t('Named people'), words: t('Each member takes a seat, and activates apps by signing in. For teams.') },
};

/** The default duration of each kind, in days. */
const usualDays: Readonly<Record<Kind, number>> = { lifetime: 365, floating: 365, subscription: 365, trial: 14 };

const textOf = (value: number | null): string => (value === null ? '' : String(value));

/** The values of the form for a license type. */
const valuesOf = (type: LicenseType) => ({
  name: type.name,
  kind: type.kind,
  binding: type.binding,
  devices_per_user: textOf(type.devices_per_user),
  unlimited: type.max_seats === 0,
  max_seats: type.max_seats === 0 ? '' : String(type.max_seats),
  /** Undefined until the operator changes the field; until then the default of the kind applies. */
  duration_days: type.duration_days === null ? undefined : String(type.duration_days),
  features: type.features.join(' '),
  limits: limitsText(type.limits),
  meters: meterInputs(type.meters),
  lease_minutes: textOf(type.lease_minutes),
  new_devices_per_week: type.new_devices_per_week === 0 ? '' : String(type.new_devices_per_week),
  self_service: type.self_service,
  updates_days: textOf(type.updates_days),
  max_major: textOf(type.max_major),
  starts: type.starts,
  downloads_when_expired: type.downloads_when_expired,
  archived: type.archived,
});
type Values = ReturnType<typeof valuesOf>;

const empty: Values = {
  name: '',
  kind: 'subscription',
  binding: 'device',
  devices_per_user: '3',
  unlimited: false,
  max_seats: '1',
  duration_days: undefined,
  features: '',
  limits: '',
  meters: [],
  lease_minutes: '',
  new_devices_per_week: '',
  self_service: false,
  updates_days: '',
  max_major: '',
  starts: 'creation',
  downloads_when_expired: false,
  archived: false,
};

const daysOf = ({ duration_days: days, kind }: Values): string => days ?? String(usualDays[kind]);

const isComplete = (values: Values): boolean =>
  values.name.trim() !== '' &&
  (values.unlimited || (numberIn(values.max_seats) ?? 0) >= 1) &&
  (!kinds[values.kind].timed || (numberIn(daysOf(values)) ?? 0) >= 1) &&
  (values.binding === 'device' || numberIn(values.devices_per_user) !== undefined) &&
  limitsIn(values.limits) !== undefined &&
  metersIn(values.meters) !== undefined;

/** The fields that creating and changing a type have in common. Fields that do not apply to the kind are left out. */
const requestOf = (values: Values) => ({
  name: values.name.trim(),
  max_seats: values.unlimited ? 0 : (numberIn(values.max_seats) ?? 0),
  features: featuresIn(values.features),
  limits: limitsIn(values.limits) ?? {},
  meters: metersIn(values.meters) ?? [],
  new_devices_per_week: numberIn(values.new_devices_per_week) ?? 0,
  updates_days: numberIn(values.updates_days) ?? null,
  max_major: numberIn(values.max_major) ?? null,
  ...(kinds[values.kind].timed && {
    duration_days: numberIn(daysOf(values)) ?? 0,
    starts: values.starts,
    downloads_when_expired: values.downloads_when_expired,
  }),
  ...(values.binding === 'user' && { devices_per_user: numberIn(values.devices_per_user) ?? 0 }),
  ...(values.kind === 'floating' && values.binding === 'device' && { lease_minutes: numberIn(values.lease_minutes) ?? null }),
  ...(values.kind === 'trial' && values.binding === 'device' && { self_service: values.self_service }),
});

/** A choice between a few options, each with its description. */
function Choice<Option extends string>({
  legend,
  name,
  options,
  value,
  onChange,
}: {
  legend: string;
  name: string;
  options: Readonly<Record<Option, { readonly label: string; readonly words: string }>>;
  value: Option;
  onChange: (option: Option) => void;
}) {
  return (
    <fieldset>
      <legend className={classes['legend']}>{legend}</legend>
      <div className={classes['kinds']}>
        {(Object.keys(options) as Option[]).map((option) => (
          <label key={option} className={classes['kind']}>
            <input type="radio" name={name} value={option} checked={value === option} onChange={() => onChange(option)} />
            <span>
              <strong>{options[option].label}</strong>
              <span>{options[option].words}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Fields({
  form: { values, field, check, change, error },
  fixed = false,
}: {
  form: ReturnType<typeof useFields<Values>>;
  /** True if the kind and the binding can't be changed any more. */
  fixed?: boolean;
}) {
  const { timed } = kinds[values.kind];
  const isOfPeople = values.binding === 'user';
  return (
    <>
      <TextInput
        label={t('Name')}
        {...field('name')}
        placeholder={t('Pro, yearly')}
        maxLength={200}
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
      />
      {!fixed && (
        <>
          <Choice legend={t('Kind')} name="kind" options={kinds} value={values.kind} onChange={(kind) => change({ kind })} />
          <Choice
            legend={t('Seats belong to')}
            name="binding"
            options={bindings}
            value={values.binding}
            onChange={(binding) => change({ binding })}
          />
        </>
      )}
      {timed && (
        <div className={classes['pair']}>
          <NumberField label={t('Duration (days)')} {...field('duration_days')} value={daysOf(values)} />
          <NativeSelect
            label={t('The term starts')}
            {...field('starts')}
            data={[
              { value: 'creation', label: t('when the license is issued') },
              { value: 'activation', label: t('with the first activation') },
            ]}
          />
        </div>
      )}
      <div className={classes['seats']}>
        <NumberField
          label={t('Seats')}
          description={isOfPeople ? t('Maximum number of members.') : t('Maximum number of devices at the same time.')}
          {...field('max_seats')}
          {...(values.unlimited && { value: '', placeholder: t('Unlimited'), disabled: true })}
        />
        <Check label={t('Unlimited')} {...check('unlimited')} />
      </div>
      {isOfPeople && (
        <NumberField
          label={t('Devices per member')}
          description={t('Maximum number of devices that each member may use at the same time, 1 to 20.')}
          {...field('devices_per_user')}
        />
      )}
      {values.kind === 'floating' && !isOfPeople && (
        <NumberField
          label={t('Lease (minutes, optional)')}
          description={t(
            'If a device does not renew its seat for this number of minutes (5 to 43,200), another device can take the seat. If empty, a device keeps its seat until the seat is freed.',
          )}
          {...field('lease_minutes')}
        />
      )}
      <fieldset>
        <legend className={classes['legend']}>{t('Updates')}</legend>
        <div className={classes['pair']}>
          <NumberField label={t('Days of updates (optional)')} {...field('updates_days')} />
          <NumberField label={t('Up to major version (optional)')} {...field('max_major')} />
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
          {...check('downloads_when_expired')}
        />
      )}
      <FeaturesField {...field('features')} />
      <LimitsField {...field('limits')} />
      <MetersField {...field('meters')} refusal={error} />
      <NumberField
        label={
          isOfPeople ? t('New devices allowed per member in 7 days (optional)') : t('New devices allowed per license in 7 days (optional)')
        }
        description={t('Counts devices that the license was not bound to before. If empty, there is no limit.')}
        {...field('new_devices_per_week')}
      />
      {values.kind === 'trial' && !isOfPeople && (
        <Check
          label={t('Apps can start this trial without a key')}
          note={t('Each device gets one trial. A product can have only one license type with this setting.')}
          {...check('self_service')}
        />
      )}
    </>
  );
}

function New({ productId, onClose }: { productId: number; onClose: () => void }) {
  const create = useChange('createLicenseType', {
    stale: [['types', productId]],
    done: (type) => t('Created the license type {name}', { name: type.name }),
    onSuccess: onClose,
  });
  const form = useFields(empty, create);
  const { values } = form;
  return (
    <DialogForm
      onSubmit={() =>
        create.mutate({ params: { id: productId }, body: { kind: values.kind, binding: values.binding, ...requestOf(values) } })
      }
      onCancel={onClose}
      submit={t('Create license type')}
      change={create}
      disabled={!isComplete(values)}
    >
      <Fields form={form} />
    </DialogForm>
  );
}

function Edit({ type, onClose }: { type: LicenseType; onClose: () => void }) {
  const update = useChange('updateLicenseType', {
    stale: [['types', type.product_id]],
    done: ({ name }) => t('Changed the license type {name}', { name }),
    onSuccess: onClose,
  });
  const form = useFields(valuesOf(type), update);
  const { values, check } = form;
  const changes = changedFields(
    { ...requestOf(valuesOf(type)), archived: type.archived },
    { ...requestOf(values), archived: values.archived },
  );
  return (
    <DialogForm
      onSubmit={() => update.mutate({ params: { id: type.id }, body: changes })}
      onCancel={onClose}
      submit={t('Save changes')}
      change={update}
      disabled={!isComplete(values) || Object.keys(changes).length === 0}
    >
      <p>
        {kinds[type.kind].label}. {type.binding === 'user' && `${t('For named people')}. `}
        {t('The terms apply to licenses that are issued from now on. Existing licenses keep the terms that they were issued with.')}
      </p>
      <Fields form={form} fixed />
      <Check label={t('Archived')} note={t('This type can no longer be chosen for new licenses.')} {...check('archived')} />
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
