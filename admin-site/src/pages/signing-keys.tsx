import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ResponseOf } from '../routes';
import { May } from '../permission';
import { useChange } from '../queries/change';
import { useSigningKeys } from '../queries/products';
import { t } from '../texts';
import { Act } from '../ui/act';
import { Confirm } from '../ui/confirm';
import { CopyButton } from '../ui/copy-button';
import { PlusIcon } from '../ui/icons';
import { Panel } from '../ui/page';
import { Loaded, Problem } from '../ui/states';
import { Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';

type SigningKey = ResponseOf<'listSigningKeys'>[number];

const states: Readonly<Record<SigningKey['status'], string>> = {
  current: t('Current: signs tokens'),
  next: t('Next: published, not used yet'),
  previous: t('Previous: its tokens are still accepted'),
};

/** The keys that sign offline tokens. A new key is published first and activated later. */
export function SigningKeys({ productId }: { productId: number }) {
  const query = useSigningKeys(productId);
  const [chosen, setChosen] = useState<{ readonly action: 'activate' | 'delete'; readonly kid: string }>();
  const create = useChange('createSigningKey', { stale: [['signing-keys', productId]], done: () => t('Published the next signing key') });
  const close = (): void => setChosen(undefined);
  return (
    <Panel
      title={t('Signing keys')}
      note={t(
        'These keys sign offline tokens. To rotate them: create the next key, wait until clients know it, activate it, and delete the previous key when its tokens have expired.',
      )}
      action={
        <Act
          call="createSigningKey"
          size="xs"
          Icon={PlusIcon}
          loading={create.isPending}
          disabled={query.data?.some(({ status }) => status === 'next') ?? true}
          onClick={() => create.mutate({ params: { id: productId } })}
        >
          {t('Create the next key')}
        </Act>
      }
    >
      {create.error && <Problem error={create.error} />}
      <Loaded query={query} lines={2}>
        {(keys) => (
          <Table
            label={t('Signing keys')}
            items={keys}
            id={({ kid }) => kid}
            columns={[
              {
                name: t('Key id'),
                cell: ({ kid, public_key: key }) => (
                  <span className={tableClasses['copied']}>
                    <code className={tableClasses['cut']} title={kid}>
                      {kid}
                    </code>
                    <CopyButton text={key} what={t('public key')} />
                  </span>
                ),
              },
              { name: t('State'), clear: true, cell: ({ status }) => states[status] },
              { name: t('Created'), cell: ({ created_at: at }) => <Ago at={at} /> },
              {
                name: t('Action'),
                nameless: true,
                right: true,
                cell: ({ kid, status }) =>
                  status === 'current' ? null : (
                    <May call="deleteSigningKey">
                      {status === 'next' && (
                        <Button size="xs" variant="default" onClick={() => setChosen({ action: 'activate', kid })}>
                          {t('Activate')}
                        </Button>
                      )}{' '}
                      <Button size="xs" variant="default" onClick={() => setChosen({ action: 'delete', kid })}>
                        {t('Delete')}
                      </Button>
                    </May>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <Confirm
        title={t('Activate this signing key?')}
        opened={chosen?.action === 'activate'}
        onClose={close}
        call="activateSigningKey"
        request={chosen && (() => ({ params: { id: productId, kid: chosen.kid } }))}
        submit={t('Activate the key')}
        stale={[
          ['signing-keys', productId],
          ['product', productId],
        ]}
        done={() => t('The new key is active')}
      >
        <p>
          {t(
            'The service signs new tokens with this key within 60 seconds after you activate it. Activate the key at least 5 minutes after its creation, so that clients that read the JWK set know it. Clients with a fixed public key need a new release before you activate the key.',
          )}
        </p>
      </Confirm>
      <Confirm
        title={t('Delete this signing key?')}
        opened={chosen?.action === 'delete'}
        onClose={close}
        call="deleteSigningKey"
        request={chosen && (() => ({ params: { id: productId, kid: chosen.kid } }))}
        submit={t('Delete the key')}
        danger
        stale={[['signing-keys', productId]]}
        done={() => t('Deleted the signing key')}
      >
        <p>
          {t('Clients that read the JWK set can no longer verify tokens signed with this key.')}{' '}
          <strong>{t('This can’t be undone.')}</strong>
        </p>
      </Confirm>
    </Panel>
  );
}
