import { useEffect } from 'react';
import { useDelivery } from '../queries/deliveries';
import { href, replace } from '../router';
import { t } from '../texts';
import { Loaded } from '../ui/states';

/** Finds an event by its id and opens it in its product's log. */
export function EventPage({ id }: { id: string }) {
  const query = useDelivery(id);
  const productId = query.data?.product_id;
  useEffect(() => {
    if (productId !== undefined) replace(href(`/products/${productId}/webhooks/${id}`));
  }, [productId, id]);
  return (
    <Loaded query={query} page={t('Event {id}', { id })}>
      {() => null}
    </Loaded>
  );
}
