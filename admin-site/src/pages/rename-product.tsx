import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Product } from '../api';
import { useChange } from '../queries/change';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { wrongWith } from '../ui/wrong-field';

function Form({ product, onClose }: { product: Product; onClose: () => void }) {
  const [name, setName] = useState(product.name);
  const rename = useChange('updateProduct', {
    stale: [['product', product.id], ['products']],
    done: ({ name: given }) => t('Renamed the product to {name}', { name: given }),
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => rename.mutate({ params: { id: product.id }, body: { name: name.trim() } })}
      onCancel={onClose}
      submit={t('Rename')}
      busy={rename.isPending}
      error={rename.error}
      fields={['name']}
      disabled={name.trim() === '' || name.trim() === product.name}
    >
      <TextInput
        label={t('Name')}
        description={t('Only you and your colleagues see it. The slug does not change.')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={wrongWith(rename.error, 'name')}
        maxLength={200}
        autoComplete="off"
        data-autofocus
      />
    </DialogForm>
  );
}

export const RenameProduct = ({ product, opened, onClose }: { product: Product; opened: boolean; onClose: () => void }) => (
  <Dialog title={t('Rename this product')} opened={opened} onClose={onClose}>
    <Form product={product} onClose={onClose} />
  </Dialog>
);
