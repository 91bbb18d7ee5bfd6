import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { PaymentConnection } from '../api';
import { useConnectionChange } from '../queries/payments';
import type { RequestOf } from '../routes';
import { t } from '../texts';
import { Check } from '../ui/check';
import { NumberField, numberIn } from '../ui/number-field';
import { Panel, Row } from '../ui/page';
import { Refilled, type Fill } from '../ui/refilled';
import { Problem } from '../ui/states';
import { wrongWith } from '../ui/wrong-field';
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
function EffectField<E extends Effect>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: E;
  options: readonly E[];
  onChange: (value: E) => void;
}) {
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => onChange(options.find((option) => option === event.currentTarget.value) ?? value)}
      data={options.map((option) => ({ value: option, label: words[option] }))}
    />
  );
}

/** A field that chooses the mode of the processor. */
export function ModeField({ mode, onChange }: { mode: Mode; onChange: (mode: Mode) => void }) {
  return (
    <NativeSelect
      label={t('Mode')}
      description={t(
        'Licenses of a test connection are marked as test licenses. A live connection ignores notifications of the processor’s test mode.',
      )}
      value={mode}
      onChange={(event) => onChange(event.currentTarget.value === 'test' ? 'test' : 'live')}
      data={[
        { value: 'live', label: t('Live') },
        { value: 'test', label: t('Test or sandbox') },
      ]}
    />
  );
}

function Form({ filled: connection, onEdited, onSaved }: Fill<PaymentConnection>) {
  const [name, setName] = useState(connection.name);
  const [mode, setMode] = useState(connection.mode);
  const [grace, setGrace] = useState(String(connection.grace_days));
  const [failed, setFailed] = useState(connection.on_payment_failed);
  const [dispute, setDispute] = useState(connection.on_dispute);
  const [partial, setPartial] = useState(connection.on_partial_refund);
  const [enabled, setEnabled] = useState(connection.enabled);
  const save = useConnectionChange(connection, t('Saved the settings'), { onSuccess: onSaved });
  const days = numberIn(grace);
  const changes = changedFields<RequestOf<'updatePaymentConnection'>['body']>(connection, {
    name: name.trim(),
    mode,
    grace_days: days,
    on_payment_failed: failed,
    on_dispute: dispute,
    on_partial_refund: partial,
    enabled,
  });
  const isChanged = days === undefined || Object.keys(changes).length > 0;
  const isComplete = days !== undefined && isChanged;
  useEffect(() => onEdited(isChanged), [isChanged, onEdited]);
  return (
    <Panel title={t('Settings')}>
      <form
        className={classes['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && !save.isPending) save.mutate({ params: { id: connection.id }, body: changes });
        }}
      >
        <div className={classes['fields']}>
          <TextInput
            label={t('Name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={wrongWith(save.error, 'name')}
            maxLength={200}
            autoComplete="off"
          />
          <ModeField mode={mode} onChange={setMode} />
          <NumberField
            label={t('Grace period (days)')}
            description={t('Days from the end of the paid period to the expiry.')}
            value={grace}
            onChange={setGrace}
            error={wrongWith(save.error, 'grace_days')}
          />
          <EffectField label={t('Failed payment')} value={failed} options={['nothing', 'suspend']} onChange={setFailed} />
          <EffectField label={t('Opened dispute')} value={dispute} options={['nothing', 'suspend', 'revoke']} onChange={setDispute} />
          <EffectField label={t('Partial refund')} value={partial} options={['nothing', 'revoke']} onChange={setPartial} />
        </div>
        <Check
          label={t('Enabled')}
          note={t('A disabled connection refuses every notification and is hidden from the list. Connections can’t be deleted.')}
          checked={enabled}
          onChange={setEnabled}
        />
        {save.error && !wrongWith(save.error, 'name') && !wrongWith(save.error, 'grace_days') && <Problem error={save.error} />}
        <Row>
          <Button type="submit" variant="default" loading={save.isPending} disabled={!isComplete}>
            {t('Save the settings')}
          </Button>
        </Row>
      </form>
    </Panel>
  );
}

/** The stored values that the form edits. */
const valuesOf = (one: PaymentConnection): string =>
  JSON.stringify([one.name, one.mode, one.grace_days, one.on_payment_failed, one.on_dispute, one.on_partial_refund, one.enabled]);

/** How a connection handles payment problems, and whether it is enabled. */
export function ConnectionSettings({ connection }: { connection: PaymentConnection }) {
  return (
    <Refilled stored={connection} valuesOf={valuesOf}>
      {(fill) => <Form {...fill} />}
    </Refilled>
  );
}
