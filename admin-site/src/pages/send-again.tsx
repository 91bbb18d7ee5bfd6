import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../queries/change';
import { numbersOfProducts } from '../queries/overview';
import { plural, t } from '../texts';
import { Act } from '../ui/act';
import { Dialog, DialogForm } from '../ui/dialog';
import { RefreshIcon } from '../ui/icons';
import { useFields } from '../ui/use-fields';

const empty = { status: 'failed' as 'failed' | 'skipped', since: '', until: '' };

function Form({ productId, onClose }: { productId: number; onClose: () => void }) {
  const send = useChange('redeliverMany', {
    stale: [['deliveries', productId], ['failures', productId], ['overview', productId], ...numbersOfProducts],
    done: ({ count }) => plural(count, '{count} event is sent again', '{count} events are sent again'),
    onSuccess: onClose,
  });
  const { values, field } = useFields(empty, send);
  const { status, since, until } = values;
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
    <DialogForm onSubmit={onSubmit} onCancel={onClose} submit={t('Send them again')} change={send}>
      <p>{t('Sends all events of the period with this status again, oldest first, with the same id and body. At most 10,000 at once.')}</p>
      <NativeSelect
        label={t('Status')}
        {...field('status')}
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
        {...field('since')}
      />
      <TextInput label={t('Until (optional)')} type="datetime-local" {...field('until')} />
    </DialogForm>
  );
}

/** Sends many events again, for example after an outage of the receiver. */
export function SendAgain({ productId }: { productId: number }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Act call="redeliverMany" size="xs" Icon={RefreshIcon} onClick={() => setOpened(true)}>
        {t('Send many again')}
      </Act>
      <Dialog title={t('Send many events again')} opened={opened} onClose={() => setOpened(false)}>
        <Form productId={productId} onClose={() => setOpened(false)} />
      </Dialog>
    </>
  );
}
