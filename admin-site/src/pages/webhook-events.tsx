import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ResponseOf } from '../routes';
import { May } from '../permission';
import { useChange } from '../queries';
import { Check } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { FilterIcon } from '../ui/icons';
import { eventWords } from './license-history';
import classes from './webhook-setup.module.css';

type Webhook = ResponseOf<'getWebhook'>;
type EventName = NonNullable<Webhook['events']>[number];

/** Events that can be left out: the test event is always sent. */
const names = (Object.keys(eventWords) as EventName[]).filter((name) => name !== 'webhook.test');

function Form({ productId, webhook, onClose }: { productId: number; webhook: Webhook; onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly EventName[]>(webhook.events ?? names);
  const save = useChange('setWebhook', { stale: [['webhook', productId]], done: () => 'Saved which events are sent', onSuccess: onClose });
  const all = names.every((name) => chosen.includes(name));
  return (
    <DialogForm
      // All of them means that events of later versions are sent too.
      onSubmit={() => save.mutate({ params: { id: productId }, body: { url: webhook.url, events: all ? null : [...chosen] } })}
      onCancel={onClose}
      submit="Save"
      busy={save.isPending}
      error={save.error}
      aside={
        <Button variant="subtle" onClick={() => setChosen(all ? [] : names)}>
          {all ? 'None' : 'All'}
        </Button>
      }
    >
      <p>What is left out is not posted. It is still in the log, as skipped, and can be sent later.</p>
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
      </div>
    </DialogForm>
  );
}

/** Which events the webhook is sent, and a way to choose them. */
export function WebhookEvents({ productId, webhook }: { productId: number; webhook: Webhook }) {
  const [opened, setOpened] = useState(false);
  return (
    <div>
      <h3>Events</h3>
      <p className={classes['dim']}>
        {webhook.events === null
          ? 'All events are sent.'
          : webhook.events.length === 0
            ? 'No event is sent but the test event.'
            : `Only these are sent: ${webhook.events.join(', ')}.`}
      </p>
      <May call="setWebhook">
        <Button size="xs" variant="default" leftSection={<FilterIcon size={15} />} onClick={() => setOpened(true)}>
          Choose events
        </Button>
      </May>
      <Dialog title="Which events are sent" opened={opened} onClose={() => setOpened(false)} size="lg">
        <Form productId={productId} webhook={webhook} onClose={() => setOpened(false)} />
      </Dialog>
    </div>
  );
}
