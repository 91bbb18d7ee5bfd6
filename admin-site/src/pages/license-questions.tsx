import type { License } from '../api';
import { licenseKeys } from '../queries/licenses';
import { plural, t, T } from '../texts';
import { Confirm } from '../ui/confirm';

/** Questions before an action that cannot be undone, or that has consequences for devices. Each question explains the consequences. */

interface Props {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks before the key is mailed, because a mail cannot be taken back. */
export function MailLicense({ license, ...dialog }: Props) {
  const address = license.customer_email ?? '';
  const isOfPeople = license.license_type.binding === 'user';
  return (
    <Confirm
      {...dialog}
      title={isOfPeople ? t('Mail how to sign in?') : t('Mail the key?')}
      call="mailLicense"
      request={() => ({ params: { id: license.id } })}
      submit={isOfPeople ? t('Mail how to sign in') : t('Mail the key')}
      stale={[
        ['license-events', license.id],
        ['deliveries', license.product_id],
      ]}
      done={() =>
        isOfPeople ? t('The mail will be sent to {address}', { address }) : t('The key will be mailed to {address}', { address })
      }
    >
      <p>
        {isOfPeople
          ? t('The buyer gets a mail at {address} that says how to sign in. It contains no key.', { address })
          : t('The buyer gets a mail with the key at {address}.', { address })}
      </p>
    </Confirm>
  );
}

export const SuspendLicense = ({ license, ...dialog }: Props) => (
  <Confirm
    {...dialog}
    title={t('Suspend this license?')}
    call="suspendLicense"
    request={(body) => ({ params: { id: license.id }, body })}
    reason={200}
    submit={t('Suspend')}
    stale={licenseKeys(license)}
    done={() => t('Suspended the license')}
  >
    <p>
      {t(
        'Activations and validations of this license will be refused until you reinstate it. Its devices keep their seats, and can use their offline tokens until the tokens expire or the app checks online.',
      )}
    </p>
  </Confirm>
);

export const ResetLicense = ({ license, ...dialog }: Props) => (
  <Confirm
    {...dialog}
    title={t('Free all seats?')}
    call="resetLicense"
    request={() => ({ params: { id: license.id }, body: {} })}
    submit={t('Free all seats')}
    danger
    stale={licenseKeys(license)}
    done={({ freed }) => plural(freed, 'Freed {count} seat', 'Freed {count} seats')}
  >
    <p>
      {license.seats.used === 0
        ? t('No seats are in use.')
        : plural(license.seats.used, '{count} device is unbound at once.', '{count} devices are unbound at once.')}{' '}
      {t('The license keeps its key and its status, and devices can activate it again.')}
    </p>
  </Confirm>
);

export const ReissueLicense = ({ license, ...dialog }: Props) => (
  <Confirm
    {...dialog}
    title={t('Reissue the key?')}
    call="reissueLicense"
    request={() => ({ params: { id: license.id } })}
    submit={t('Reissue the key')}
    danger
    stale={licenseKeys(license)}
    done={({ key }) => t('The new key is {key}', { key })}
  >
    <p>
      {t('Use this if the key has leaked. The license gets a new key and keeps its terms and its history.')}{' '}
      <strong>{t('The old key stops working at once.')}</strong>{' '}
      {license.seats.used === 0
        ? t('No device uses the license now.')
        : plural(license.seats.used, '{count} device loses its seat.', '{count} devices lose their seats.')}
    </p>
  </Confirm>
);

export const RevokeLicense = ({ license, ...dialog }: Props) => (
  <Confirm
    {...dialog}
    title={t('Revoke this license?')}
    call="revokeLicense"
    request={(body) => ({ params: { id: license.id }, body })}
    reason={200}
    submit={t('Revoke permanently')}
    danger
    stale={licenseKeys(license)}
    done={() => t('Revoked the license')}
  >
    <p>
      {license.customer_email === null ? (
        t('All activations and validations of this license will fail from now on.')
      ) : (
        <T
          text="All activations and validations of this license of {address} will fail from now on."
          values={{ address: <bdi>{license.customer_email}</bdi> }}
        />
      )}{' '}
      <strong>{t('This can’t be undone.')}</strong>
    </p>
    <p>{t('Devices can use their offline tokens until the tokens expire or the app checks online.')}</p>
  </Confirm>
);
