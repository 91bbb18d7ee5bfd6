import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Processor } from '../../../lambdas/contract/processors';
import { useChange } from '../queries/change';
import { useTypes } from '../queries/products';
import { go, href } from '../router';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { wrongWith } from '../ui/wrong-field';
import { ModeField } from './payment-settings';
import { guides, processors } from './processors';

function Form({ productId, onClose }: { productId: number; onClose: () => void }) {
  const [processor, setProcessor] = useState<Processor>('stripe');
  const [mode, setMode] = useState<'live' | 'test'>('live');
  const [name, setName] = useState('');
  const types = useTypes(productId);
  const create = useChange('createPaymentConnection', {
    stale: [['connections', productId]],
    done: (connection) => t('Created the connection {name}', { name: connection.name }),
    onSuccess: ({ id }) => {
      onClose();
      go(href(`/products/${productId}/payments/${id}`));
    },
  });
  const none = types.data?.every(({ archived }) => archived) ?? false;
  return (
    <DialogForm
      onSubmit={() =>
        create.mutate({ params: { id: productId }, body: { processor, mode, ...(name.trim() !== '' && { name: name.trim() }) } })
      }
      onCancel={onClose}
      submit={t('Connect')}
      busy={create.isPending}
      error={create.error}
      fields={['name']}
      disabled={none}
    >
      {none && (
        <p>
          {t('This product has no license type yet.')} <a href={href(`/products/${productId}/types`)}>{t('Add a license type first')}</a>
        </p>
      )}
      <NativeSelect
        label={t('Processor')}
        value={processor}
        onChange={(event) => setProcessor(processors.find((one) => one === event.currentTarget.value) ?? 'stripe')}
        data={processors.map((one) => ({ value: one, label: guides[one].name }))}
        data-autofocus
      />
      <ModeField mode={mode} onChange={setMode} />
      <TextInput
        label={t('Name (optional)')}
        description={t('Distinguishes several accounts.')}
        placeholder={guides[processor].name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={wrongWith(create.error, 'name')}
        maxLength={200}
        autoComplete="off"
      />
    </DialogForm>
  );
}

/** Creates a connection; its page then shows the remaining steps. */
export const ConnectProcessor = ({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) => (
  <Dialog title={t('Connect a processor')} opened={opened} onClose={onClose}>
    <Form productId={productId} onClose={onClose} />
  </Dialog>
);
