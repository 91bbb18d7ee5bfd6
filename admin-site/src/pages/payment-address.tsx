import { Button } from '@mantine/core';
import { useState } from 'react';
import type { PaymentConnection } from '../api';
import { t } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { EyeIcon } from '../ui/icons';
import { Code, Dim, Row } from '../ui/page';
import classes from './payments.module.css';
import { guides } from './processors';

/** The values to paste at a payment processor: the connection's URL, and the events to choose. */
export function PaymentAddress({ connection }: { connection: PaymentConnection }) {
  const guide = guides[connection.processor];
  const [shown, setShown] = useState(false);
  return (
    <>
      <p>
        {guide.address} {t('Paste this address:')}
      </p>
      {connection.url === undefined ? (
        <Dim>{t('The address is a credential that your token is not allowed to see.')}</Dim>
      ) : (
        <Row>
          {shown ? <Code label={t('Address')}>{connection.url}</Code> : <Dim>{t('Hidden, because the address is a credential.')}</Dim>}
          <Button variant="default" size="xs" leftSection={<EyeIcon size={16} />} onClick={() => setShown(!shown)} aria-expanded={shown}>
            {shown ? t('Hide the address') : t('Reveal the address')}
          </Button>
          <CopyButton text={connection.url} what={t('address')} labelled />
        </Row>
      )}
      <p>{t('Choose these events. Extra events are ignored.')}</p>
      <div className={classes['events']} role="group" aria-label={t('Events to choose')}>
        {guide.events.map((event) => (
          <code key={event}>{event}</code>
        ))}
        <CopyButton text={guide.events.join('\n')} what={t('list of events')} />
      </div>
    </>
  );
}
