import { NativeSelect, TextInput } from '@mantine/core';
import { useEffect } from 'react';
import type { PaymentConnection } from '../api';
import { useConnectionChange } from '../queries/payments';
import type { RequestOf } from '../routes';
import { t } from '../texts';
import { Check } from '../ui/check';
import { NumberField, numberIn } from '../ui/number-field';
import { Panel } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { Refilled, type Fill } from '../ui/refilled';
import { useFields, type Field } from '../ui/use-fields';
import { changedFields } from './changed-fields';
import classes from './payments.module.css';

type Mode = PaymentConnection['mode'];
type Effect = PaymentConnection['on_dispute'];
const words: Readonly<Record<Effect, string>> = {
  nothing: t('Nothing'),
  suspend: t('Suspend the license'),
  revoke: t('Revoke the license'),
};

/** A field that chooses the effect of a payment problem on the license. */
const EffectField = <E extends Effect>({ options, ...field }: { label: string; options: readonly E[] } & Field<E>) => (
  <NativeSelect {...field} data={options.map((option) => ({ value: option, label: words[option] }))} />
);

/** A field that chooses the mode of the processor. */
export const ModeField = (field: Field<Mode>) => (
  <NativeSelect
    {...field}
    label={t('Mode')}
    description={t(
      'Licenses of a test connection are marked as test licenses. A live connection ignores notifications of the processor’s test mode.',
    )}
    data={[
      { value: 'live', label: t('Live') },
      { value: 'test', label: t('Test or sandbox') },
    ]}
  />
);

const valuesOf = (connection: PaymentConnection) => ({
  name: connection.name,
  mode: connection.mode,
  grace_days: String(connection.grace_days),
  on_payment_failed: connection.on_payment_failed,
  on_dispute: connection.on_dispute,
  on_partial_refund: connection.on_partial_refund,
  enabled: connection.enabled,
});

const bodyOf = (values: ReturnType<typeof valuesOf>): RequestOf<'updatePaymentConnection'>['body'] => ({
  ...values,
  name: values.name.trim(),
  grace_days: numberIn(values.grace_days),
});

function Form({ filled: connection, onEdited, onSaved }: Fill<PaymentConnection>) {
  const save = useConnectionChange(connection, t('Saved the settings'), { onSuccess: onSaved });
  const { values, field, check } = useFields(valuesOf(connection), save);
  const changes = changedFields(bodyOf(valuesOf(connection)), bodyOf(values));
  const isChanged = Object.keys(changes).length > 0;
  useEffect(() => onEdited(isChanged), [isChanged, onEdited]);
  return (
    <Panel title={t('Settings')}>
      <PageForm
        onSubmit={() => save.mutate({ params: { id: connection.id }, body: changes })}
        submit={t('Save the settings')}
        change={save}
        disabled={!isChanged || values.grace_days === ''}
      >
        <div className={classes['fields']}>
          <TextInput label={t('Name')} {...field('name')} maxLength={200} autoComplete="off" />
          <ModeField {...field('mode')} />
          <NumberField
            label={t('Grace period (days)')}
            description={t('Days from the end of the paid period to the expiry.')}
            {...field('grace_days')}
          />
          <EffectField label={t('Failed payment')} {...field('on_payment_failed')} options={['nothing', 'suspend']} />
          <EffectField label={t('Opened dispute')} {...field('on_dispute')} options={['nothing', 'suspend', 'revoke']} />
          <EffectField label={t('Partial refund')} {...field('on_partial_refund')} options={['nothing', 'revoke']} />
        </div>
        <Check
          label={t('Enabled')}
          note={t('A disabled connection refuses every notification and is hidden from the list. Connections can’t be deleted.')}
          {...check('enabled')}
        />
      </PageForm>
    </Panel>
  );
}

/** How a connection handles payment and whether it is enabled. */
export function ConnectionSettings({ connection }: { connection: PaymentConnection }) {
  return (
    <Refilled stored={connection} valuesOf={(one) => JSON.stringify(valuesOf(one))}>
      {(fill) => <Form {...fill} />}
    </Refilled>
  );
}
