import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { PaymentConnection } from '../api';
import { useConnections } from '../queries/payments';
import { href, Link } from '../router';
import { t } from '../texts';
import { CardIcon } from '../ui/icons';
import { Panel } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { PaymentAddress } from './payment-address';
import classes from './payments.module.css';
import { connectionName } from './processors';

const nameOf = (connection: PaymentConnection): string =>
  connection.mode === 'test' ? t('{name} (test)', { name: connectionName(connection) }) : connectionName(connection);

/** The values to paste at the payment processors that sell the product. */
export function IntegrationPayments({ productId }: { productId: number }) {
  const query = useConnections(productId);
  const [chosen, setChosen] = useState<number>();
  const payments = href(`/products/${productId}/payments`);
  const connections = query.data ?? [];
  const connection = connections.find(({ id }) => id === chosen) ?? connections[0];
  return (
    <Panel
      title={t('At your payment processor')}
      note={t('Paste these values at the processor, so that every sale issues a license automatically.')}
      action={
        connection &&
        connections.length > 1 && (
          <NativeSelect
            aria-label={t('Payment connection')}
            size="xs"
            value={connection.id}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
            data={connections.map((one) => ({ value: String(one.id), label: nameOf(one) }))}
          />
        )
      }
    >
      <Loaded query={query} lines={2}>
        {() =>
          connection ? (
            <div className={classes['step']}>
              <PaymentAddress connection={connection} key={connection.id} />
              <p>
                <Link to={`${payments}/${connection.id}`}>{t('Other steps for {name}', { name: nameOf(connection) })}</Link>
              </p>
            </div>
          ) : (
            <Empty icon={<CardIcon size={26} />} title={t('No processor is connected')}>
              <Link to={payments}>{t('Connect a processor to get the address and the events.')}</Link>
            </Empty>
          )
        }
      </Loaded>
    </Panel>
  );
}
