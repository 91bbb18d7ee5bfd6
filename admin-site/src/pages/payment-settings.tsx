import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { PaymentConnection } from '../api';
import { useConnectionChange } from '../queries';
import { Check } from '../ui/check';
import { NumberField, numberIn } from '../ui/number-field';
import { Panel, Row } from '../ui/page';
import { Problem } from '../ui/states';
import { wrongWith } from '../ui/wrong-field';
import classes from './payments.module.css';

type Effect = PaymentConnection['on_dispute'];
const words: Readonly<Record<Effect, string>> = { nothing: 'Nothing', suspend: 'Suspend the license', revoke: 'Revoke the license' };

/** A choice of what happens to a license. */
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

/** What a connection does about trouble, and whether it is on. */
export function ConnectionSettings({ connection }: { connection: PaymentConnection }) {
  const [name, setName] = useState(connection.name);
  const [grace, setGrace] = useState(String(connection.grace_days));
  const [failed, setFailed] = useState(connection.on_payment_failed);
  const [dispute, setDispute] = useState(connection.on_dispute);
  const [partial, setPartial] = useState(connection.on_partial_refund);
  const [enabled, setEnabled] = useState(connection.enabled);
  const save = useConnectionChange(connection, 'Saved the settings');
  const days = numberIn(grace);
  return (
    <Panel title="Settings">
      <form
        className={classes['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (days === undefined || save.isPending) return;
          save.mutate({
            params: { id: connection.id },
            body: {
              name: name.trim(),
              grace_days: days,
              on_payment_failed: failed,
              on_dispute: dispute,
              on_partial_refund: partial,
              enabled,
            },
          });
        }}
      >
        <div className={classes['fields']}>
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={wrongWith(save.error, 'name')}
            maxLength={200}
            autoComplete="off"
          />
          <NumberField
            label="Days of grace"
            description="From the end of what is paid to the expiry."
            value={grace}
            onValue={setGrace}
            error={wrongWith(save.error, 'grace_days')}
          />
          <EffectField label="A payment fails" value={failed} options={['nothing', 'suspend']} onChange={setFailed} />
          <EffectField label="A dispute is opened" value={dispute} options={['nothing', 'suspend', 'revoke']} onChange={setDispute} />
          <EffectField label="A part is refunded" value={partial} options={['nothing', 'revoke']} onChange={setPartial} />
        </div>
        <Check
          label="Enabled"
          note="A connection that is not enabled refuses every notification. Connections are never deleted."
          checked={enabled}
          onChange={setEnabled}
        />
        {save.error && !wrongWith(save.error, 'name') && !wrongWith(save.error, 'grace_days') && <Problem error={save.error} />}
        <Row>
          <Button type="submit" variant="default" loading={save.isPending} disabled={days === undefined}>
            Save the settings
          </Button>
        </Row>
      </form>
    </Panel>
  );
}
