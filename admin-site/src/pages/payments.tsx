import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { PaymentConnection } from '../api';
import { useConnections } from '../queries/payments';
import { useProduct } from '../queries/products';
import { go, href, Link } from '../router';
import { plural, t } from '../texts';
import { Act } from '../ui/act';
import { CardIcon, PlusIcon } from '../ui/icons';
import { Dim, PageHead, Panel, Stack } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { Views } from '../ui/views';
import { useNewDialog } from '../use-new-dialog';
import { ConnectProcessor } from './connect-processor';
import { InvitationMail } from './invitation-mail';
import { MailSettings } from './mail-settings';
import { Reminders } from './reminders';
import { OrderDialog, Orders } from './orders';
import { PaymentDialog, PaymentLog } from './payment-log';
import { connectionName, guides } from './processors';
import { SentMails } from './sent-mails';

const stateOf = ({ enabled, processor, signing_secret_set: isSecretSet, rejected }: PaymentConnection): string =>
  !enabled
    ? t('Disabled')
    : processor !== 'gumroad' && !isSecretSet
      ? t('Needs a signing secret')
      : rejected.count > 0
        ? t('Wrong signing secret')
        : t('On');

function Connections({
  productId,
  connections,
  connect,
}: {
  productId: number;
  connections: readonly PaymentConnection[];
  connect: ReactNode;
}) {
  const [all, setAll] = useState(false);
  const enabled = connections.filter((connection) => connection.enabled);
  const disabled = connections.length - enabled.length;
  // A connection can't be deleted, so disabled connections are hidden at first.
  const isShort = !all && enabled.length > 0 && disabled > 0;
  if (connections.length === 0) {
    return (
      <Empty icon={<CardIcon size={26} />} title={t('No processor is connected')} action={connect}>
        {t(
          'A sale at Stripe, Paddle, Lemon Squeezy, Polar or Gumroad then issues a license automatically, a payment renews it, and a refund revokes it.',
        )}
      </Empty>
    );
  }
  const to = ({ id }: PaymentConnection): string => href(`/products/${productId}/payments/${id}`);
  const table = (
    <Table
      label={t('Payment connections')}
      items={isShort ? enabled : connections}
      id={({ id }) => id}
      href={to}
      columns={[
        {
          name: t('Name'),
          cell: (connection) => (
            <Link to={to(connection)} className={tableClasses['link']}>
              <Name>{connectionName(connection)}</Name>
            </Link>
          ),
        },
        { name: t('Processor'), clear: true, cell: ({ processor }) => guides[processor].name },
        { name: t('Mode'), clear: true, cell: ({ mode }) => (mode === 'test' ? t('Test') : t('Live')) },
        { name: t('State'), clear: true, cell: stateOf },
        { name: t('Plans'), extra: true, cell: ({ plans }) => plural(plans.length, '{count} plan', '{count} plans') },
        {
          name: t('Last notification'),
          cell: ({ last_received_at: at }) => (at === null ? <Dim>{t('None yet')}</Dim> : <Ago at={at} />),
        },
      ]}
    />
  );
  if (!isShort) return table;
  return (
    <Stack>
      {table}
      <Button variant="subtle" size="xs" onClick={() => setAll(true)}>
        {plural(disabled, 'Show {count} disabled connection', 'Show {count} disabled connections')}
      </Button>
    </Stack>
  );
}

/** The orders of the product. The other views are the log of all notifications, and the mails to buyers. */
function Sales({ productId, query, paymentId }: { productId: number; query: URLSearchParams; paymentId: string | undefined }) {
  const here = `/products/${productId}/payments`;
  const order = query.get('order') ?? undefined;
  // A notification that was opened from its order is shown above the orders.
  const isMails = query.get('view') === 'mails';
  const isLog = query.get('view') === 'log' || query.has('status') || (!isMails && paymentId !== undefined && order === undefined);
  const views = (
    <Views
      label={t('Payments shown')}
      views={[
        { name: t('Orders'), to: href(here), isCurrent: !isLog && !isMails },
        { name: t('Log'), to: href(here, { view: 'log' }), isCurrent: isLog },
        { name: t('Mails'), to: href(here, { view: 'mails' }), isCurrent: isMails },
      ]}
    />
  );
  if (isMails) return <SentMails productId={productId} mailId={paymentId} views={views} />;
  if (isLog) return <PaymentLog productId={productId} query={query} paymentId={paymentId} views={views} />;
  return (
    <>
      <Orders productId={productId} find={query.get('find') ?? ''} views={views} />
      {paymentId !== undefined ? (
        <PaymentDialog id={paymentId} onClose={() => go(href(here, { order }))} />
      ) : (
        order !== undefined && <OrderDialog productId={productId} id={order} onClose={() => go(href(here))} />
      )}
    </>
  );
}

/** The payments page: the orders, the processors that sell the product, and the mails with keys. */
export function PaymentsPage({
  productId,
  query,
  paymentId,
}: {
  productId: number;
  query: URLSearchParams;
  paymentId: string | undefined;
}) {
  const product = useProduct(productId);
  const connections = useConnections(productId);
  const [connecting, setConnecting] = useNewDialog();
  const isConnected = (connections.data?.length ?? 0) > 0;
  const connect = (
    <Act call="createPaymentConnection" primary Icon={PlusIcon} onClick={() => setConnecting(true)}>
      {t('Connect a processor')}
    </Act>
  );
  return (
    <Loaded query={product} page={t('Payments')}>
      {({ name }) => (
        <>
          <PageHead title={t('Payments')} back={{ to: href(`/products/${productId}`), label: name }} action={isConnected && connect}>
            {t('Payment processors that issue, renew and revoke licenses automatically.')}
          </PageHead>
          <Stack>
            {(isConnected || query.get('view') === 'mails') && <Sales productId={productId} query={query} paymentId={paymentId} />}
            <Panel title={t('Processors')}>
              <Loaded query={connections} lines={2}>
                {(rows) => <Connections productId={productId} connections={rows} connect={connect} />}
              </Loaded>
            </Panel>
            <MailSettings productId={productId} />
            <Reminders productId={productId} />
            <InvitationMail productId={productId} />
          </Stack>
          <ConnectProcessor productId={productId} opened={connecting} onClose={() => setConnecting(false)} />
        </>
      )}
    </Loaded>
  );
}
