import { Button } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api';
import type { ResponseOf } from '../routes';
import { expectUnchanged, useChange } from '../queries/change';
import { t } from '../texts';
import { Act } from '../ui/act';
import { Check, Wrong } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { FilterIcon } from '../ui/icons';
import { useFields } from '../ui/use-fields';
import { eventWords } from './license-history';
import classes from './webhook-setup.module.css';

type Webhook = ResponseOf<'getWebhook'>;
type EventName = NonNullable<Webhook['events']>[number];

/** The events that can be switched off. The test event is not among them, because it is always sent. */
const names = (Object.keys(eventWords) as EventName[]).filter((name) => name !== 'webhook.test');

function Form({ productId, webhook: present, onClose }: { productId: number; webhook: Webhook; onClose: () => void }) {
  const [webhook] = useState(present);
  const save = useChange('setWebhook', {
    stale: [['webhook', productId]],
    done: () => t('Saved the selection of events'),
    onSuccess: onClose,
    // The request replaces the URL too. If somebody else has changed the URL, the request must not be sent.
    before: async () => {
      const { url, events } = await call('getWebhook', { params: { id: productId } });
      expectUnchanged([webhook.url, webhook.events], [url, events]);
    },
  });
  const { field } = useFields<{ events: readonly EventName[] }>({ events: webhook.events ?? names }, save);
  const { value: chosen, onChange: setChosen, error } = field('events');
  const all = names.every((name) => chosen.includes(name));
  return (
    <DialogForm
      // If all events are chosen, null is stored. Then events that a later version of the service adds are sent too.
      onSubmit={() => save.mutate({ params: { id: productId }, body: { url: webhook.url, events: all ? null : [...chosen] } })}
      onCancel={onClose}
      submit={t('Save')}
      change={save}
      aside={
        <Button variant="subtle" onClick={() => setChosen(all ? [] : names)}>
          {all ? t('None') : t('All')}
        </Button>
      }
    >
      <p>{t('Events that are not selected are not posted. The log shows them as skipped, and you can send them later.')}</p>
      <div className={classes['events']}>
        {names.map((name) => (
          <Check
            key={name}
            label={<code>{name}</code>}
            note={eventWords[name]}
            checked={chosen.includes(name)}
            onChange={(is) => setChosen(is ? [...chosen, name] : chosen.filter((other) => other !== name))}
          />
        ))}
        <Wrong>{error}</Wrong>
      </div>
    </DialogForm>
  );
}

/** Shows the events that are sent to the webhook, with a dialog to choose them. */
export function WebhookEvents({ productId, webhook }: { productId: number; webhook: Webhook }) {
  const [opened, setOpened] = useState(false);
  return (
    <div>
      <h3>{t('Events')}</h3>
      <p className={classes['dim']}>
        {webhook.events === null
          ? t('All events are sent.')
          : webhook.events.length === 0
            ? t('Only the test event is sent.')
            : t('Only these events are sent: {events}.', { events: webhook.events.join(', ') })}
      </p>
      <Act call="setWebhook" size="xs" Icon={FilterIcon} onClick={() => setOpened(true)}>
        {t('Choose events')}
      </Act>
      <Dialog title={t('Choose events')} opened={opened} onClose={() => setOpened(false)} size="lg">
        <Form productId={productId} webhook={webhook} onClose={() => setOpened(false)} />
      </Dialog>
    </div>
  );
}
