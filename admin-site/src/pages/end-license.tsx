import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { License } from '../api';
import { useChange } from '../queries/change';
import { licenseKeys } from '../queries/licenses';
import { plural, t, T } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { wrongWith } from '../ui/wrong-field';

/** Dialogs for the actions that remove rights. Each dialog explains the consequences. */

interface Props {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Reset({ license, onClose }: Omit<Props, 'opened'>) {
  const reset = useChange('resetLicense', {
    stale: licenseKeys(license),
    done: ({ freed }) => plural(freed, 'Freed {count} seat', 'Freed {count} seats'),
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => reset.mutate({ params: { id: license.id }, body: {} })}
      onCancel={onClose}
      submit={t('Free all seats')}
      danger
      busy={reset.isPending}
      error={reset.error}
    >
      <p>
        {license.seats.used === 0
          ? t('No seats are in use.')
          : plural(license.seats.used, '{count} device is unbound at once.', '{count} devices are unbound at once.')}{' '}
        {t('The license keeps its key and its status, and devices can activate it again.')}
      </p>
    </DialogForm>
  );
}

function Revoke({ license, onClose }: Omit<Props, 'opened'>) {
  const [reason, setReason] = useState('');
  const revoke = useChange('revokeLicense', { stale: licenseKeys(license), done: () => t('Revoked the license'), onSuccess: onClose });
  return (
    <DialogForm
      onSubmit={() => revoke.mutate({ params: { id: license.id }, body: { ...(reason.trim() !== '' && { reason: reason.trim() }) } })}
      onCancel={onClose}
      submit={t('Revoke permanently')}
      danger
      busy={revoke.isPending}
      error={revoke.error}
      fields={['reason']}
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
      <TextInput
        label={t('Reason (optional)')}
        description={t('Only you and your colleagues see it.')}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={wrongWith(revoke.error, 'reason')}
        maxLength={200}
        autoComplete="off"
      />
    </DialogForm>
  );
}

function Reissue({ license, onClose }: Omit<Props, 'opened'>) {
  const reissue = useChange('reissueLicense', {
    stale: licenseKeys(license),
    done: ({ key }) => t('The new key is {key}', { key }),
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => reissue.mutate({ params: { id: license.id } })}
      onCancel={onClose}
      submit={t('Reissue the key')}
      danger
      busy={reissue.isPending}
      error={reissue.error}
    >
      <p>
        {t('Use this if the key has leaked. The license gets a new key and keeps its terms and its history.')}{' '}
        <strong>{t('The old key stops working at once.')}</strong>{' '}
        {license.seats.used === 0
          ? t('No device uses the license now.')
          : plural(license.seats.used, '{count} device loses its seat.', '{count} devices lose their seats.')}
      </p>
    </DialogForm>
  );
}

export const ResetLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title={t('Free all seats?')} opened={opened} onClose={onClose}>
    <Reset license={license} onClose={onClose} />
  </Dialog>
);

export const RevokeLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title={t('Revoke this license?')} opened={opened} onClose={onClose}>
    <Revoke license={license} onClose={onClose} />
  </Dialog>
);

export const ReissueLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title={t('Reissue the key?')} opened={opened} onClose={onClose}>
    <Reissue license={license} onClose={onClose} />
  </Dialog>
);
