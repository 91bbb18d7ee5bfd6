import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { plural } from '../format';
import type { License } from '../api';
import { licenseKeys, useChange } from '../queries';
import { Dialog, DialogForm } from '../ui/dialog';
import { wrongWith } from '../ui/wrong-field';

/** Dialogs for the actions that remove rights. Each explains the consequences. */

interface Props {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Reset({ license, onClose }: Omit<Props, 'opened'>) {
  const reset = useChange('resetLicense', {
    stale: licenseKeys(license),
    done: ({ freed }) => `Freed ${plural(freed, 'seat')}`,
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => reset.mutate({ params: { id: license.id }, body: {} })}
      onCancel={onClose}
      submit="Free all seats"
      danger
      busy={reset.isPending}
      error={reset.error}
    >
      <p>
        {license.seats.used === 0 ? 'No seats are in use. ' : `${plural(license.seats.used, 'device is', 'devices are')} unbound at once. `}
        The license keeps its key and its status, and devices can activate it again.
      </p>
    </DialogForm>
  );
}

function Revoke({ license, onClose }: Omit<Props, 'opened'>) {
  const [reason, setReason] = useState('');
  const revoke = useChange('revokeLicense', { stale: licenseKeys(license), done: () => 'Revoked the license', onSuccess: onClose });
  return (
    <DialogForm
      onSubmit={() => revoke.mutate({ params: { id: license.id }, body: { ...(reason.trim() !== '' && { reason: reason.trim() }) } })}
      onCancel={onClose}
      submit="Revoke for good"
      danger
      busy={revoke.isPending}
      error={revoke.error}
      fields={['reason']}
    >
      <p>
        All activations and validations of this license will fail from now on
        {license.customer_email !== null && (
          <>
            , for <bdi>{license.customer_email}</bdi>
          </>
        )}
        . <strong>This can’t be undone.</strong>
      </p>
      <p>Devices that have an offline token can use it until it expires or the app checks online.</p>
      <TextInput
        label="Reason (optional)"
        description="Only you and your colleagues see it."
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
    done: ({ key }) => `The new key is ${key}`,
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => reissue.mutate({ params: { id: license.id } })}
      onCancel={onClose}
      submit="Reissue the key"
      danger
      busy={reissue.isPending}
      error={reissue.error}
    >
      <p>
        Use this if the key has leaked. The license gets a new key and keeps its terms and its history.{' '}
        <strong>The old key stops working at once</strong>, and{' '}
        {license.seats.used === 0
          ? 'no device uses it now'
          : `${plural(license.seats.used, 'device loses its seat', 'devices lose their seats')}`}
        .
      </p>
    </DialogForm>
  );
}

export const ResetLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title="Free all seats?" opened={opened} onClose={onClose}>
    <Reset license={license} onClose={onClose} />
  </Dialog>
);

export const RevokeLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title="Revoke this license?" opened={opened} onClose={onClose}>
    <Revoke license={license} onClose={onClose} />
  </Dialog>
);

export const ReissueLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title="Reissue the key?" opened={opened} onClose={onClose}>
    <Reissue license={license} onClose={onClose} />
  </Dialog>
);
