import { Button } from '@mantine/core';
import { useState } from 'react';
import type { PaymentConnection } from '../api';
import { CopyButton } from '../ui/copy-button';
import { EyeIcon } from '../ui/icons';
import { Code, Dim, Row } from '../ui/page';
import classes from './payments.module.css';
import { guides } from './processors';

/** The values to paste at a payment processor: a connection's address, and the events to choose. */
export function PaymentAddress({ connection }: { connection: PaymentConnection }) {
  const guide = guides[connection.processor];
  const [shown, setShown] = useState(false);
  return (
    <>
      <p>{guide.address} Paste this address:</p>
      {connection.url === undefined ? (
        <Dim>The address is a credential that your token is not allowed to see.</Dim>
      ) : (
        <Row>
          {shown ? <Code label="Address">{connection.url}</Code> : <Dim>Hidden, because the address is a credential.</Dim>}
          <Button variant="default" size="xs" leftSection={<EyeIcon size={16} />} onClick={() => setShown(!shown)} aria-expanded={shown}>
            {shown ? 'Hide the address' : 'Reveal the address'}
          </Button>
          <CopyButton text={connection.url} what="address" labelled />
        </Row>
      )}
      <p>Choose these events. Extra events are ignored.</p>
      <div className={classes['events']} role="group" aria-label="Events to choose">
        {guide.events.map((event) => (
          <code key={event}>{event}</code>
        ))}
        <CopyButton text={guide.events.join('\n')} what="list of events" />
      </div>
    </>
  );
}
