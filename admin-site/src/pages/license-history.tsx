import type { ReactNode } from 'react';
import { keyHint } from '../../key-hint';
import { platformName } from '../../../lambdas/contract/platform-name';
import type { Delivery, License } from '../api';
import { actorName, date } from '../format';
import { May } from '../permission';
import { useLicenseEvents } from '../queries/licenses';
import { href, Link } from '../router';
import { listed, t, T } from '../texts';
import { Panel } from '../ui/page';
import { LoadedPages } from '../ui/pages';
import { DeliveryStatus, deliveryWords } from '../ui/status';
import { Ago } from '../ui/time';
import classes from './license.module.css';

/** The name of each event in a history. */
export const eventWords: Readonly<Record<Delivery['event'], string>> = {
  'license.created': t('Issued'),
  'license.activated': t('Activated'),
  'license.deactivated': t('Seat freed'),
  'license.reset': t('All seats freed'),
  'license.revoked': t('Revoked'),
  'license.expired': t('Expired'),
  'license.renewed': t('Renewed'),
  'license.updates_renewed': t('Updates renewed'),
  'license.updates_expiring': t('Updates end soon'),
  'license.meter_reached': t('Consumption reached a threshold'),
  'license.updated': t('Changed'),
  'license.suspended': t('Suspended'),
  'license.reinstated': t('Reinstated'),
  'license.reissued': t('Key reissued'),
  'license.expiring': t('Expires soon'),
  'license.seats_exhausted': t('No seats left'),
  'license.member_added': t('Member added'),
  'license.member_removed': t('Member removed'),
  'license.key_mailed': t('Key mailed'),
  'license.reminded': t('Reminder mailed'),
  'portal.code_mailed': t('Portal: code mailed'),
  'portal.address_code_mailed': t('Portal: code mailed to a new address'),
  'portal.address_notice_mailed': t('Portal: notice about a new address mailed'),
  'portal.key_mailed': t('Portal: key mailed'),
  'portal.device_added': t('Portal: notice about a sign-in mailed'),
  'portal.invitation': t('Portal: invitation mailed'),
  'webhook.test': t('Webhook test'),
  'release.published': t('Release published'),
  'release.yanked': t('Release yanked'),
};

type EventLicense = NonNullable<Delivery['payload']['data']['license']>;

/** What of a license may change by `license.updated`, in words. */
const parts: readonly (readonly [words: string, of: (license: EventLicense) => unknown])[] = [
  [t('address'), ({ customer_email: email }) => email],
  [t('label'), ({ label }) => label],
  [t('license type'), ({ license_type: { id } }) => id],
  [t('seats'), ({ seats }) => seats.max],
  [t('features'), ({ features }) => features],
  [t('limits'), ({ limits }) => limits],
  [t('expiry'), ({ expires_at: at, term }) => [at, term]],
  [t('updates'), ({ updates: { until, max_major: major } }) => [until, major]],
  [t('language'), ({ language }) => language],
  [t('metadata'), ({ metadata }) => metadata],
];

/** What an event changed: `Renewed until Dec 3, 2027`, `Address and seats changed`. @param events loaded events of the license */
export function happenedIn({ event, payload: { data } }: Delivery, events: readonly Delivery[]): string {
  const { license } = data;
  if (!license) return eventWords[event];
  if (event === 'license.renewed' && license.expires_at !== null) return t('Renewed until {date}', { date: date(license.expires_at) });
  if (event === 'license.updates_renewed' && license.updates.until !== null)
    return t('Updates renewed until {date}', { date: date(license.updates.until) });
  if (event !== 'license.updated') return eventWords[event];
  // An event contains the license after the change. Only the event of the change before it shows what was different.
  const before = events.find(
    ({ payload: { data: earlier } }) => earlier.license?.id === license.id && earlier.license.sequence === license.sequence - 1,
  )?.payload.data.license;
  const changed = before
    ? parts.filter(([, of]) => JSON.stringify(of(before)) !== JSON.stringify(of(license))).map(([words]) => words)
    : [];
  if (changed.length === 0) return eventWords[event];
  const what = listed(changed);
  return t('{what} changed', { what: what.charAt(0).toUpperCase() + what.slice(1) });
}

/** `Webhook failed`. */
export function wordsOf(delivery: Pick<Delivery, 'channel' | 'status' | 'bounce'>): string {
  const words = deliveryWords(delivery).toLowerCase();
  return delivery.channel === 'mail' ? t('Mail {status}', { status: words }) : t('Webhook {status}', { status: words });
}

/**
 * Names what an event is about: the address of a mail, the device, the member, or the meter with the threshold. Empty if the event names
 * nothing.
 */
export const subjectOf = ({ channel, url, payload: { data } }: Delivery): string =>
  [
    ...(channel === 'mail' ? [url?.replace(/^mailto:/, '') ?? ''] : []),
    ...(data.device ? [data.device.name || platformName(data.device.platform) || t('unnamed device')] : []),
    ...(data.member ? [data.member.email ?? t('an erased address')] : []),
    ...(data.meter ? [data.meter.name, `${data.meter.percent} %`] : []),
  ]
    .filter(Boolean)
    .join(', ');

const sequenceOf = ({ payload }: Delivery): number => payload.data.license?.sequence ?? 0;
const isMail = ({ channel }: Delivery): number => Number(channel === 'mail');
/** Sorts events newest first. Of events with the same time, a mail is newer than the change that caused it, and the later change is newer. */
const byTime = (a: Delivery, b: Delivery): number =>
  b.created_at.localeCompare(a.created_at) || isMail(b) - isMail(a) || sequenceOf(b) - sequenceOf(a);

/** The delivery of an event, with a link to its details. */
export const DeliveryLink = ({ delivery }: { delivery: Delivery }) => (
  <Link
    to={href(`/products/${delivery.product_id}/webhooks/${delivery.id}`)}
    aria-label={t('{delivery}: delivery of {event}', { delivery: wordsOf(delivery), event: delivery.event })}
  >
    <DeliveryStatus delivery={delivery} words={wordsOf(delivery)} />
  </Link>
);

/** A line of a history: what happened, when, and by whom. */
export const Happened = ({
  what,
  name,
  by,
  at,
  license,
  more,
}: {
  what: string;
  /** A name that people entered, such as that of a device; may be empty. */
  name: string;
  by?: string | undefined;
  at: string;
  /** The license that it happened to, in a history of several licenses. */
  license?: License | undefined;
  /** A link to the details. */
  more: ReactNode;
}) => (
  <li>
    <span className={classes['happened']}>
      {what}
      {name !== '' && (
        <>
          {': '}
          <bdi>{name}</bdi>
        </>
      )}
    </span>
    <span className={classes['when']}>
      {by !== undefined && (
        <>
          <T text="by {person}," values={{ person: <bdi>{actorName(by)}</bdi> }} />{' '}
        </>
      )}
      <Ago at={at} />
      {license && (
        <>
          {' · '}
          <Link to={href(`/licenses/${license.id}`)}>{keyHint(license.key)}</Link>
        </>
      )}
    </span>
    <span className={classes['delivery']}>{more}</span>
  </li>
);

/** The license's events, newest first, each with its delivery to the product's webhook or by mail. */
export function History({ license }: { license: License }) {
  const query = useLicenseEvents(license.id);
  return (
    <Panel
      title={t('History')}
      note={t('Events of the last 30 days, newest first.')}
      action={
        <May call="listAudit">
          <Link to={href('/audit', { license: String(license.id) })}>{t('Audit log')}</Link>
        </May>
      }
    >
      <LoadedPages query={query} lines={3} empty={<p>{t('No events in the last 30 days.')}</p>}>
        {(events) => (
          <ol className={classes['history']}>
            {[...events].sort(byTime).map((delivery) => (
              <Happened
                key={delivery.id}
                what={happenedIn(delivery, events)}
                name={subjectOf(delivery)}
                by={delivery.by}
                at={delivery.created_at}
                more={<DeliveryLink delivery={delivery} />}
              />
            ))}
          </ol>
        )}
      </LoadedPages>
    </Panel>
  );
}
