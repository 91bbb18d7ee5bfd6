import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { DAY_MS } from '../../../lambdas/domain/time';
import type { AdminToken } from '../api';
import { useChange } from '../queries/change';
import { useAllProducts } from '../queries/products';
import { t } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { Dialog, DialogActions, DialogForm, useShownOnce } from '../ui/dialog';
import { Code, Row, Stack } from '../ui/page';
import { useFields } from '../ui/use-fields';

type Scope = AdminToken['scopes'][number];

/** A description of each scope, from the narrowest to the widest. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  read: t('See everything except secrets'),
  support: t('Also free seats, mail and reissue keys, write notes, and renew by days'),
  licenses: t('Also change licenses and license types'),
  releases: t('Publish releases; see products, but not their secrets'),
  manage: t('Everything except tokens and the audit log'),
  admin: t('Everything'),
};

/** Days that a token is valid; 0 means forever. */
const lifetimes = [
  { value: '30', label: t('In 30 days') },
  { value: '90', label: t('In 90 days') },
  { value: '365', label: t('In 365 days') },
  { value: '0', label: t('Never') },
];

function Created({ token, onClose }: { token: string; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  useShownOnce(isCopied);
  return (
    <Stack>
      <p>
        {t('Copy the token now and give it to its user.')} <strong>{t('It will not be shown again.')}</strong>
      </p>
      <Code label={t('Admin token')}>{token}</Code>
      <Row>
        <CopyButton text={token} what={t('admin token')} labelled onCopied={() => setCopied(true)} />
      </Row>
      <DialogActions>
        <Button onClick={onClose}>{t('I have copied it')}</Button>
      </DialogActions>
    </Stack>
  );
}

const empty = {
  name: '',
  scope: 'read' as Scope,
  /** Empty: all products. */
  product_id: '',
  /** The number of days until the expiry. */
  expires_at: '90',
  renewal_days: '30',
};

function Form({ onClose }: { onClose: () => void }) {
  const products = useAllProducts();
  const create = useChange('createToken', {
    stale: [['tokens']],
    unseen: ({ name: created }) => t('Created the admin token {name}', { name: created }),
  });
  const { values, field } = useFields(empty, create);
  const { name, scope, product_id: product, expires_at: days, renewal_days: renewalDays } = values;
  if (create.data) return <Created token={create.data.token} onClose={onClose} />;
  const onSubmit = (): void =>
    create.mutate({
      body: {
        name: name.trim(),
        scopes: [scope],
        ...(scope === 'support' && { renewal_days: Number(renewalDays) }),
        ...(product !== '' && { product_id: Number(product) }),
        ...(days !== '0' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      },
    });
  return (
    <DialogForm onSubmit={onSubmit} onCancel={onClose} submit={t('Create token')} change={create} disabled={name.trim() === ''}>
      <TextInput
        label={t('Name')}
        description={t('The person or script that uses the token. The audit log shows this name.')}
        placeholder={t('Support desk, nightly export')}
        {...field('name')}
        maxLength={200}
        data-autofocus
        required
        withAsterisk={false}
        autoComplete="off"
      />
      <NativeSelect
        label={t('Scope')}
        {...field('scope')}
        data={Object.entries(scopeWords).map(([value, words]) => ({ value, label: `${value}: ${words}` }))}
      />
      {scope === 'support' && (
        <NativeSelect
          label={t('Renews licenses for')}
          description={t('A renewal with this token can’t set a later date.')}
          {...field('renewal_days')}
          data={['7', '14', '30', '90', '365'].map((value) => ({ value, label: t('up to {days} days from now', { days: value }) }))}
        />
      )}
      <NativeSelect
        label={t('Product')}
        description={product === '' ? undefined : t('The token can’t see other products.')}
        {...field('product_id')}
        data={[{ value: '', label: t('All products') }, ...products.map(({ id, name: title }) => ({ value: String(id), label: title }))]}
      />
      <NativeSelect label={t('Expires')} {...field('expires_at')} data={lifetimes} />
    </DialogForm>
  );
}

export const NewToken = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Dialog title={t('New admin token')} opened={opened} onClose={onClose}>
    <Form onClose={onClose} />
  </Dialog>
);
