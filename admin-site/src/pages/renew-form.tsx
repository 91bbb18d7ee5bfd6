import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DAY_MS } from '../../../lambdas/domain/time';
import { date, duration, localTime } from '../format';
import { t } from '../texts';
import { DialogForm } from '../ui/dialog';
import type { Sending } from '../ui/form';
import { NumberField } from '../ui/number-field';
import { useFields } from '../ui/use-fields';
import { latestEnd, mostDays, startOf } from './renewal-limit';

/** The new term: the duration of the license type, a number of days, or a term until a given time. */
export type Renewal =
  | { readonly by: 'type' }
  | { readonly by: 'days'; readonly days: number }
  | { readonly by: 'date'; readonly until: string };

/** The values of the form; the new end has the name of its field in the request. */
type Values = { by: Renewal['by'] | 'year'; days: string; expires_at: string; until: string };

/** The same time one calendar year later. A year after 29 February is 28 February. */
function yearAfter(end: string | null): string {
  const until = new Date(startOf(end));
  const month = until.getUTCMonth();
  until.setUTCFullYear(until.getUTCFullYear() + 1);
  if (until.getUTCMonth() !== month) until.setUTCDate(0);
  return until.toISOString();
}

/** Adds days to the start of a renewal. Returns an empty text if the result is not a valid date. */
function after(end: string | null, days: number): string {
  const from = startOf(end);
  const until = from + days * DAY_MS;
  return Number.isNaN(until) || Math.abs(until) > 8e15 ? '' : date(new Date(until).toISOString());
}

/** A form that moves the expiry or the end of updates to a later time, with a preview of the new time. */
export function RenewForm({
  end,
  usual,
  onlyDate = false,
  limit = null,
  preview,
  dateField,
  change,
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
  /** The new end may be at most this number of days from now; null: the token has no such limit. */
  limit?: number | null;
  /** The label of the preview. The preview shows the license's new expiry, or the new end of its updates. */
  preview: string;
  /** The API's name of the request field that contains the new expiry, or the new end of updates. */
  dateField: 'expires_at' | 'until';
  change: Sending;
  onRenew: (renewal: Renewal) => void;
  onCancel: () => void;
  children: ReactNode;
}) {
  const most = mostDays(end, limit);
  const latest = latestEnd(limit);
  const byType =
    usual === null || usual > most ? [] : [{ value: 'type', label: t('for {duration}, as its type says', { duration: duration(usual) }) }];
  const { values, field } = useFields<Values>(
    { by: onlyDate ? 'date' : byType.length === 0 ? 'days' : 'type', days: String(Math.min(30, most)), expires_at: '', until: '' },
    change,
  );
  const { by, days } = values;
  const until = values[dateField];
  const added = by === 'type' ? (usual ?? 0) : Number(days);
  const onSubmit = (): void => {
    if (by === 'type') onRenew({ by });
    else if (by === 'days') onRenew({ by, days: Number(days) });
    else onRenew({ by: 'date', until: by === 'year' ? yearAfter(end) : new Date(until).toISOString() });
  };
  return (
    <DialogForm
      onSubmit={onSubmit}
      onCancel={onCancel}
      submit={t('Renew')}
      change={change}
      disabled={by === 'date' ? until === '' || Date.parse(until) > latest : by !== 'year' && (added < 1 || added > most)}
    >
      <p>{children}</p>
      {limit !== null && <p>{t('This token may renew until {date}.', { date: after(null, limit) })}</p>}
      {!onlyDate && (
        <NativeSelect
          label={t('Renew')}
          {...field('by')}
          data={[
            ...byType,
            ...(Date.parse(yearAfter(end)) > latest ? [] : [{ value: 'year', label: t('for one calendar year') }]),
            { value: 'days', label: t('for a number of days') },
            { value: 'date', label: t('until a date') },
          ]}
          data-autofocus
        />
      )}
      {by === 'days' && <NumberField label={t('Days')} {...field('days')} />}
      {by === 'date' && (
        <TextInput
          label={t('Until')}
          type="datetime-local"
          {...(limit !== null && { max: localTime(new Date(latest).toISOString()) })}
          description={t('In your time zone.')}
          {...field(dateField)}
        />
      )}
      {by !== 'date' && (by === 'year' || (added >= 1 && added <= most)) && (
        <p role="status">
          {preview}: <strong>{by === 'year' ? date(yearAfter(end)) : after(end, added)}</strong>
        </p>
      )}
    </DialogForm>
  );
}
