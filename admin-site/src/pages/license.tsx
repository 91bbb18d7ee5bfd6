import { useState } from 'react';
import { limitsText } from '../../../lambdas/contract/resources/limits-text';
import type { License } from '../api';
import { coverage, duration, expiry, fromNow, json, moment, shownStatus } from '../format';
import { useMay } from '../permission';
import { country, totals } from '../money';
import { useChange } from '../queries/change';
import { licenseKeys, useLicense } from '../queries/licenses';
import { usePayments } from '../queries/payments';
import { useProductName } from '../queries/products';
import { href, Link, replace } from '../router';
import { useSession } from '../session';
import { number, plural, t, T } from '../texts';
import { Act } from '../ui/act';
import { CopyButton } from '../ui/copy-button';
import { ClockIcon, EditIcon, KeyIcon, MailIcon, PauseIcon, PlayIcon, PlusIcon, RefreshIcon, StopIcon, TokenIcon } from '../ui/icons';
import { Code, Columns, Dim, Facts, PageHead, Panel, Quoted, Row, Stack } from '../ui/page';
import { Menu } from '../ui/menu';
import { Seats } from '../ui/seats';
import { Loaded, Problem } from '../ui/states';
import { Status } from '../ui/status';
import { Moment } from '../ui/time';
import { AtProcessor } from './at-processor';
import { Devices } from './license-devices';
import { Meters } from './license-meters';
import { EditLicense } from './edit-license';
import { History } from './license-history';
import { Members } from './license-members';
import { Notes } from './license-notes';
import { kinds } from './kinds';
import { MintToken } from './mint-token';
import { PortalLink } from './portal-link';
import { guides } from './processors';
import { LicenseRefusals } from './refusals';
import { mostDays } from './renewal-limit';
import { RenewLicense, RenewUpdates } from './renew-license';
import { MailLicense, ReissueLicense, ResetLicense, RevokeLicense, SuspendLicense } from './license-questions';
import classes from './license.module.css';

type Action = 'mail' | 'renew' | 'updates' | 'edit' | 'suspend' | 'reset' | 'mint' | 'reissue' | 'revoke';

const causes: Readonly<Record<NonNullable<License['suspended_cause']>, string>> = {
  operator: t('by an operator'),
  payment: t('a payment is missing'),
  pause: t('the subscription is paused'),
  dispute: t('a payment is disputed'),
};

/** The time and the reason of a suspension. */
function Suspended({ license }: { license: License }) {
  return (
    <>
      <Moment at={license.suspended_at ?? ''} />
      {license.suspended_cause !== null && <>: {causes[license.suspended_cause]}</>}
      {license.suspended_reason !== null && license.suspended_reason !== '' && (
        <>
          <br />
          <Quoted>{license.suspended_reason}</Quoted>
        </>
      )}
    </>
  );
}

/** The time and the reason of a revocation. */
function Revoked({ license }: { license: License }) {
  return (
    <>
      <Moment at={license.revoked_at ?? ''} />
      {license.revoked_reason !== null && (
        <>
          <br />
          <Quoted>{license.revoked_reason}</Quoted>
        </>
      )}
    </>
  );
}

/** The number of new devices this week, its limit, and a button to clear the count. */
function NewDevices({ license }: { license: License }) {
  const { count, since } = license.new_devices;
  const clear = useChange('resetLicense', {
    stale: licenseKeys(license),
    done: () => t('Freed all seats and cleared the count of new devices'),
  });
  return (
    <Row>
      <span>
        {t('{used} of {limit} this week', { used: number(count), limit: number(license.license_type.new_devices_per_week) })}
        {since !== null && (
          <>
            {', '}
            <T text="since {time}" values={{ time: <Moment at={since} /> }} />
          </>
        )}
      </span>
      {count > 0 && (
        <Act
          call="resetLicense"
          size="xs"
          loading={clear.isPending}
          onClick={() => clear.mutate({ params: { id: license.id }, body: { new_devices: true } })}
          title={t('Also frees all seats')}
        >
          {t('Free all seats and clear the count')}
        </Act>
      )}
    </Row>
  );
}

/** The sale that the license came from. */
function OfOrder({ license, order }: { license: License; order: NonNullable<License['order']> }) {
  const may = useMay();
  const mayList = may('listPayments');
  const payments = usePayments(license.product_id, { status: undefined, order: order.order_id }, mayList);
  const rows = payments.data?.pages.flatMap((page) => page.rows) ?? [];
  const paid = payments.hasNextPage ? [] : totals(rows);
  const from = rows.find((row) => row.country !== null)?.country;
  const linked = (what: 'order' | 'subscription'): string | null => rows.find(({ links }) => links[what] !== null)?.links[what] ?? null;
  return (
    <>
      <Row>
        {mayList ? (
          <Link
            to={href(`/products/${license.product_id}/payments`, { order: order.order_id })}
            title={t('All notifications about this order')}
          >
            <bdi>{order.order_id}</bdi>
          </Link>
        ) : (
          <bdi>{order.order_id}</bdi>
        )}
        <CopyButton text={order.order_id} what={t('order id')} />
      </Row>
      <Dim>
        {guides[order.processor].name}
        {order.ref !== null && `, ${order.ref}`}
        {order.subscription_id !== null && `, ${t('subscription {id}', { id: order.subscription_id })}`}
        {order.test && `, ${t('test mode')}`}
      </Dim>
      {paid.length > 0 && (
        <div title={t('According to the notifications of the last 90 days')}>
          {[...paid, ...(from == null ? [] : [country(from)])].join(', ')}
        </div>
      )}
      <Row>
        <AtProcessor processor={order.processor} kind="order" to={linked('order')} />
        <AtProcessor processor={order.processor} kind="subscription" to={linked('subscription')} />
      </Row>
    </>
  );
}

/** The releases that the license covers. The license stays valid after the end of its updates. */
function Coverage({ license }: { license: License }) {
  const { until } = license.updates;
  return (
    <span>
      {coverage(license)}
      {until !== null && (
        <>
          <br />
          <Dim>
            {Date.parse(until) > Date.now()
              ? t('Updates end {time}.', { time: fromNow(until) })
              : t('Updates ended {time}. The license stays valid for the releases it covers.', { time: fromNow(until) })}
          </Dim>
        </>
      )}
    </span>
  );
}

function Terms({ license }: { license: License }) {
  const { words, date, tone } = expiry(license);
  const { license_type: type } = license;
  return (
    <Panel title={t('Terms')}>
      <Stack>
        <div className={classes['seats']}>
          <Seats seats={license.seats} wide />
        </div>
        <Facts
          facts={[
            [
              t('Expiry'),
              <span key="expiry">
                {tone === 'void' ? <Dim>{words}</Dim> : <strong className={classes[tone]}>{words}</strong>}
                {date !== undefined && (
                  <>
                    <br />
                    <Dim>{date}</Dim>
                  </>
                )}
                {license.status === 'active' && shownStatus(license) === 'expired' && (
                  <>
                    <br />
                    <Dim>
                      {t(
                        'Apps are refused from this time on. The API returns the status “active” until the next activation or validation.',
                      )}
                    </Dim>
                  </>
                )}
              </span>,
            ],
            [t('Covers'), <Coverage key="covers" license={license} />],
            [
              t('Type'),
              <span key="type">
                <Link to={href(`/products/${license.product_id}/licenses`, { type: String(type.id) })}>
                  <bdi>{type.name}</bdi>
                </Link>
                <br />
                <Dim>
                  {kinds[type.kind].label}
                  {type.duration_days !== null && `, ${duration(type.duration_days)}`}
                  {type.binding === 'user' && `, ${t('for named people')}`}
                </Dim>
              </span>,
            ],
            [
              t('Buyer'),
              license.customer_email === null ? (
                <Dim key="buyer">{t('None given')}</Dim>
              ) : (
                <Row key="buyer">
                  <Link
                    to={href(`/products/${license.product_id}/licenses`, { q: license.customer_email })}
                    title={t('All licenses of this buyer')}
                  >
                    <bdi>{license.customer_email}</bdi>
                  </Link>
                  <CopyButton text={license.customer_email} what={t('e-mail')} />
                  <Link to={href('/find', { q: license.customer_email, all: '1' })}>{t('Buyer’s page')}</Link>
                  <PortalLink productId={license.product_id} email={license.customer_email} />
                </Row>
              ),
            ],
            ...(license.label === null ? [] : [[t('Buyer’s label'), <bdi key="label">{license.label}</bdi>] as const]),
            ...(license.order === null ? [] : [[t('Order'), <OfOrder key="order" license={license} order={license.order} />] as const]),
            [
              t('License id'),
              <Row key="id">
                <code>{license.id}</code>
                <CopyButton text={String(license.id)} what={t('license id')} />
              </Row>,
            ],
            [t('Issued'), <Moment key="issued" at={license.created_at} />],
            ...(license.features.length === 0 ? [] : [[t('Features'), <code key="features">{license.features.join(' ')}</code>] as const]),
            ...(Object.keys(license.limits).length === 0
              ? []
              : [[t('Limits'), <code key="limits">{limitsText(license.limits)}</code>] as const]),
            ...(license.suspended_at === null ? [] : [[t('Suspended'), <Suspended key="suspended" license={license} />] as const]),
            ...(type.new_devices_per_week === 0 ? [] : [[t('New devices'), <NewDevices key="new" license={license} />] as const]),
            ...(license.revoked_at === null ? [] : [[t('Revoked'), <Revoked key="revoked" license={license} />] as const]),
          ]}
        />
      </Stack>
    </Panel>
  );
}

function Metadata({ metadata }: Pick<License, 'metadata'>) {
  const text = json(metadata);
  return (
    <Panel title={t('Metadata')} action={<CopyButton text={text} what={t('metadata')} />}>
      <Code label={t('Metadata as JSON')}>{text}</Code>
    </Panel>
  );
}

function Actions({ license, onChoose }: { license: License; onChoose: (action: Action) => void }) {
  const revoked = license.status === 'revoked';
  const suspended = license.status === 'suspended';
  const reinstate = useChange('reinstateLicense', { stale: licenseKeys(license), done: () => t('Reinstated the license') });
  const { expires_at: end, term, seats, license_type: type } = license;
  const { access } = useSession();
  const takeBackExpiry = useChange('updateLicense', {
    stale: licenseKeys(license),
    done: ({ expires_at: at }) => t('Undone: the license expires on {time} again', { time: at === null ? '' : moment(at) }),
  });
  const takeBackSeats = useChange('updateLicense', {
    stale: licenseKeys(license),
    done: ({ seats: { max } }) => plural(max, 'Undone: the license has {count} seat again', 'Undone: the license has {count} seats again'),
  });
  const params = { id: license.id };
  const extend = useChange('renewLicense', {
    stale: licenseKeys(license),
    done: ({ expires_at: at }) => (at === null ? t('Renewed the license') : t('Renewed until {time}', { time: moment(at) })),
    undo: () => takeBackExpiry.mutate({ params, body: { expires_at: end } }),
  });
  const addSeats = useChange('updateLicense', {
    stale: licenseKeys(license),
    done: ({ seats: { max } }) => plural(max, 'The license now has {count} seat', 'The license now has {count} seats'),
    undo: () => takeBackSeats.mutate({ params, body: { max_seats: license.own_terms.includes('max_seats') ? seats.max : null } }),
  });
  const reinstateNow = (): void => reinstate.mutate({ params });
  return (
    <>
      {suspended && (
        <Act call="reinstateLicense" primary Icon={PlayIcon} onClick={reinstateNow} loading={reinstate.isPending}>
          {t('Reinstate')}
        </Act>
      )}
      <Act call="updateLicense" Icon={EditIcon} onClick={() => onChoose('edit')}>
        {t('Edit')}
      </Act>
      <Act call="renewLicense" Icon={ClockIcon} onClick={() => onChoose('renew')} disabled={revoked}>
        {t('Renew')}
      </Act>
      {license.updates.until !== null && (
        <Act call="renewUpdates" Icon={RefreshIcon} onClick={() => onChoose('updates')} disabled={revoked}>
          {t('Renew updates')}
        </Act>
      )}
      <Act call="mintOfflineToken" Icon={TokenIcon} onClick={() => onChoose('mint')} disabled={shownStatus(license) !== 'active'}>
        {t('Offline token')}
      </Act>
      <Menu
        label={t('More')}
        items={[
          {
            label: t('+7 days'),
            call: 'renewLicense',
            icon: <ClockIcon size={16} />,
            onChoose: () => extend.mutate({ params, body: { days: 7 } }),
            disabled: revoked || end === null || term !== null || mostDays(end, access?.renewal_days ?? null) < 7 || extend.isPending,
          },
          {
            label: t('+2 seats'),
            call: 'updateLicense',
            icon: <PlusIcon size={16} />,
            onChoose: () => addSeats.mutate({ params, body: { max_seats: seats.max + 2 } }),
            disabled: revoked || seats.max === 0 || addSeats.isPending,
          },
          {
            label: t('Suspend'),
            call: 'suspendLicense',
            icon: <PauseIcon size={16} />,
            onChoose: () => onChoose('suspend'),
            disabled: revoked || suspended,
          },
          {
            label: t('Reissue key'),
            call: 'reissueLicense',
            icon: <KeyIcon size={16} />,
            onChoose: () => onChoose('reissue'),
            disabled: revoked,
          },
          {
            label: type.binding === 'user' ? t('Mail how to sign in') : t('Mail the key'),
            call: 'mailLicense',
            icon: <MailIcon size={16} />,
            onChoose: () => onChoose('mail'),
            disabled: license.customer_email === null,
          },
          { label: t('Free all seats'), call: 'resetLicense', icon: <RefreshIcon size={16} />, onChoose: () => onChoose('reset') },
          {
            label: t('Revoke'),
            call: 'revokeLicense',
            icon: <StopIcon size={16} />,
            onChoose: () => onChoose('revoke'),
            disabled: revoked,
            danger: true,
          },
        ]}
      />
      {extend.error && <Problem error={extend.error} />}
      {addSeats.error && <Problem error={addSeats.error} />}
      {takeBackExpiry.error && <Problem error={takeBackExpiry.error} />}
      {takeBackSeats.error && <Problem error={takeBackSeats.error} />}
    </>
  );
}

function Shown({ license, asked }: { license: License; asked: string | undefined }) {
  const [action, setAction] = useState<Action | undefined>(asked === undefined ? undefined : 'mint');
  const product = useProductName(license.product_id);
  const close = (): void => {
    setAction(undefined);
    if (asked !== undefined) replace(href(`/licenses/${license.id}`));
  };
  return (
    <>
      <PageHead
        title={license.key}
        mono
        back={{ to: href(`/products/${license.product_id}/licenses`), label: t('Licenses of {product}', { product }) }}
        aside={
          <>
            <CopyButton text={license.key} what={t('license key')} />
            <Status status={shownStatus(license)} />
          </>
        }
        action={<Actions license={license} onChoose={setAction} />}
      />
      <Stack>
        <Columns>
          <Terms license={license} />
          {Object.keys(license.metadata).length > 0 && <Metadata metadata={license.metadata} />}
        </Columns>
        <Meters license={license} />
        <Members license={license} />
        <Devices license={license} />
        <LicenseRefusals id={license.id} />
        <Notes id={license.id} />
        <History license={license} />
      </Stack>
      <MailLicense license={license} opened={action === 'mail'} onClose={close} />
      <RenewLicense license={license} opened={action === 'renew'} onClose={close} />
      <RenewUpdates license={license} opened={action === 'updates'} onClose={close} />
      <EditLicense license={license} opened={action === 'edit'} onClose={close} />
      <SuspendLicense license={license} opened={action === 'suspend'} onClose={close} />
      <ReissueLicense license={license} opened={action === 'reissue'} onClose={close} />
      <MintToken license={license} {...(asked !== undefined && { asked })} opened={action === 'mint'} onClose={close} />
      <ResetLicense license={license} opened={action === 'reset'} onClose={close} />
      <RevokeLicense license={license} opened={action === 'revoke'} onClose={close} />
    </>
  );
}

/** @param asked a device's request for an offline token, if the page's URL contains one */
export function LicensePage({ id, asked }: { id: number; asked: string | undefined }) {
  const query = useLicense(id);
  return (
    <Loaded query={query} page={t('License {id}', { id: String(id) })}>
      {(license) => <Shown license={license} asked={asked} />}
    </Loaded>
  );
}
