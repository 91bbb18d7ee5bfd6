import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { License } from '../api';
import { useChange } from '../queries/change';
import { licenseKeys } from '../queries/licenses';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { wrongWith } from '../ui/wrong-field';

interface Props {
  readonly license: License;
  readonly opened: boolean;
  readonly onClose: () => void;
}

function Suspend({ license, onClose }: Omit<Props, 'opened'>) {
  const [reason, setReason] = useState('');
  const suspend = useChange('suspendLicense', { stale: licenseKeys(license), done: () => t('Suspended the license'), onSuccess: onClose });
  return (
    <DialogForm
      onSubmit={() => suspend.mutate({ params: { id: license.id }, body: { ...(reason.trim() !== '' && { reason: reason.trim() }) } })}
      onCancel={onClose}
      submit={t('Suspend')}
      busy={suspend.isPending}
      error={suspend.error}
      fields={['reason']}
    >
      <p>
        {t(
          'Activations and validations of this license will be refused until you reinstate it. Its devices keep their seats, and can use their offline tokens until the tokens expire or the app checks online.',
        )}
      </p>
      <TextInput
        label={t('Reason (optional)')}
        description={t('Only you and your colleagues see it.')}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={wrongWith(suspend.error, 'reason')}
        maxLength={200}
        autoComplete="off"
        data-autofocus
      />
    </DialogForm>
  );
}

export const SuspendLicense = ({ opened, onClose, license }: Props) => (
  <Dialog title={t('Suspend this license?')} opened={opened} onClose={onClose}>
    <Suspend license={license} onClose={onClose} />
  </Dialog>
);
