import { Textarea, TextInput } from '@mantine/core';
import type { InvitationPlaceholder } from '../../../lambdas/contract/placeholders';
import { useChange } from '../queries/change';
import type { ResponseOf } from '../routes';
import { t } from '../texts';
import { DialogForm } from '../ui/dialog';
import { useFields } from '../ui/use-fields';
import { MailPanel } from './mail-panel';
import { MailPreview } from './mail-preview';
import { describePlaceholders, keyMailPlaceholders } from './mail-settings';
import classes from './payments.module.css';

const { product, license_type, expires_at, portal } = keyMailPlaceholders;
const placeholders: Readonly<Record<InvitationPlaceholder, string>> = { product, license_type, expires_at, portal };

function Form({ productId, settings, onClose }: { productId: number; settings: ResponseOf<'getMailSettings'>; onClose: () => void }) {
  const save = useChange('setMailSettings', {
    stale: [['mail-settings', productId]],
    done: () => t('Saved the invitation'),
    onSuccess: onClose,
  });
  const { invitation_subject, invitation_text } = settings;
  const { values, field } = useFields({ invitation_subject, invitation_text }, save);
  const orDefault = (text: string): string | null => (text.trim() === '' ? null : text);
  return (
    <DialogForm
      onSubmit={() =>
        save.mutate({
          params: { id: productId },
          body: {
            invitation_subject: orDefault(values.invitation_subject),
            invitation_text: orDefault(values.invitation_text),
          },
        })
      }
      onCancel={onClose}
      submit={t('Save')}
      change={save}
    >
      <TextInput
        label={t('Subject')}
        description={t('If empty, the default subject is used, in the language of the mail.')}
        {...field('invitation_subject')}
        maxLength={200}
        autoComplete="off"
      />
      <Textarea
        className={classes['text'] ?? ''}
        label={t('Text')}
        description={`${t('If empty, the default text is used.')} ${describePlaceholders(placeholders)}`}
        rows={10}
        {...field('invitation_text')}
      />
      <MailPreview productId={productId} mail={{ event: 'invitation', subject: values.invitation_subject, text: values.invitation_text }} />
    </DialogForm>
  );
}

/** The mail that invites the members of licenses. */
export const InvitationMail = ({ productId }: { productId: number }) => (
  <MailPanel
    productId={productId}
    title={t('Invitations')}
    edit={t('Edit the invitation')}
    form={(settings, onClose) => <Form productId={productId} settings={settings} onClose={onClose} />}
  >
    {() => <p>{t('A person who is added to a license for named people gets a mail with a link to the portal.')}</p>}
  </MailPanel>
);
