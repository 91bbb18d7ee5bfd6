import { TextInput } from '@mantine/core';
import type { Product } from '../api';
import { useChange } from '../queries/change';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { useFields } from '../ui/use-fields';

function Form({ product, onClose }: { product: Product; onClose: () => void }) {
  const rename = useChange('updateProduct', {
    stale: [['product', product.id], ['products']],
    done: ({ name: given }) => t('Renamed the product to {name}', { name: given }),
    onSuccess: onClose,
  });
  const { values, field } = useFields({ name: product.name }, rename);
  const name = values.name.trim();
  return (
    <DialogForm
      onSubmit={() => rename.mutate({ params: { id: product.id }, body: { name } })}
      onCancel={onClose}
      submit={t('Rename')}
      change={rename}
      disabled={name === '' || name === product.name}
    >
      <TextInput
        label={t('Name')}
        description={t('Only you and your colleagues see it. The slug does not change.')}
        {...field('name')}
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
