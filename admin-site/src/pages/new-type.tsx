import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { LicenseType } from '../api';
import { useChange } from '../queries';
import { Check } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { NumberField, numberIn } from '../ui/number-field';
import { wrongWith } from '../ui/wrong-field';
import { kinds } from './kinds';
import classes from './new-type.module.css';

type Kind = LicenseType['kind'];

/** Days that a kind usually lasts, to start from. */
const usualDays: Readonly<Record<Kind, number>> = { lifetime: 365, floating: 365, subscription: 365, trial: 14 };

function Form({ productId, onClose }: { productId: number; onClose: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('subscription');
  const [unlimited, setUnlimited] = useState(false);
  const [seats, setSeats] = useState('1');
  const [days, setDays] = useState<string>();
  const create = useChange('createLicenseType', {
    stale: [['types', productId]],
    done: (type) => `Created the license type ${type.name}`,
    onSuccess: onClose,
  });
  const { timed } = kinds[kind];
  const shownDays = days ?? String(usualDays[kind]);
  const complete = name.trim() !== '' && (unlimited || (numberIn(seats) ?? 0) >= 1) && (!timed || (numberIn(shownDays) ?? 0) >= 1);
  const onSubmit = (): void =>
    create.mutate({
      params: { id: productId },
      body: { name, kind, max_seats: unlimited ? 0 : Number(seats), ...(timed && { duration_days: Number(shownDays) }) },
    });
  return (
    <DialogForm onSubmit={onSubmit} onCancel={onClose} submit="Create license type" busy={create.isPending} error={create.error} fields={['name', 'duration_days', 'max_seats']} disabled={!complete}>
      <TextInput label="Name" placeholder="Pro, yearly" value={name} onChange={(event) => setName(event.currentTarget.value)} error={wrongWith(create.error, 'name')} maxLength={200} data-autofocus required withAsterisk={false} autoComplete="off" />
      <fieldset>
        <legend className={classes['legend']}>Kind</legend>
        <div className={classes['kinds']}>
          {(Object.keys(kinds) as Kind[]).map((option) => (
            <label key={option} className={classes['kind']}>
              <input type="radio" name="kind" value={option} checked={kind === option} onChange={() => setKind(option)} />
              <span>
                <strong>{kinds[option].label}</strong>
                <span>{kinds[option].words}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {timed && (
        <NumberField label="Lasts, in days" description="From the day a license is issued." value={shownDays} onValue={setDays} error={wrongWith(create.error, 'duration_days')} />
      )}
      <div className={classes['seats']}>
        <NumberField
          label="Seats"
          description="Machines that a license runs on at the same time."
          value={unlimited ? '' : seats}
          placeholder={unlimited ? 'Unlimited' : ''}
          onValue={setSeats}
          error={wrongWith(create.error, 'max_seats')}
          disabled={unlimited}
        />
        <Check label="Unlimited" checked={unlimited} onChange={setUnlimited} />
      </div>
    </DialogForm>
  );
}

export const NewType = ({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) => (
  <Dialog title="New license type" opened={opened} onClose={onClose}>
    <Form productId={productId} onClose={onClose} />
  </Dialog>
);
