import { NativeSelect, TextInput } from '@mantine/core';
import type { Processor } from '../../../lambdas/contract/processors';
import type { PaymentConnection } from '../api';
import { useChange } from '../queries/change';
import { useTypes } from '../queries/products';
import { go, href } from '../router';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { useFields } from '../ui/use-fields';
import { ModeField } from './payment-settings';
import { guides, processors } from './processors';

const empty = { processor: 'stripe' as Processor, mode: 'live' as PaymentConnection['mode'], name: '' };

function Form({ productId, onClose }: { productId: number; onClose: () => void }) {
  const types = useTypes(productId);
  const create = useChange('createPaymentConnection', {
    stale: [['connections', productId]],
    done: (connection) => t('Created the connection {name}', { name: connection.name }),
    onSuccess: ({ id }) => {
      onClose();
      go(href(`/products/${productId}/payments/${id}`));
    },
  });
  const {
    values: { name, ...values },
    field,
  } = useFields(empty, create);
  const none = types.data?.every(({ archived }) => archived) ?? false;
  return (
    <DialogForm
      onSubmit={() => create.mutate({ params: { id: productId }, body: { ...values, ...(name.trim() !== '' && { name: name.trim() }) } })}
      onCancel={onClose}
      submit={t('Connect')}
      change={create}
      disabled={none}
    >
      {none && (
        <p>
          {t('This product has no license type yet.')} <a href={href(`/products/${productId}/types`)}>{t('Add a license type first')}</a>
        </p>
      )}
      <NativeSelect
        label={t('Processor')}
        {...field('processor')}
        data={processors.map((one) => ({ value: one, label: guides[one].name }))}
        data-autofocus
      />
      <ModeField {...field('mode')} />
      <TextInput
        label={t('Name (optional)')}
        description={t('Distinguishes several accounts.')}
        placeholder={guides[values.processor].name}
        {...field('name')}
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
