import { plural } from '../format';
import type { License } from '../api';
import { licenseKeys, useChange } from '../queries';
import { Dialog, DialogForm } from '../ui/dialog';

/** The actions that take something away, each with what follows from it. */

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
        {license.seats.used === 0
          ? 'No seat is used now. '
          : `${plural(license.seats.used, 'machine is', 'machines are')} unbound at once. `}
        The license keeps its key and its status, and machines can activate it again.
      </p>
    </DialogForm>
  );
}

function Revoke({ license, onClose }: Omit<Props, 'opened'>) {
  const revoke = useChange('revokeLicense', { stale: licenseKeys(license), done: () => 'Revoked the license', onSuccess: onClose });
  return (
    <DialogForm
      onSubmit={() => revoke.mutate({ params: { id: license.id } })}
      onCancel={onClose}
      submit="Revoke for good"
      danger
      busy={revoke.isPending}
      error={revoke.error}
    >
      <p>
        Every activation and validation of this license fails from now on
        {license.customer_email !== null && (
          <>
            , for <bdi>{license.customer_email}</bdi>
          </>
        )}
        . <strong>This can’t be undone.</strong>
      </p>
      <p>Offline tokens that machines hold go on working until they run out or the app checks online.</p>
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
        For a key that has leaked. The license gets a new key and keeps its terms and its history.{' '}
        <strong>The old key is refused at once</strong>, and{' '}
        {license.seats.used === 0
          ? 'no machine uses it now'
          : `${plural(license.seats.used, 'machine loses its seat', 'machines lose their seats')}`}
        .
      </p>
    </DialogForm>
  );
}

export const ResetLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title="Free every seat?" opened={opened} onClose={onClose}>
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
