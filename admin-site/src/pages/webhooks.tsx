import { Button, NativeSelect } from '@mantine/core';
import type { Delivery } from '../api';
import { useDeliveries, useProduct } from '../queries';
import { go, href, useLocation } from '../router';
import { WebhookIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { Empty, Failed, Loaded, Loading, Working } from '../ui/states';
import { Deliveries } from './deliveries';
import { DeliveryDialog } from './delivery';
import { capitalized } from '../ui/status';
import { SendAgain } from './send-again';
import { WebhookSetup } from './webhook-setup';

const statuses = ['pending', 'delivered', 'failed', 'skipped'] as const;
const statusOf = (text: string | null): Delivery['status'] | undefined => statuses.find((status) => status === text);

function Log({ productId, status }: { productId: number; status: Delivery['status'] | undefined }) {
  const query = useDeliveries(productId, status);
  const deliveries = query.data?.pages.flatMap(({ rows }) => rows);
  const pending = deliveries?.filter((delivery) => delivery.status === 'pending').length ?? 0;
  if (query.error && !deliveries) return <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />;
  if (!deliveries) return <Loading lines={6} />;
  if (deliveries.length === 0 && !query.hasNextPage) {
    return (
      <Empty icon={<WebhookIcon size={26} />} title={status === undefined ? 'No events yet' : `No ${status} events`}>
        Every change of a license appears here for 30 days, with or without a webhook.
      </Empty>
    );
  }
  return (
    <Stack>
      {query.error && <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />}
      {pending > 0 && <Working>{pending === 1 ? 'One event is' : `${pending} events are`} on the way. This list follows.</Working>}
      <Deliveries deliveries={deliveries} productId={productId} status={status} busy={query.isPlaceholderData} />
      {query.hasNextPage && (
        <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
          Show older
        </Button>
      )}
    </Stack>
  );
}

export function WebhooksPage({ productId, eventId }: { productId: number; eventId: string | undefined }) {
  const product = useProduct(productId);
  const status = statusOf(useLocation().query.get('status'));
  const here = `/products/${productId}/webhooks`;
  return (
    <Loaded query={product} page="Webhooks">
      {({ name }) => (
        <>
          <PageHead title="Webhooks" back={{ to: href(`/products/${productId}`), label: name }}>
            Your backend hears of every license change, signed and retried.
          </PageHead>
          <Stack>
            <WebhookSetup productId={productId} />
            <Panel
              title="Deliveries"
              action={
                <>
                  <SendAgain productId={productId} />
                  <NativeSelect
                    aria-label="Deliveries by status"
                    size="xs"
                    value={status ?? ''}
                    onChange={(event) => go(href(here, { status: event.currentTarget.value }))}
                    data={[{ value: '', label: 'Any status' }, ...statuses.map((option) => ({ value: option, label: capitalized(option) }))]}
                  />
                </>
              }
            >
              <Log productId={productId} status={status} key={status} />
            </Panel>
          </Stack>
          {eventId !== undefined && <DeliveryDialog id={eventId} onClose={() => go(href(here, { status }))} />}
        </>
      )}
    </Loaded>
  );
}
