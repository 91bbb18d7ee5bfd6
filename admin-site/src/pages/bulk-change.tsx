import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { call, type License } from '../api';
import { useTypes } from '../queries/products';
import { plural, t } from '../texts';
import type { Batch } from '../ui/batch';
import { DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import { NumberField, numberIn } from '../ui/number-field';
import { Loaded } from '../ui/states';
import { useFields } from '../ui/use-fields';

/** Forms for several licenses: change their seats, features or type, or mail their keys. */

/** The result of an action on one license. */
export interface Done {
  /** The result in words. */
  readonly words: string;
  /** The fields of the license that the action may have changed, with their new values. */
  readonly changes?: Partial<License>;
}

export interface FormProps {
  readonly licenses: readonly License[];
  readonly batch: Batch<License, Done>;
  /** Sets the function that performs the action on one license. The form calls `onRun` before it starts the batch. */
  readonly onRun: (run: (license: License) => Promise<Done>) => void;
  readonly onClose: () => void;
}

/**
 * Reads a license again and computes the new value from it, because somebody may have changed the license since it was selected. For each
 * license, the value is computed only once, so that a repeated request sets the same value again.
 */
function fromPresent<Value>(valueOf: (license: License) => Value): (id: number) => Promise<Value> {
  const values = new Map<number, Value>();
  return async (id) => {
    const value = values.has(id) ? (values.get(id) as Value) : valueOf(await call('getLicense', { params: { id } }));
    values.set(id, value);
    return value;
  };
}

/** Starts a change of the selected licenses. Revoked licenses are left out, because they can't be changed. */
function ChangeForm({
  licenses,
  batch,
  submit,
  isReady,
  onStart,
  onClose,
  children,
}: Pick<FormProps, 'licenses' | 'batch' | 'onClose'> & {
  submit: (count: number) => string;
  isReady: boolean;
  onStart: (licenses: readonly License[]) => void;
  children: ReactNode;
}) {
  const changeable = licenses.filter(({ status }) => status !== 'revoked');
  const left = licenses.length - changeable.length;
  return (
    <DialogForm
      onSubmit={() => onStart(changeable)}
      onCancel={onClose}
      submit={submit(changeable.length)}
      change={batch}
      disabled={!isReady || changeable.length === 0}
    >
      {children}
      {left > 0 && <p>{plural(left, '{count} revoked license is left out.', '{count} revoked licenses are left out.')}</p>}
    </DialogForm>
  );
}

export function SeatsForm({ licenses, onRun, batch, onClose }: FormProps) {
  const { values, field } = useFields<{ by: 'more' | 'total'; max_seats: string }>({ by: 'more', max_seats: '' }, batch);
  const { by } = values;
  const count = numberIn(values.max_seats);
  const start = (items: readonly License[]): void => {
    // A license with unlimited seats (0) stays unlimited.
    const more = fromPresent(({ seats: { max } }) => (max === 0 ? 0 : max + (count ?? 0)));
    onRun(async ({ id }) => {
      const wanted = by === 'total' ? (count ?? 0) : await more(id);
      const changes = await call('updateLicense', { params: { id }, body: { max_seats: wanted } });
      const { max } = changes.seats;
      return { words: max === 0 ? t('unlimited seats') : plural(max, '{count} seat', '{count} seats'), changes };
    });
    batch.start(items);
  };
  return (
    <ChangeForm
      licenses={licenses}
      batch={batch}
      submit={(count) => plural(count, 'Change the seats of {count} license', 'Change the seats of {count} licenses')}
      isReady={count !== undefined && (by === 'total' || count > 0)}
      onStart={start}
      onClose={onClose}
    >
      <NativeSelect
        label={t('Change')}
        {...field('by')}
        data={[
          { value: 'more', label: t('more seats for each') },
          { value: 'total', label: t('the same number of seats for each') },
        ]}
        data-autofocus
      />
      <NumberField
        label={t('Seats')}
        description={by === 'total' ? t('0 means unlimited.') : t('Added to the seats of each license.')}
        {...field('max_seats')}
      />
    </ChangeForm>
  );
}

export function FeaturesForm({ licenses, onRun, batch, onClose }: FormProps) {
  const { values, field } = useFields<{ by: 'add' | 'remove' | 'type'; features: string }>({ by: 'add', features: '' }, batch);
  const { by } = values;
  const names = featuresIn(values.features);
  const start = (items: readonly License[]): void => {
    const others = fromPresent(({ features }) =>
      by === 'add' ? [...new Set([...features, ...names])].sort() : features.filter((feature) => !names.includes(feature)),
    );
    onRun(async ({ id }) => {
      const wanted = by === 'type' ? null : await others(id);
      const changes = await call('updateLicense', { params: { id }, body: { features: wanted } });
      return { words: changes.features.length === 0 ? t('no features') : changes.features.join(' '), changes };
    });
    batch.start(items);
  };
  return (
    <ChangeForm
      licenses={licenses}
      batch={batch}
      submit={(count) => plural(count, 'Change the features of {count} license', 'Change the features of {count} licenses')}
      isReady={by === 'type' || names.length > 0}
      onStart={start}
      onClose={onClose}
    >
      <NativeSelect
        label={t('Change')}
        {...field('by')}
        data={[
          { value: 'add', label: t('add features') },
          { value: 'remove', label: t('remove features') },
          { value: 'type', label: t('use the features of its type') },
        ]}
        data-autofocus
      />
      {by !== 'type' && <FeaturesField label={t('Features')} {...field('features')} />}
    </ChangeForm>
  );
}

export function TypeForm({ productId, licenses, onRun, batch, onClose }: FormProps & { productId: number }) {
  const types = useTypes(productId);
  const { values, field } = useFields({ license_type_id: '' }, batch);
  const chosen = values.license_type_id;
  const start = (items: readonly License[]): void => {
    onRun(async ({ id }) => {
      const changes = await call('updateLicense', { params: { id }, body: { license_type_id: Number(chosen) } });
      return { words: changes.license_type.name, changes };
    });
    batch.start(items);
  };
  return (
    <Loaded query={types} lines={2}>
      {(rows) => (
        <ChangeForm
          licenses={licenses}
          batch={batch}
          submit={(count) => plural(count, 'Change the type of {count} license', 'Change the type of {count} licenses')}
          isReady={chosen !== ''}
          onStart={start}
          onClose={onClose}
        >
          <NativeSelect
            label={t('New license type')}
            {...field('license_type_id')}
            data={[
              { value: '', label: t('Choose a type') },
              ...rows.filter(({ archived }) => !archived).map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            data-autofocus
          />
          <p>{t('The terms of the new type apply at once. The expiry and the end of updates do not change.')}</p>
        </ChangeForm>
      )}
    </Loaded>
  );
}

export function MailForm({ licenses, onRun, batch, onClose }: FormProps) {
  const withBuyer = licenses.filter(({ customer_email: email }) => email !== null);
  const start = (): void => {
    onRun(async ({ id }) => {
      const { url } = await call('mailLicense', { params: { id } });
      return { words: t('mailed to {address}', { address: url?.replace(/^mailto:/, '') ?? t('the buyer') }) };
    });
    batch.start(withBuyer);
  };
  return (
    <DialogForm
      onSubmit={start}
      onCancel={onClose}
      submit={plural(withBuyer.length, 'Mail {count} key', 'Mail {count} keys')}
      change={batch}
      disabled={withBuyer.length === 0}
    >
      <p>{t('Each buyer gets a separate mail for each license.')}</p>
      {withBuyer.length < licenses.length && (
        <p>
          {plural(
            licenses.length - withBuyer.length,
            '{count} license without a buyer’s address is left out.',
            '{count} licenses without a buyer’s address are left out.',
          )}
        </p>
      )}
    </DialogForm>
  );
}
