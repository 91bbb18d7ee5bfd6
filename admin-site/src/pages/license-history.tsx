import { Button } from '@mantine/core';
import type { Delivery, License } from '../api';
import { May } from '../permission';
import { useLicenseEvents } from '../queries';
import { href, Link } from '../router';
import { Panel } from '../ui/page';
import { Failed, Loading } from '../ui/states';
import { Status } from '../ui/status';
import { Ago } from '../ui/time';
import classes from './license.module.css';

/** The name of each event in a history. */
export const eventWords: Readonly<Record<Delivery['event'], string>> = {
  'license.created': 'Issued',
  'license.activated': 'Activated',
  'license.deactivated': 'Seat freed',
  'license.reset': 'All seats freed',
  'license.revoked': 'Revoked',
  'license.expired': 'Expired',
  'license.renewed': 'Renewed',
  'license.updates_renewed': 'Updates renewed',
  'license.updates_expiring': 'Updates end soon',
  'license.updated': 'Changed',
  'license.suspended': 'Suspended',
  'license.reinstated': 'Reinstated',
  'license.reissued': 'Key reissued',
  'license.expiring': 'Expires soon',
  'license.seats_exhausted': 'No seats left',
  'license.key_mailed': 'Key mailed',
  'license.reminded': 'Reminder mailed',
  'portal.code_mailed': 'Portal: code mailed',
  'portal.address_code_mailed': 'Portal: code for a new address mailed',
  'portal.address_notice_mailed': 'Portal: notice of a new address mailed',
  'portal.key_mailed': 'Portal: key mailed',
  'webhook.test': 'Webhook test',
  'release.published': 'Release published',
  'release.yanked': 'Release yanked',
};

const sequenceOf = ({ payload }: Delivery): number => payload.data.license?.sequence ?? 0;
/** The newest first. Events of the same instant follow the order of the changes. */
const byTime = (a: Delivery, b: Delivery): number => b.created_at.localeCompare(a.created_at) || sequenceOf(b) - sequenceOf(a);

/** The license's events, newest first, each with its delivery to the product's webhook or by mail. */
export function History({ license }: { license: License }) {
  const query = useLicenseEvents(license.id);
  const events = query.data?.pages.flatMap(({ rows }) => rows).sort(byTime);
  return (
    <Panel
      title="History"
      note="The last 30 days, the newest first."
      action={
        <May call="listAudit">
          <Link to={href('/audit', { license: String(license.id) })}>Audit log</Link>
        </May>
      }
    >
      {query.error && !events ? (
        <Failed error={query.error} retry={query.refetch} busy={query.isFetching} />
      ) : !events ? (
        <Loading lines={3} />
      ) : events.length === 0 ? (
        <p>No events in the last 30 days.</p>
      ) : (
        <ol className={classes['history']}>
          {events.map(({ id, event, created_at: at, status, channel, url, payload, by }) => (
            <li key={id}>
              <span className={classes['happened']}>
                {eventWords[event]}
                {channel === 'mail' && (
                  <>
                    {': '}
                    <bdi>{url?.replace(/^mailto:/, '')}</bdi>
                  </>
                )}
                {payload.data.device && (
                  <>
                    {': '}
                    <bdi>{payload.data.device.name || payload.data.device.platform || 'unnamed device'}</bdi>
                  </>
                )}
              </span>
              <span className={classes['when']}>
                {by !== undefined && (
                  <>
                    by <bdi>{by}</bdi>,{' '}
                  </>
                )}
                <Ago at={at} />
              </span>
              <Link
                to={href(`/products/${license.product_id}/webhooks/${id}`)}
                className={classes['delivery']}
                aria-label={`${channel === 'mail' ? 'Mail' : 'Webhook'} ${status}: delivery of ${event}`}
              >
                <Status status={status} words={`${channel === 'mail' ? 'Mail' : 'Webhook'} ${status}`} />
              </Link>
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button variant="default" size="xs" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
          Show older
        </Button>
      )}
    </Panel>
  );
}
