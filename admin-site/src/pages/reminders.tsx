import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useDeferredValue, useState } from 'react';
import type { ReminderPlaceholder } from '../../../lambdas/contract/placeholders';
import type { ReminderEvent } from '../../../lambdas/contract/reminders';
import { plural } from '../format';
import { useChange, useMailPreview, useMailSettings } from '../queries';
import type { ResponseOf } from '../routes';
import { Dialog, DialogForm } from '../ui/dialog';
import { EditIcon, PlusIcon, TrashIcon } from '../ui/icons';
import { NumberField, numberIn } from '../ui/number-field';
import { Panel, Row } from '../ui/page';
import { Loaded, Problem } from '../ui/states';
import { wrongWith } from '../ui/wrong-field';
import { describePlaceholders, keyMailPlaceholders } from './mail-settings';
import classes from './payments.module.css';

type Settings = ResponseOf<'getMailSettings'>;
type Reminder = Settings['reminders'][number];

const labels: Readonly<Record<ReminderEvent, string>> = {
  expiring: 'Before the license expires',
  expired: 'After the license has expired',
  updates_expiring: 'Before the updates end',
};

const events = Object.keys(labels) as readonly ReminderEvent[];

const placeholders: Readonly<Record<ReminderPlaceholder, string>> = {
  ...keyMailPlaceholders,
  renew_url: 'the renewal page, or nothing if there is none',
  days: 'the number of days',
};

/** Maximum number of reminders of one product. */
const MAX_REMINDERS = 10;

const summary = ({ event, days }: Reminder): string => {
  const time = event === 'expired' ? 'after the expiry' : event === 'expiring' ? 'before the expiry' : 'before the end of updates';
  return days === 0 ? (event === 'updates_expiring' ? 'at the end of updates' : 'at the expiry') : `${plural(days, 'day')} ${time}`;
};

/** The reminder as its reader would see it, with made-up data. */
function Preview({ productId, reminder, renewUrl }: { productId: number; reminder: Reminder; renewUrl: string }) {
  const { event, days, subject, text } = reminder;
  const given = {
    event,
    days,
    ...(subject !== '' && { subject }),
    ...(text !== '' && { text }),
    ...(renewUrl !== '' && { renew_url: renewUrl }),
  };
  const preview = useMailPreview(productId, useDeferredValue(JSON.stringify(given)));
  return (
    <section aria-label="Preview" className={classes['preview']}>
      {preview.error && <Problem error={preview.error} />}
      {preview.data && (
        <>
          <p>
            <strong>{preview.data.subject}</strong>
          </p>
          <pre>{preview.data.text}</pre>
        </>
      )}
    </section>
  );
}

function Form({ productId, settings, onClose }: { productId: number; settings: Settings; onClose: () => void }) {
  const [reminders, setReminders] = useState<readonly Reminder[]>(settings.reminders);
  const [renewUrl, setRenewUrl] = useState(settings.renew_url ?? '');
  const save = useChange('setMailSettings', {
    stale: [['mail-settings', productId]],
    done: ({ reminders: { length } }) => (length === 0 ? 'No reminders are sent' : `Saved ${plural(length, 'reminder')}`),
    onSuccess: onClose,
  });
  const change = (index: number, fields: Partial<Reminder>): void =>
    setReminders(reminders.map((one, place) => (place === index ? { ...one, ...fields } : one)));
  const orDefault = (text: string): string | null => (text.trim() === '' ? null : text);
  return (
    <DialogForm
      onSubmit={() =>
        save.mutate({
          params: { id: productId },
          body: {
            renew_url: orDefault(renewUrl),
            reminders: reminders.map((one) => ({ ...one, subject: orDefault(one.subject), text: orDefault(one.text) })),
          },
        })
      }
      onCancel={onClose}
      submit="Save"
      busy={save.isPending}
      error={save.error}
      fields={['renew_url']}
    >
      <TextInput
        label="Renewal page (optional)"
        description="{{key}}, {{order}} and {{license_id}} are filled in."
        placeholder="https://example.com/renew?license={{key}}"
        value={renewUrl}
        onChange={(event) => setRenewUrl(event.currentTarget.value)}
        error={wrongWith(save.error, 'renew_url')}
        autoComplete="off"
        spellCheck={false}
      />
      {reminders.map((reminder, index) => (
        <div key={index} role="group" aria-label={`Reminder ${index + 1}`} className={classes['form']}>
          <div className={classes['fields']}>
            <NativeSelect
              label="When"
              value={reminder.event}
              onChange={(event) => change(index, { event: events.find((one) => one === event.currentTarget.value) ?? 'expiring' })}
              data={events.map((event) => ({ value: event, label: labels[event] }))}
            />
            <NumberField label="Days" value={String(reminder.days)} onValue={(days) => change(index, { days: numberIn(days) ?? 0 })} />
            <Button
              variant="default"
              leftSection={<TrashIcon size={16} />}
              onClick={() => setReminders(reminders.filter((_, place) => place !== index))}
            >
              Remove reminder {index + 1}
            </Button>
          </div>
          <TextInput
            label="Subject"
            description="Empty: the default, in the language of the mail."
            value={reminder.subject}
            onChange={(event) => change(index, { subject: event.currentTarget.value })}
            maxLength={200}
            autoComplete="off"
          />
          <Textarea
            className={classes['text'] ?? ''}
            label="Text"
            description={`Empty: the default. ${describePlaceholders(placeholders)}`}
            rows={8}
            value={reminder.text}
            onChange={(event) => change(index, { text: event.currentTarget.value })}
          />
          <Preview productId={productId} reminder={reminder} renewUrl={renewUrl.trim()} />
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
          Add a reminder
        </Button>
      </Row>
    </DialogForm>
  );
}

/** When buyers are reminded of the end of their licenses. */
export function Reminders({ productId }: { productId: number }) {
  const query = useMailSettings(productId);
  const [editing, setEditing] = useState(false);
  return (
    <Panel
      title="Reminders"
      action={
        <Button variant="default" size="xs" leftSection={<EditIcon size={15} />} onClick={() => setEditing(true)} disabled={!query.data}>
          Edit the reminders
        </Button>
      }
    >
      <Loaded query={query} lines={1}>
        {(settings) => (
          <>
            <p>
              {settings.reminders.length === 0
                ? 'Nobody is reminded of the end of a license.'
                : `Buyers get a mail ${settings.reminders.map(summary).join(', ')}.`}
            </p>
            <Dialog title="Edit the reminders" opened={editing} onClose={() => setEditing(false)} size="lg">
              <Form productId={productId} settings={settings} onClose={() => setEditing(false)} />
            </Dialog>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
