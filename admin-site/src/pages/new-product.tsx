import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useChange } from '../queries/change';
import { go, href } from '../router';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { wrongWith } from '../ui/wrong-field';

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
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const create = useChange('createProduct', {
    stale: [['products']],
    unseen: ({ name: created }) => t('Created the product {name}', { name: created }),
    onSuccess: ({ id }) => {
      onClose();
      go(href(`/products/${id}/integration`, { new: '1' }));
    },
  });
  const shownSlug = slug ?? slugOf(name);
  const onSubmit = (): void => create.mutate({ body: { name, slug: shownSlug } });
  return (
    <DialogForm
      onSubmit={onSubmit}
      onCancel={onClose}
      submit={t('Create product')}
      busy={create.isPending}
      error={create.error}
      fields={['name', 'slug']}
      disabled={name.trim() === '' || shownSlug === ''}
    >
      <TextInput
        label={t('Name')}
        description={t('Only you and your colleagues see it.')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={wrongWith(create.error, 'name')}
        maxLength={200}
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
      />
      <TextInput
        label={t('Slug')}
        description={t("Identifies the product in tokens and webhooks. The slug can't be changed later.")}
        value={shownSlug}
        onChange={(event) => setSlug(event.currentTarget.value)}
        error={wrongWith(create.error, 'slug')}
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
