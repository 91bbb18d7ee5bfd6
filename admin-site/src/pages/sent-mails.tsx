import { NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Delivery } from '../api';
import { useDeliveries } from '../queries/deliveries';
import { go, href, Link } from '../router';
import { t } from '../texts';
import { MailIcon } from '../ui/icons';
import { Dim, Panel } from '../ui/page';
import { LoadedPages } from '../ui/pages';
import { Empty } from '../ui/states';
import { DeliveryStatus, statusWords } from '../ui/status';
import { Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { DeliveryDialog } from './delivery';
import { eventWords } from './license-history';

const statuses = ['pending', 'delivered', 'failed', 'skipped'] as const;
type Status = Delivery['status'];

const recipientOf = ({ url }: Delivery): string => (url ?? '').replace(/^mailto:/, '') || t('Nobody');

function Rows({ productId, status, to }: { productId: number; status: Status | undefined; to: (id: string) => string }) {
  const query = useDeliveries(productId, { status, event: undefined, channel: 'mail', day: undefined });
  return (
    <LoadedPages
      query={query}
      lines={4}
      empty={
        <Empty icon={<MailIcon size={26} />} title={t('No mails')}>
          {t('Every mail to a buyer appears here for 30 days.')}
        </Empty>
      }
    >
      {(mails) => (
        <Table
          label={t('Sent mails')}
          items={mails}
          id={({ id }) => id}
          href={({ id }) => to(id)}
          busy={query.isPlaceholderData}
          columns={[
            {
              name: t('To'),
              cell: (mail) => (
                <Link to={to(mail.id)} className={tableClasses['link']}>
                  <bdi className={tableClasses['cut']} title={recipientOf(mail)}>
                    {recipientOf(mail)}
                  </bdi>
                </Link>
              ),
            },
            { name: t('Mail'), clear: true, cell: ({ event }) => eventWords[event] },
            {
              name: t('License'),
              clear: true,
              cell: ({ license_id: id }) =>
                id === null ? <Dim>—</Dim> : <Link to={href(`/licenses/${id}`)}>{t('License {id}', { id: String(id) })}</Link>,
            },
            { name: t('Status'), clear: true, cell: (mail) => <DeliveryStatus delivery={mail} /> },
            { name: t('Attempts'), right: true, cell: ({ attempts }) => attempts },
            { name: t('When'), clear: true, cell: ({ created_at: at }) => <Ago at={at} /> },
          ]}
        />
      )}
    </LoadedPages>
  );
}

/**
 * The mails to buyers, newest first. A mail opens with its attempts, and can be sent again.
 *
 * @param mailId the id of the open mail
 * @param views links to the other views of the payments
 */
export function SentMails({ productId, mailId, views }: { productId: number; mailId: string | undefined; views: ReactNode }) {
  const [status, setStatus] = useState<Status>();
  const here = `/products/${productId}/payments`;
  return (
    <Panel
      title={t('Sent mails')}
      action={
        <>
          <NativeSelect
            aria-label={t('Mails by status')}
            size="xs"
            value={status ?? ''}
            onChange={(event) => setStatus(statuses.find((one) => one === event.currentTarget.value))}
            data={[{ value: '', label: t('Any status') }, ...statuses.map((one) => ({ value: one, label: statusWords(one) }))]}
          />
          {views}
        </>
      }
    >
      <Rows productId={productId} status={status} to={(id) => href(`${here}/${id}`, { view: 'mails' })} key={status} />
      {mailId !== undefined && <DeliveryDialog id={mailId} onClose={() => go(href(here, { view: 'mails' }))} />}
    </Panel>
  );
}
