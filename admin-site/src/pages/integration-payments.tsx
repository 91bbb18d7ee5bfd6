import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { PaymentConnection } from '../api';
import { useConnections } from '../queries';
import { href, Link } from '../router';
import { CardIcon } from '../ui/icons';
import { Panel } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { PaymentAddress } from './payment-address';
import classes from './payments.module.css';
import { connectionName } from './processors';

const nameOf = (connection: PaymentConnection): string => `${connectionName(connection)}${connection.mode === 'test' ? ' (test)' : ''}`;

/** The values to paste at the payment processors that sell the product. */
export function IntegrationPayments({ productId }: { productId: number }) {
  const query = useConnections(productId);
  const [chosen, setChosen] = useState<number>();
  const payments = href(`/products/${productId}/payments`);
  const connections = query.data ?? [];
  const connection = connections.find(({ id }) => id === chosen) ?? connections[0];
  return (
    <Panel
      title="At your payment processor"
      note="Paste these there, so that every sale issues a license automatically."
      action={
        connection &&
        connections.length > 1 && (
          <NativeSelect
            aria-label="Payment connection"
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
                <Link to={`${payments}/${connection.id}`}>Other steps for {nameOf(connection)}</Link>
              </p>
            </div>
          ) : (
            <Empty icon={<CardIcon size={26} />} title="No processor is connected">
              <Link to={payments}>Connect one</Link> to get the address and the events.
            </Empty>
          )
        }
      </Loaded>
    </Panel>
  );
}
