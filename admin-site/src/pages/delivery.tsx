import type { Delivery } from '../api';
import { date, fromNow } from '../format';
import { useChange } from '../queries/change';
import { useDelivery } from '../queries/deliveries';
import { href, Link } from '../router';
import { number, t } from '../texts';
import { Act } from '../ui/act';
import { CopyButton } from '../ui/copy-button';
import { Dialog } from '../ui/dialog';
import { RefreshIcon } from '../ui/icons';
import { Code, Dim, Facts, Row, Stack } from '../ui/page';
import { Loaded, Problem, Working } from '../ui/states';
import { DeliveryStatus } from '../ui/status';
import { Moment, TimeOfDay } from '../ui/time';
import classes from './delivery.module.css';
import { eventWords } from './license-history';
import { SentMail } from './mail-preview';
import { Payload } from './payload';

/** True if the error text of an attempt contains more information than the status of the response. */
const isMoreThan = (status: number | null, error: string): boolean => error !== `the receiver responded with ${status}`;

function Attempts({ history }: Pick<Delivery, 'history'>) {
  if (history.length === 0) return <Dim>{t('No attempts.')}</Dim>;
  const days = new Set(history.map(({ at }) => date(at)));
  return (
    <ol className={classes['attempts']}>
      {history.map(({ attempt, at, status, error, duration_ms: ms, response }, place) => (
        <li key={attempt}>
          <span className={error === null ? classes['good'] : classes['bad']}>
            {attempt}.{' '}
            {status !== null ? t('Responded {status}', { status: String(status) }) : error === null ? t('Accepted') : t('No response')}
          </span>
          <span className={classes['dim']}>
            {days.size > 1 && `${date(at)}, `}
            <TimeOfDay at={at} />, {t('{ms} ms', { ms: number(ms) })}
          </span>
          {error !== null && isMoreThan(status, error) && <bdi className={classes['error']}>{error}</bdi>}
          {/* The same response to several attempts in a row is shown once. */}
          {response !== undefined && response !== history[place + 1]?.response && (
            <div className={classes['response']}>
              <Code label={t('Response to attempt {number}', { number: String(attempt) })}>{response}</Code>
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Says why a mail bounced. If mails to an address may be stopped because of a bounce, an operator can allow them again. */
function Bounced({ delivery: { product_id, url, channel, status, bounce } }: { delivery: Delivery }) {
  const resume = useChange('resumeMail', {
    done: ({ resumed }) => (resumed ? t('Mails to this address are sent again') : t('Mails to this address were not stopped')),
  });
  const address = channel === 'mail' ? (url ?? '').replace(/^mailto:/, '') : '';
  const mayBeStopped = bounce ? bounce.type !== 'temporary' : status === 'failed';
  return (
    <>
      {bounce && (
        <p>
          {bounce.type === 'complaint'
            ? t('The recipient reported this mail as spam. No further mails are sent to this address.')
            : bounce.type === 'permanent'
              ? t('This mail bounced: {reason}. No further mails are sent to this address.', { reason: bounce.reason })
              : t('This mail bounced: {reason}. Further mails to this address are still sent.', { reason: bounce.reason })}
        </p>
      )}
      {address !== '' && mayBeStopped && (
        <Act
          call="resumeMail"
          size="xs"
          loading={resume.isPending}
          onClick={() => resume.mutate({ params: { id: product_id }, body: { customer_email: address } })}
        >
          {t('Allow mails to this address again')}
        </Act>
      )}
      {resume.error && <Problem error={resume.error} />}
    </>
  );
}

function Shown({ delivery }: { delivery: Delivery }) {
  const redeliver = useChange('redeliver', {
    stale: [
      ['delivery', delivery.id],
      ['deliveries', delivery.product_id],
      ['failures', delivery.product_id],
      ['overview', delivery.product_id],
      ...(delivery.license_id === null ? [] : [['license-events', delivery.license_id]]),
    ],
    done: () => t('Sending the event again'),
  });
  return (
    <Stack>
      <div className={classes['head']}>
        <DeliveryStatus delivery={delivery} />
        <Act
          call="redeliver"
          size="xs"
          Icon={RefreshIcon}
          loading={redeliver.isPending}
          disabled={delivery.status === 'pending'}
          onClick={() => redeliver.mutate({ params: { event_id: delivery.id } })}
        >
          {t('Send again')}
        </Act>
      </div>
      {redeliver.error && <Problem error={redeliver.error} />}
      <Bounced delivery={delivery} />
      {delivery.status === 'pending' && (
        <Working>
          {delivery.attempts === 0
            ? t('The first attempt is in progress.')
            : delivery.next_attempt_at === null
              ? t('The next attempt is due soon.')
              : t('The next attempt is due {time}.', { time: fromNow(delivery.next_attempt_at) })}
        </Working>
      )}
      <Facts
        facts={[
          [
            t('Sent to'),
            delivery.url === null ? (
              <Dim key="url">{t('Not sent: no URL was set')}</Dim>
            ) : (
              <bdi key="url">{delivery.url.replace(/^mailto:/, '')}</bdi>
            ),
          ],
          [t('Happened'), <Moment key="at" at={delivery.created_at} />],
          ...(delivery.license_id === null
            ? []
            : [
                [
                  t('License'),
                  <Link key="license" to={href(`/licenses/${delivery.license_id}`)}>
                    {t('License {id}', { id: String(delivery.license_id) })}
                  </Link>,
                ] as const,
              ]),
          [
            t('Event id'),
            <Row key="id">
              <code>{delivery.id}</code>
              <CopyButton text={delivery.id} what={t('event id')} />
            </Row>,
          ],
        ]}
      />
      {delivery.channel === 'mail' && <SentMail delivery={delivery} />}
      <div>
        <h3>{t('Attempts')}</h3>
        <Attempts history={delivery.history} />
      </div>
      <Payload>{delivery.payload}</Payload>
    </Stack>
  );
}

/** A mail has a title in words. A webhook has the name that the receiver gets. */
const titleOf = (delivery: Delivery | undefined): string =>
  delivery === undefined ? t('Delivery') : delivery.channel === 'mail' ? eventWords[delivery.event] : delivery.event;

/** An entry of the delivery log, with all attempts. */
export function DeliveryDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useDelivery(id);
  return (
    <Dialog title={titleOf(query.data)} opened onClose={onClose} size="lg">
      <Loaded query={query}>{(delivery) => <Shown delivery={delivery} />}</Loaded>
    </Dialog>
  );
}
