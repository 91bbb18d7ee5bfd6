import { Button } from '@mantine/core';
import { useState } from 'react';
import type { AdminToken } from '../api';
import { date } from '../format';
import { useChange, useProductName, useTokens } from '../queries';
import { Dialog, DialogForm } from '../ui/dialog';
import { PlusIcon, TokenIcon } from '../ui/icons';
import { PageHead, Panel } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { NewToken, scopeWords } from './new-token';

const Dim = ({ children }: { children: string }) => <span className={tableClasses['dim']}>{children}</span>;

function ProductName({ id }: { id: number }) {
  return <Name>{useProductName(id)}</Name>;
}

const Expires = ({ at }: { at: string }) =>
  Date.parse(at) <= Date.now() ? <span className={tableClasses['warn']}>Expired</span> : <Ago at={at} />;

function Revoke({ token, onClose }: { token: AdminToken; onClose: () => void }) {
  const revoke = useChange('revokeToken', { stale: [['tokens']], done: () => `Revoked the admin token ${token.name}`, onSuccess: onClose });
  return (
    <DialogForm
      onSubmit={() => revoke.mutate({ params: { id: token.id } })}
      onCancel={onClose}
      submit="Revoke for good"
      danger
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>
        Anyone who uses{' '}
        <strong>
          <bdi>{token.name}</bdi>
        </strong>{' '}
        is refused within 60 seconds. <strong>This can’t be undone.</strong>
      </p>
    </DialogForm>
  );
}

/** The number of rows shown at first, and added by "Show more". */
const ROWS = 50;

/** The admin tokens except the deployment's own, newest first. */
export function TokensPage() {
  const query = useTokens();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<AdminToken>();
  const [shown, setShown] = useState(ROWS);
  const tokens = query.data?.pages.flatMap(({ rows }) => rows).reverse();
  const create = (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
      New admin token
    </Button>
  );
  return (
    <>
      <PageHead title="Admin tokens" action={tokens && tokens.length > 0 && create}>
        Create one for each colleague and each script, with only the rights that they need. The deployment’s own token is not listed.
      </PageHead>
      <Panel>
        <Loaded query={{ ...query, data: tokens }}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon={<TokenIcon size={26} />} title="No admin tokens yet" action={create}>
                With separate tokens, the audit log shows who made a change, and you can revoke each token on its own.
              </Empty>
            ) : (
              <Table
                label="Admin tokens"
                items={rows.slice(0, shown)}
                id={({ id }) => id}
                columns={[
                  { name: 'Name', cell: ({ name }) => <Name>{name}</Name> },
                  { name: 'Id', right: true, extra: true, cell: ({ id }) => <Dim>{String(id)}</Dim> },
                  {
                    name: 'Scope',
                    cell: ({ scopes }) => <span title={scopes.map((scope) => scopeWords[scope]).join('; ')}>{scopes.join(', ')}</span>,
                  },
                  { name: 'Product', cell: ({ product_id: id }) => (id === null ? 'All products' : <ProductName id={id} />) },
                  { name: 'Last used', cell: ({ last_used_on: day }) => (day === null ? <Dim>Never</Dim> : date(day)) },
                  { name: 'Expires', cell: ({ expires_at: at }) => (at === null ? <Dim>Never</Dim> : <Expires at={at} />) },
                  { name: 'Created', extra: true, cell: ({ created_at: at }) => <Ago at={at} /> },
                  {
                    name: 'Action',
                    nameless: true,
                    right: true,
                    cell: (token) => (
                      <Button variant="default" size="xs" onClick={() => setRevoking(token)} aria-label={`Revoke ${token.name}`}>
                        Revoke
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
            Show more
          </Button>
        )}
      </Panel>
      <NewToken opened={creating} onClose={() => setCreating(false)} />
      <Dialog title="Revoke this admin token?" opened={revoking !== undefined} onClose={() => setRevoking(undefined)}>
        {revoking && <Revoke token={revoking} onClose={() => setRevoking(undefined)} />}
      </Dialog>
    </>
  );
}
