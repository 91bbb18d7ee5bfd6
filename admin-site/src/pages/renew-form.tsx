import { NativeSelect, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { DAY_MS } from '../../../lambdas/domain/time';
import { date, duration } from '../format';
import { t } from '../texts';
import { DialogForm } from '../ui/dialog';
import { NumberField } from '../ui/number-field';
import { wrongWith } from '../ui/wrong-field';

/** The new term: the duration of the license type, a number of days, or a term until a given time. */
export type Renewal =
  | { readonly by: 'type' }
  | { readonly by: 'days'; readonly days: number }
  | { readonly by: 'date'; readonly until: string };

/** Adds days to the present time or to the current end, whichever is later. Returns an empty text if the result is not a valid date. */
function after(end: string | null, days: number): string {
  const from = Math.max(Date.now(), end === null ? 0 : Date.parse(end));
  const until = from + days * DAY_MS;
  return Number.isNaN(until) || Math.abs(until) > 8e15 ? '' : date(new Date(until).toISOString());
}

/** A form that moves the expiry or the end of updates to a later time, with a preview of the new time. */
export function RenewForm({
  end,
  usual,
  onlyDate = false,
  preview,
  dateField,
  busy,
  error,
  onRenew,
  onCancel,
  children,
}: {
  /** The license's current expiry, or the current end of its updates; null if the license has none. */
  end: string | null;
  /** The number of days by which the type renews a license; null if the type sets no number, or if the license has no end to move. */
  usual: number | null;
  /** True if the operator can choose only a date: while the license's term has not started, there is no end to add days to. */
  onlyDate?: boolean;
  /** The label of the preview. The preview shows the license's new expiry, or the new end of its updates. */
  preview: string;
  /** The API's name of the request field that contains the new expiry, or the new end of updates. */
  dateField: string;
  busy: boolean;
  error: Error | null;
  onRenew: (renewal: Renewal) => void;
  onCancel: () => void;
  children: ReactNode;
}) {
  const [by, setBy] = useState<Renewal['by']>(onlyDate ? 'date' : usual === null ? 'days' : 'type');
  const [days, setDays] = useState('30');
  const [until, setUntil] = useState('');
  const added = by === 'type' ? (usual ?? 0) : Number(days);
  const onSubmit = (): void =>
    onRenew(by === 'type' ? { by } : by === 'days' ? { by, days: Number(days) } : { by, until: new Date(until).toISOString() });
  return (
    <DialogForm
      onSubmit={onSubmit}
      onCancel={onCancel}
      submit={t('Renew')}
      busy={busy}
      error={error}
      fields={['days', dateField]}
      disabled={by === 'date' ? until === '' : added < 1}
    >
      <p>{children}</p>
      {!onlyDate && (
        <NativeSelect
          label={t('Renew')}
          value={by}
          onChange={(event) => setBy(event.currentTarget.value as Renewal['by'])}
          data={[
            ...(usual === null ? [] : [{ value: 'type', label: t('for {duration}, as its type says', { duration: duration(usual) }) }]),
            { value: 'days', label: t('for a number of days') },
            { value: 'date', label: t('until a date') },
          ]}
          data-autofocus
        />
      )}
      {by === 'days' && <NumberField label={t('Days')} value={days} onChange={setDays} error={wrongWith(error, 'days')} />}
      {by === 'date' && (
        <TextInput
          label={t('Until')}
          type="datetime-local"
          description={t('In your time zone.')}
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
          error={wrongWith(error, dateField)}
        />
      )}
      {by !== 'date' && added >= 1 && (
        <p role="status">
          {preview}: <strong>{after(end, added)}</strong>
        </p>
      )}
    </DialogForm>
  );
}
