import { useState } from 'react';
import { call, type Delivery } from '../api';
import { failureWords } from '../failure-words';
import { MAX_FAILURES, useFailures, type DeliveryFilter } from '../queries/deliveries';
import { numbersOfProducts } from '../queries/overview';
import { number, plural, t, T } from '../texts';
import { Act } from '../ui/act';
import { BatchForm } from '../ui/batch';
import { Dialog } from '../ui/dialog';
import { RefreshIcon } from '../ui/icons';
import { Ago } from '../ui/time';
import classes from './webhooks.module.css';

/** Failed deliveries grouped by cause, so that the page shows one line for an outage. */

interface Group {
  readonly words: string;
  /** The newest first. */
  readonly deliveries: readonly Delivery[];
}

/** Why a delivery failed: `connection refused`, `Mail: no response in time`. */
function causeOf(delivery: Delivery): string {
  const cause = failureWords(delivery) ?? t('unknown cause');
  return delivery.channel === 'mail' ? t('Mail: {cause}', { cause }) : cause;
}

function groupsOf(failures: readonly Delivery[]): readonly Group[] {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of failures) {
    const words = causeOf(delivery);
    const group = groups.get(words);
    if (group) group.push(delivery);
    else groups.set(words, [delivery]);
  }
  return [...groups].map(([words, deliveries]) => ({ words, deliveries })).sort((a, b) => b.deliveries.length - a.deliveries.length);
}

function SendThese({ productId, group, onClose }: { productId: number; group: Group; onClose: () => void }) {
  return (
    <BatchForm
      call="redeliver"
      // The events are sent oldest first, so that the receiver gets them in the order in which they happened.
      items={[...group.deliveries].reverse()}
      nameOf={({ event, license_id: license }) => (license === null ? event : t('{event}, license {id}', { event, id: String(license) }))}
      run={async ({ id }) => {
        await call('redeliver', { params: { event_id: id } });
        return t('is sent again');
      }}
      stale={[['failures', productId], ['deliveries', productId], ['overview', productId], ...numbersOfProducts]}
      submit={plural(group.deliveries.length, 'Send {count} event again', 'Send {count} events again')}
      onClose={onClose}
    >
      <p>
        <T text="The cause of the failures is: {cause}." values={{ cause: <bdi>{group.words}</bdi> }} />{' '}
        {plural(
          group.deliveries.length,
          '{count} event is sent again with the same id and body.',
          '{count} events are sent again with the same ids and bodies, oldest first.',
        )}
      </p>
    </BatchForm>
  );
}

export function Failures({ productId, filter }: { productId: number; filter: Pick<DeliveryFilter, 'channel' | 'day'> }) {
  const query = useFailures(productId, filter);
  const [sending, setSending] = useState<Group>();
  const failures = query.data ?? [];
  const groups = groupsOf(failures);
  return (
    <>
      {groups.length > 0 && (
        <section className={classes['failures']} aria-label={t('Failures by cause')}>
          <h3>
            {failures.length >= MAX_FAILURES
              ? t('The latest {failures} failures, by cause', { failures: number(MAX_FAILURES) })
              : plural(failures.length, '{count} failure, by cause', '{count} failures, by cause')}
          </h3>
          <ul>
            {groups.map((group) => (
              <li key={group.words}>
                <strong>
                  {number(group.deliveries.length)} × <bdi>{group.words}</bdi>
                </strong>
                {group.deliveries[0] && (
                  <span className={classes['latest']}>
                    <T text="the latest {time}" values={{ time: <Ago at={group.deliveries[0].created_at} /> }} />
                  </span>
                )}
                <Act
                  call="redeliver"
                  size="xs"
                  Icon={RefreshIcon}
                  aria-label={t('Send these again: {cause}', { cause: group.words })}
                  onClick={() => setSending(group)}
                >
                  {t('Send these again')}
                </Act>
              </li>
            ))}
          </ul>
        </section>
      )}
      {/* The dialog is outside the list of groups, because the list may be empty after the events were sent. */}
      <Dialog title={t('Send these events again')} opened={sending !== undefined} onClose={() => setSending(undefined)} size="lg">
        {sending && <SendThese productId={productId} group={sending} onClose={() => setSending(undefined)} />}
      </Dialog>
    </>
  );
}
