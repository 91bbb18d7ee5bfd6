import type { License } from '../api';
import { date, expiry, moment } from '../format';
import { licenseKeys, useChange } from '../queries';
import { Dialog } from '../ui/dialog';
import { RenewForm } from './renew-form';

interface Props {
  readonly license: License;
  readonly onClose: () => void;
}

function Expiry({ license, onClose }: Props) {
  const renew = useChange('renewLicense', {
    stale: licenseKeys(license),
    done: ({ expires_at: at }) => (at === null ? 'Renewed the license' : `Renewed until ${moment(at)}`),
    onSuccess: onClose,
  });
  const { id, expires_at: end, status, term } = license;
  return (
    <RenewForm
      end={end}
      usual={license.license_type.duration_days}
      onlyDate={term !== null}
      preview="New expiry"
      dateField="expires_at"
      busy={renew.isPending}
      error={renew.error}
      onCancel={onClose}
      onRenew={(renewal) =>
        renew.mutate({
          params: { id },
          body: renewal.by === 'type' ? {} : renewal.by === 'days' ? { days: renewal.days } : { expires_at: renewal.until },
        })
      }
    >
      {expiry(license).words}
      {end !== null && `, on ${date(end)}`}.{status === 'expired' && ' Renewing makes it active again.'}
      {term !== null ? ' With an expiry, it no longer waits for the activation.' : end === null && ' Renewing gives it an expiry.'}
    </RenewForm>
  );
}

function Updates({ license, onClose }: Props) {
  const renew = useChange('renewUpdates', {
    stale: licenseKeys(license),
    done: ({ updates: { until } }) => (until === null ? 'Renewed the updates' : `Renewed the updates until ${moment(until)}`),
    onSuccess: onClose,
  });
  const { until } = license.updates;
  return (
    <RenewForm
      end={until}
      usual={license.license_type.updates_days}
      preview="New end of updates"
      dateField="until"
      busy={renew.isPending}
      error={renew.error}
      onCancel={onClose}
      onRenew={(renewal) =>
        renew.mutate({
          params: { id: license.id },
          body: renewal.by === 'type' ? {} : renewal.by === 'days' ? { days: renewal.days } : { until: renewal.until },
        })
      }
    >
      {until !== null && `The license covers releases until ${date(until)}. `}Its status and its expiry don’t change.
    </RenewForm>
  );
}

export const RenewLicense = ({ license, opened, onClose }: Props & { opened: boolean }) => (
  <Dialog title="Renew this license" opened={opened} onClose={onClose}>
    <Expiry license={license} onClose={onClose} />
  </Dialog>
);

export const RenewUpdates = ({ license, opened, onClose }: Props & { opened: boolean }) => (
  <Dialog title="Renew the updates" opened={opened} onClose={onClose}>
    <Updates license={license} onClose={onClose} />
  </Dialog>
);
