import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ReminderPlaceholder } from '../../../lambdas/contract/placeholders';
import type { ReminderEvent } from '../../../lambdas/contract/events';
import { call } from '../api';
import { expectUnchanged, useChange } from '../queries/change';
import type { ResponseOf } from '../routes';
import { plural, t } from '../texts';
import { DialogForm } from '../ui/dialog';
import { PlusIcon, TrashIcon } from '../ui/icons';
import { NumberField, numberIn } from '../ui/number-field';
import { Row } from '../ui/page';
import { useFields } from '../ui/use-fields';
import { wrongWith } from '../ui/wrong-field';
import { changedFields } from './changed-fields';
import { MailPanel } from './mail-panel';
import { MailPreview } from './mail-preview';
import { describePlaceholders, keyMailPlaceholders } from './mail-settings';
import classes from './payments.module.css';

type Settings = ResponseOf<'getMailSettings'>;
type Reminder = Settings['reminders'][number];

const labels: Readonly<Record<ReminderEvent, string>> = {
  expiring: t('Before the license expires'),
  expired: t('After the license has expired'),
  updates_expiring: t('Before the updates end'),
};

const events = Object.keys(labels) as readonly ReminderEvent[];

const placeholders: Readonly<Record<ReminderPlaceholder, string>> = {
  ...keyMailPlaceholders,
  renew_url: t('the renewal page, or nothing if there is none'),
  days: t('the number of days'),
};

/** Maximum number of reminders of one product. */
const MAX_REMINDERS = 10;

const summary = ({ event, days }: Reminder): string => {
  if (days === 0) return event === 'updates_expiring' ? t('at the end of updates') : t('at the expiry');
  if (event === 'expired') return plural(days, '{count} day after the expiry', '{count} days after the expiry');
  if (event === 'expiring') return plural(days, '{count} day before the expiry', '{count} days before the expiry');
  return plural(days, '{count} day before the end of updates', '{count} days before the end of updates');
};

function Form({ productId, settings: present, onClose }: { productId: number; settings: Settings; onClose: () => void }) {
  const [settings] = useState(present);
  const save = useChange('setMailSettings', {
    stale: [['mail-settings', productId]],
    done: ({ reminders: { length } }) =>
      length === 0 ? t('No reminders are sent') : plural(length, 'Saved {count} reminder', 'Saved {count} reminders'),
    onSuccess: onClose,
    before: async ({ body }) => {
      if (body.reminders) expectUnchanged(settings.reminders, (await call('getMailSettings', { params: { id: productId } })).reminders);
    },
  });
  const before = { renew_url: settings.renew_url ?? '', reminders: settings.reminders };
  const { values, field, change: set } = useFields(before, save);
  const { reminders } = values;
  const setReminders = (next: readonly Reminder[]): void => set({ reminders: [...next] });
  const change = (index: number, fields: Partial<Reminder>): void =>
    setReminders(reminders.map((one, place) => (place === index ? { ...one, ...fields } : one)));
  /** What the service refused about a value of a reminder. */
  const wrong = (index: number, name: keyof Reminder): string | undefined => wrongWith(save.error, `reminders[${index}].${name}`);
  const orDefault = (text: string): string | null => (text.trim() === '' ? null : text);
  const bodyOf = (given: typeof values) => ({
    renew_url: orDefault(given.renew_url),
    reminders: given.reminders.map((one) => ({ ...one, subject: orDefault(one.subject), text: orDefault(one.text) })),
  });
  return (
    <DialogForm
      onSubmit={() => save.mutate({ params: { id: productId }, body: changedFields(bodyOf(before), bodyOf(values)) })}
      onCancel={onClose}
      submit={t('Save')}
      change={save}
    >
      <TextInput
        label={t('Renewal page (optional)')}
        description={t('{placeholders} are filled in.', { placeholders: '{{key}}, {{order}}, {{license_id}}' })}
        placeholder="https://example.com/renew?license={{key}}"
        {...field('renew_url')}
        autoComplete="off"
        spellCheck={false}
      />
      {reminders.map((reminder, index) => (
        <div key={index} role="group" aria-label={t('Reminder {number}', { number: String(index + 1) })} className={classes['form']}>
          <div className={classes['fields']}>
            <NativeSelect
              label={t('When')}
              value={reminder.event}
              error={wrong(index, 'event')}
              onChange={(event) => change(index, { event: events.find((one) => one === event.currentTarget.value) ?? 'expiring' })}
              data={events.map((event) => ({ value: event, label: labels[event] }))}
            />
            <NumberField
              label={t('Days')}
              value={String(reminder.days)}
              error={wrong(index, 'days')}
              onChange={(days) => change(index, { days: numberIn(days) ?? 0 })}
            />
            <Button
              variant="default"
              leftSection={<TrashIcon size={16} />}
              onClick={() => setReminders(reminders.filter((_, place) => place !== index))}
            >
              {t('Remove reminder {number}', { number: String(index + 1) })}
            </Button>
          </div>
          <TextInput
            label={t('Subject')}
            description={t('If empty, the default subject is used, in the language of the mail.')}
            value={reminder.subject}
            error={wrong(index, 'subject')}
            onChange={(event) => change(index, { subject: event.currentTarget.value })}
            maxLength={200}
            autoComplete="off"
          />
          <Textarea
            className={classes['text'] ?? ''}
            label={t('Text')}
            description={`${t('If empty, the default text is used.')} ${describePlaceholders(placeholders)}`}
            rows={8}
            value={reminder.text}
            error={wrong(index, 'text')}
            onChange={(event) => change(index, { text: event.currentTarget.value })}
          />
          <MailPreview productId={productId} mail={{ ...reminder, renew_url: values.renew_url.trim() }} />
        </div>
      ))}
      <Row>
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={15} />}
          disabled={reminders.length >= MAX_REMINDERS}
          onClick={() => setReminders([...reminders, { event: 'expiring', days: 14, subject: '', text: '' }])}
        >
          {t('Add a reminder')}
        </Button>
      </Row>
    </DialogForm>
  );
}

/** When buyers are reminded of the end of their licenses. */
export const Reminders = ({ productId }: { productId: number }) => (
  <MailPanel
    productId={productId}
    title={t('Reminders')}
    edit={t('Edit the reminders')}
    form={(settings, onClose) => <Form productId={productId} settings={settings} onClose={onClose} />}
  >
    {({ reminders }) => (
      <p>
        {reminders.length === 0
          ? t('Nobody is reminded of the end of a license.')
          : t('Buyers get a mail {times}.', { times: reminders.map(summary).join(', ') })}
      </p>
    )}
  </MailPanel>
);
