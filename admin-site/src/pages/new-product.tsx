import { TextInput } from '@mantine/core';
import { useChange } from '../queries/change';
import { go, href } from '../router';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { useFields } from '../ui/use-fields';

/** `Aurora Notes 2` → `aurora-notes-2`. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 64);

function Form({ onClose }: { onClose: () => void }) {
  const create = useChange('createProduct', {
    stale: [['products']],
    unseen: ({ name: created }) => t('Created the product {name}', { name: created }),
    onSuccess: ({ id }) => {
      onClose();
      go(href(`/products/${id}/integration`, { new: '1' }));
    },
  });
  // The slug follows the name until the operator edits the slug.
  const empty: { name: string; slug: string | undefined } = { name: '', slug: undefined };
  const { values, field } = useFields(empty, create);
  const { name, slug = slugOf(name) } = values;
  return (
    <DialogForm
      onSubmit={() => create.mutate({ body: { name, slug } })}
      onCancel={onClose}
      submit={t('Create product')}
      change={create}
      disabled={name.trim() === '' || slug === ''}
    >
      <TextInput
        label={t('Name')}
        description={t('Only you and your colleagues see it.')}
        {...field('name')}
        maxLength={200}
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
      />
      <TextInput
        label={t('Slug')}
        description={t('Identifies the product in tokens and webhooks. The slug can’t be changed later.')}
        {...field('slug')}
        value={slug}
        maxLength={64}
        required
        withAsterisk={false}
        autoComplete="off"
        spellCheck={false}
      />
    </DialogForm>
  );
}

export const NewProduct = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Dialog title={t('New product')} opened={opened} onClose={onClose}>
    <Form onClose={onClose} />
  </Dialog>
);
