import { Button } from '@mantine/core';
import { useState } from 'react';
import type { AdminToken } from '../api';
import { useProductName } from '../queries/products';
import { useTokens } from '../queries/tokens';
import { t, T } from '../texts';
import { Confirm } from '../ui/confirm';
import { PlusIcon, TokenIcon } from '../ui/icons';
import { Dim, PageHead, Panel } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago, SeenOn } from '../ui/time';
import { useNewDialog } from '../use-new-dialog';
import { NewToken, scopeWords } from './new-token';

function ProductName({ id }: { id: number }) {
  return <Name>{useProductName(id)}</Name>;
}

const Expires = ({ at }: { at: string }) =>
  Date.parse(at) <= Date.now() ? <span className={tableClasses['warn']}>{t('Expired')}</span> : <Ago at={at} />;

/** The number of rows that are shown at first, and that each click on "Show more" adds. */
const ROWS = 50;

/** The admin tokens except the deployment's own, newest first. */
export function TokensPage() {
  const query = useTokens();
  const [creating, setCreating] = useNewDialog();
  const [revoking, setRevoking] = useState<AdminToken>();
  const [shown, setShown] = useState(ROWS);
  const tokens = query.data?.pages.flatMap(({ rows }) => rows).reverse();
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      {t('New admin token')}
    </Button>
  );
  return (
    <>
      <PageHead title={t('Admin tokens')} action={tokens && tokens.length > 0 && create}>
        {t(
          'Create an admin token for each colleague and each script, with only the rights that they need. The deployment’s own token is not listed.',
        )}
      </PageHead>
      <Panel>
        <Loaded query={{ ...query, data: tokens }}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon={<TokenIcon size={26} />} title={t('No admin tokens yet')} action={create}>
                {t('With separate tokens, the audit log shows who made a change, and you can revoke each token separately.')}
              </Empty>
            ) : (
              <Table
                label={t('Admin tokens')}
                items={rows.slice(0, shown)}
                id={({ id }) => id}
                columns={[
                  { name: t('Name'), cell: ({ name }) => <Name>{name}</Name> },
                  { name: t('Id'), right: true, extra: true, cell: ({ id }) => <Dim>{String(id)}</Dim> },
                  {
                    name: t('Scope'),
                    cell: ({ scopes }) => <code title={scopes.map((scope) => scopeWords[scope]).join('; ')}>{scopes.join(', ')}</code>,
                  },
                  { name: t('Product'), cell: ({ product_id: id }) => (id === null ? t('All products') : <ProductName id={id} />) },
                  {
                    name: t('Last used'),
                    cell: ({ last_used_on: day }) => (day === null ? <Dim>{t('Never')}</Dim> : <SeenOn day={day} />),
                  },
                  { name: t('Expires'), cell: ({ expires_at: at }) => (at === null ? <Dim>{t('Never')}</Dim> : <Expires at={at} />) },
                  { name: t('Created'), extra: true, cell: ({ created_at: at }) => <Ago at={at} /> },
                  {
                    name: t('Action'),
                    nameless: true,
                    right: true,
                    cell: (token) => (
                      <Button
                        variant="default"
                        size="xs"
                        onClick={() => setRevoking(token)}
                        aria-label={t('Revoke {name}', { name: token.name })}
                      >
                        {t('Revoke')}
                      </Button>
                    ),
                  },
                ]}
              />
            )
          }
        </Loaded>
        {tokens && tokens.length > shown && (
          <Button variant="default" onClick={() => setShown(shown + ROWS)}>
            {t('Show more')}
          </Button>
        )}
      </Panel>
      <NewToken opened={creating} onClose={() => setCreating(false)} />
      <Confirm
        title={t('Revoke this admin token?')}
        opened={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        call="revokeToken"
        request={revoking && (() => ({ params: { id: revoking.id } }))}
        submit={t('Revoke permanently')}
        danger
        stale={[['tokens']]}
        done={() => t('Revoked the admin token {name}', { name: revoking?.name ?? '' })}
      >
        <p>
          <T
            text="Anyone who uses {name} is refused within 60 seconds."
            values={{
              name: (
                <strong>
                  <bdi>{revoking?.name}</bdi>
                </strong>
              ),
            }}
          />{' '}
          <strong>{t('This can’t be undone.')}</strong>
        </p>
      </Confirm>
    </>
  );
}
