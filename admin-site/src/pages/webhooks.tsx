import { NativeSelect } from '@mantine/core';
import type { Delivery } from '../api';
import { dayName, dayOf } from '../format';
import { useDeliveries, type DeliveryFilter } from '../queries/deliveries';
import { useProduct } from '../queries/products';
import { go, href, Link, useLocation } from '../router';
import { plural, t } from '../texts';
import { DayField } from '../ui/day-fields';
import { WebhookIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { LoadedPages } from '../ui/pages';
import { Empty, Loaded, Working } from '../ui/states';
import { Deliveries } from './deliveries';
import { DeliveryDialog } from './delivery';
import { Failures } from './failures';
import { eventWords } from './license-history';
import { statusWords } from '../ui/status';
import { SendAgain } from './send-again';
import { WebhookSetup } from './webhook-setup';
import classes from './webhooks.module.css';

const statuses = ['pending', 'delivered', 'failed', 'skipped'] as const;
const events = Object.keys(eventWords) as Delivery['event'][];
const eventOf = (text: string | null): Delivery['event'] | undefined => events.find((event) => event === text);
const statusOf = (text: string | null): Delivery['status'] | undefined => statuses.find((status) => status === text);
const channelOf = (text: string | null): Delivery['channel'] | undefined => (text === 'webhook' || text === 'mail' ? text : undefined);

function Log({ productId, filter }: { productId: number; filter: DeliveryFilter }) {
  const query = useDeliveries(productId, filter);
  return (
    <LoadedPages
      query={query}
      lines={6}
      empty={
        <Empty
          icon={<WebhookIcon size={26} />}
          title={Object.values(filter).every((one) => one === undefined) ? t('No events yet') : t('No events match these filters')}
        >
          {t('Every change of a license appears here for 30 days, with or without a webhook.')}
        </Empty>
      }
    >
      {(deliveries) => {
        const pending = deliveries.filter(({ status }) => status === 'pending').length;
        return (
          <>
            {pending > 0 && (
              <Working>
                {plural(
                  pending,
                  'One event is being sent. This list updates automatically.',
                  '{count} events are being sent. This list updates automatically.',
                )}
              </Working>
            )}
            <Deliveries deliveries={deliveries} productId={productId} filter={filter} busy={query.isPlaceholderData} />
          </>
        );
      }}
    </LoadedPages>
  );
}

export function WebhooksPage({ productId, eventId }: { productId: number; eventId: string | undefined }) {
  const product = useProduct(productId);
  const { query } = useLocation();
  const filter: DeliveryFilter = {
    status: statusOf(query.get('status')),
    event: eventOf(query.get('event')),
    channel: channelOf(query.get('channel')),
    day: dayOf(query.get('day'))?.slice(0, 10),
  };
  const here = `/products/${productId}/webhooks`;
  const show = (change: DeliveryFilter): void => go(href(here, { ...filter, ...change }));
  return (
    <Loaded query={product} page={t('Webhooks')}>
      {({ name }) => (
        <>
          <PageHead title={t('Webhooks')} back={{ to: href(`/products/${productId}`), label: name }}>
            {t('Every license change is sent to your backend, signed and with retries.')}
          </PageHead>
          <Stack>
            <WebhookSetup productId={productId} />
            <Panel
              title={t('Deliveries')}
              action={
                <>
                  <SendAgain productId={productId} />
                  <DayField aria-label={t('Deliveries of one day (UTC)')} day={filter.day} onChange={(day) => show({ day })} />
                  <NativeSelect
                    aria-label={t('Deliveries by event')}
                    size="xs"
                    value={filter.event ?? ''}
                    onChange={(event) => show({ event: eventOf(event.currentTarget.value) })}
                    data={[{ value: '', label: t('Any event') }, ...events.map((option) => ({ value: option, label: eventWords[option] }))]}
                  />
                  <NativeSelect
                    aria-label={t('Deliveries by status')}
                    size="xs"
                    value={filter.status ?? ''}
                    onChange={(event) => show({ status: statusOf(event.currentTarget.value) })}
                    data={[
                      { value: '', label: t('Any status') },
                      ...statuses.map((option) => ({ value: option, label: statusWords(option) })),
                    ]}
                  />
                </>
              }
            >
              {filter.day !== undefined && (
                <p className={classes['day']}>
                  {t('Only {day} (UTC).', { day: dayName(filter.day) })}{' '}
                  <Link to={href(here, { ...filter, day: undefined })}>{t('Show every day')}</Link>
                </p>
              )}
              {filter.channel !== undefined && (
                <p className={classes['day']}>
                  {filter.channel === 'mail' ? t('Only mails.') : t('Only webhook events.')}{' '}
                  <Link to={href(here, { ...filter, channel: undefined })}>{t('Show both')}</Link>
                </p>
              )}
              {filter.event === undefined && (filter.status === undefined || filter.status === 'failed') && (
                <Failures productId={productId} filter={filter} />
              )}
              <Log productId={productId} filter={filter} key={JSON.stringify(filter)} />
            </Panel>
          </Stack>
          {eventId !== undefined && <DeliveryDialog id={eventId} onClose={() => show({})} />}
        </>
      )}
    </Loaded>
  );
}
