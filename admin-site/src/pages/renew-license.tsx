import type { License } from '../api';
import { date, expiry, moment } from '../format';
import { useChange } from '../queries/change';
import { licenseKeys } from '../queries/licenses';
import { useSession } from '../session';
import { t } from '../texts';
import { Dialog } from '../ui/dialog';
import { RenewForm } from './renew-form';

interface Props {
  readonly license: License;
  readonly onClose: () => void;
}

function Expiry({ license, onClose }: Props) {
  const renew = useChange('renewLicense', {
    stale: licenseKeys(license),
    done: ({ expires_at: at }) => (at === null ? t('Renewed the license') : t('Renewed until {time}', { time: moment(at) })),
    onSuccess: onClose,
  });
  const { access } = useSession();
  const { id, expires_at: end, status, term } = license;
  return (
    <RenewForm
      end={end}
      usual={end === null ? null : license.license_type.duration_days}
      onlyDate={term !== null}
      limit={access?.renewal_days ?? null}
      preview={t('New expiry')}
      dateField="expires_at"
      change={renew}
      onCancel={onClose}
      onRenew={(renewal) =>
        renew.mutate({
          params: { id },
          body: renewal.by === 'type' ? {} : renewal.by === 'days' ? { days: renewal.days } : { expires_at: renewal.until },
        })
      }
    >
      {end === null ? `${expiry(license).words}.` : `${expiry(license).words} (${date(end)}).`}{' '}
      {status === 'expired' && `${t('Renewing makes the license active again.')} `}
      {term !== null
        ? t('The license then has a fixed expiry, and no longer waits for its first activation.')
        : end === null && t('Renewing gives the license an expiry.')}
    </RenewForm>
  );
}

function Updates({ license, onClose }: Props) {
  const renew = useChange('renewUpdates', {
    stale: licenseKeys(license),
    done: ({ updates: { until } }) =>
      until === null ? t('Extended the update period') : t('Extended the update period until {time}', { time: moment(until) }),
    onSuccess: onClose,
  });
  const { until } = license.updates;
  return (
    <RenewForm
      end={until}
      usual={license.license_type.updates_days}
      preview={t('New end of updates')}
      dateField="until"
      change={renew}
      onCancel={onClose}
      onRenew={(renewal) =>
        renew.mutate({
          params: { id: license.id },
          body: renewal.by === 'type' ? {} : renewal.by === 'days' ? { days: renewal.days } : { until: renewal.until },
        })
      }
    >
      {until !== null && `${t('The license covers releases until {date}.', { date: date(until) })} `}
      {t('The status and the expiry of the license don’t change.')}
    </RenewForm>
  );
}

export const RenewLicense = ({ license, opened, onClose }: Props & { opened: boolean }) => (
  <Dialog title={t('Renew this license')} opened={opened} onClose={onClose}>
    <Expiry license={license} onClose={onClose} />
  </Dialog>
);

export const RenewUpdates = ({ license, opened, onClose }: Props & { opened: boolean }) => (
  <Dialog title={t('Renew the updates')} opened={opened} onClose={onClose}>
    <Updates license={license} onClose={onClose} />
  </Dialog>
);
