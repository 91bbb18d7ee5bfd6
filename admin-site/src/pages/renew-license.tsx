import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DAY_MS } from '../../../lambdas/domain/time';
import type { License } from '../api';
import { date, duration, expiry, moment } from '../format';
import { licenseKeys, useChange } from '../queries';
import { Dialog, DialogForm } from '../ui/dialog';
import { NumberField } from '../ui/number-field';
import { wrongWith } from '../ui/wrong-field';

type By = 'type' | 'days' | 'date';

/** The new expiry after a number of days, counted from now or from the current expiry, whichever is later. */
function after(license: License, days: number): string {
  const from = Math.max(Date.now(), license.expires_at === null ? 0 : Date.parse(license.expires_at));
  const until = from + days * DAY_MS;
  return Number.isNaN(until) || Math.abs(until) > 8e15 ? '' : date(new Date(until).toISOString());
}

function Form({ license, onClose }: { license: License; onClose: () => void }) {
  const { duration_days: usual } = license.license_type;
  const [by, setBy] = useState<By>(usual === null ? 'days' : 'type');
  const [days, setDays] = useState('30');
  const [until, setUntil] = useState('');
  const renew = useChange('renewLicense', {
    stale: licenseKeys(license),
    done: ({ expires_at: at }) => (at === null ? 'Renewed the license' : `Renewed until ${moment(at)}`),
    onSuccess: onClose,
  });
  const added = by === 'type' ? (usual ?? 0) : Number(days);
  const onSubmit = (): void =>
    renew.mutate({
      params: { id: license.id },
      body: by === 'type' ? {} : by === 'days' ? { days: Number(days) } : { expires_at: new Date(until).toISOString() },
    });
  return (
    <DialogForm
      onSubmit={onSubmit}
      onCancel={onClose}
      submit="Renew"
      busy={renew.isPending}
      error={renew.error}
      fields={['days', 'expires_at']}
      disabled={by === 'date' ? until === '' : added < 1}
    >
      <p>
        {expiry(license).words}
        {license.expires_at !== null && `, on ${date(license.expires_at)}`}.
        {license.status === 'expired' && ' Renewing makes it active again.'}
        {license.expires_at === null && ' Renewing gives it an expiry.'}
      </p>
      <NativeSelect
        label="Renew"
        value={by}
        onChange={(event) => setBy(event.currentTarget.value as By)}
        data={[
          ...(usual === null ? [] : [{ value: 'type', label: `for ${duration(usual)}, as its type says` }]),
          { value: 'days', label: 'for a number of days' },
          { value: 'date', label: 'until a date' },
        ]}
        data-autofocus
      />
      {by === 'days' && <NumberField label="Days" value={days} onValue={setDays} error={wrongWith(renew.error, 'days')} />}
      {by === 'date' && (
        <TextInput
          label="Until"
          type="datetime-local"
          description="In your time zone."
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
          error={wrongWith(renew.error, 'expires_at')}
        />
      )}
      {by !== 'date' && added >= 1 && (
        <p role="status">
          New expiry: <strong>{after(license, added)}</strong>
        </p>
      )}
    </DialogForm>
  );
}

export const RenewLicense = ({ license, opened, onClose }: { license: License; opened: boolean; onClose: () => void }) => (
  <Dialog title="Renew this license" opened={opened} onClose={onClose}>
    <Form license={license} onClose={onClose} />
  </Dialog>
);
