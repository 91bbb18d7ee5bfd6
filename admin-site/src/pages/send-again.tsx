import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { May } from '../permission';
import { useChange } from '../queries/change';
import { numbersOfProducts } from '../queries/overview';
import { plural, t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { RefreshIcon } from '../ui/icons';
import { wrongWith } from '../ui/wrong-field';

function Form({ productId, onClose }: { productId: number; onClose: () => void }) {
  const [status, setStatus] = useState<'failed' | 'skipped'>('failed');
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const send = useChange('redeliverMany', {
    stale: [['deliveries', productId], ['failures', productId], ['overview', productId], ...numbersOfProducts],
    done: ({ count }) => plural(count, '{count} event is sent again', '{count} events are sent again'),
    onSuccess: onClose,
  });
  const onSubmit = (): void =>
    send.mutate({
      params: { id: productId },
      body: {
        status,
        ...(since !== '' && { since: new Date(since).toISOString() }),
        ...(until !== '' && { until: new Date(until).toISOString() }),
      },
    });
  return (
    <DialogForm
      onSubmit={onSubmit}
      onCancel={onClose}
      submit={t('Send them again')}
      busy={send.isPending}
      error={send.error}
      fields={['since', 'until']}
    >
      <p>{t('Sends all events of the period with this status again, oldest first, with the same id and body. At most 10,000 at once.')}</p>
      <NativeSelect
        label={t('Status')}
        value={status}
        onChange={(event) => setStatus(event.currentTarget.value === 'skipped' ? 'skipped' : 'failed')}
        data={[
          { value: 'failed', label: t('Failed') },
          { value: 'skipped', label: t('Skipped') },
        ]}
        data-autofocus
      />
      <TextInput
        label={t('From (optional)')}
        type="datetime-local"
        description={t('In your time zone. If empty, the last 30 days.')}
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
        error={wrongWith(send.error, 'since')}
      />
      <TextInput
        label={t('Until (optional)')}
        type="datetime-local"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
        error={wrongWith(send.error, 'until')}
      />
    </DialogForm>
  );
}

/** Sends many events again, for example after an outage of the receiver. */
export function SendAgain({ productId }: { productId: number }) {
  const [opened, setOpened] = useState(false);
  return (
    <May call="redeliverMany">
      <Button size="xs" variant="default" leftSection={<RefreshIcon size={15} />} onClick={() => setOpened(true)}>
        {t('Send many again')}
      </Button>
      <Dialog title={t('Send many events again')} opened={opened} onClose={() => setOpened(false)}>
        <Form productId={productId} onClose={() => setOpened(false)} />
      </Dialog>
    </May>
  );
}
