import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { prefer, usePreferences, type SavedFilter } from '../preferences';
import { go, href } from '../router';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { localChange } from '../ui/form';
import { useFields } from '../ui/use-fields';

/** Saved filters: the operator gives a name to a filter of a product's licenses. Saved filters are kept in this browser. */

type Query = SavedFilter['query'];

const isSame = (a: Query, b: Query): boolean => new URLSearchParams(a).toString() === new URLSearchParams(b).toString();

function Save({ productId, query, onClose }: { productId: number; query: Query; onClose: () => void }) {
  const { savedFilters } = usePreferences();
  const { values, field } = useFields({ name: '' }, localChange);
  const name = values.name.trim();
  const save = (): void => {
    const others = savedFilters.filter((saved) => saved.product !== productId || saved.name !== name);
    prefer({ savedFilters: [...others, { product: productId, name, query }] });
    onClose();
  };
  return (
    <DialogForm onSubmit={save} onCancel={onClose} submit={t('Save')} change={localChange} disabled={name === ''}>
      <TextInput
        label={t('Name')}
        description={t('The filter is kept in this browser, even after you sign out.')}
        {...field('name')}
        maxLength={60}
        autoComplete="off"
        data-autofocus
      />
    </DialogForm>
  );
}

/** @param query the current filter as query parameters of the page; empty if nothing is filtered */
export function SavedFilters({ productId, query }: { productId: number; query: Query }) {
  const { savedFilters } = usePreferences();
  const [saving, setSaving] = useState(false);
  const own = savedFilters.filter(({ product }) => product === productId);
  const current = own.find((saved) => isSame(saved.query, query));
  return (
    <>
      {own.length > 0 && (
        <NativeSelect
          size="xs"
          label={t('Saved filters')}
          value={current?.name ?? ''}
          onChange={({ currentTarget: { value } }) =>
            go(href(`/products/${productId}/licenses`, own.find(({ name }) => name === value)?.query))
          }
          data={[{ value: '', label: t('No saved filter') }, ...own.map(({ name }) => name)]}
        />
      )}
      {current ? (
        <Button size="xs" variant="subtle" onClick={() => prefer({ savedFilters: savedFilters.filter((saved) => saved !== current) })}>
          {t('Remove this saved filter')}
        </Button>
      ) : (
        Object.keys(query).length > 0 && (
          <Button size="xs" variant="subtle" onClick={() => setSaving(true)}>
            {t('Save this filter')}
          </Button>
        )
      )}
      <Dialog title={t('Save this filter')} opened={saving} onClose={() => setSaving(false)}>
        <Save productId={productId} query={query} onClose={() => setSaving(false)} />
      </Dialog>
    </>
  );
}
