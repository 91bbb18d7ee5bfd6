import type { License } from '../api';
import { useChange } from '../queries/change';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';

interface Props {
  readonly license: License;
  readonly onClose: () => void;
}

function Form({ license, onClose }: Props) {
  const address = license.customer_email ?? '';
  const mail = useChange('mailLicense', {
    stale: [
      ['license-events', license.id],
      ['deliveries', license.product_id],
    ],
    done: () => t('The key will be mailed to {address}', { address }),
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => mail.mutate({ params: { id: license.id } })}
      onCancel={onClose}
      submit={t('Mail the key')}
      busy={mail.isPending}
      error={mail.error}
    >
      <p>{t('The buyer gets a mail with the key at {address}.', { address })}</p>
    </DialogForm>
  );
}

/** Asks before the key is mailed, because a mail cannot be taken back. */
export const MailLicense = ({ opened, ...props }: Props & { opened: boolean }) => (
  <Dialog title={t('Mail the key?')} opened={opened} onClose={props.onClose}>
    <Form {...props} />
  </Dialog>
);
