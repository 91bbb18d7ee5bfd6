import { Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { InvitationPlaceholder } from '../../../lambdas/contract/placeholders';
import { useChange } from '../queries/change';
import { useMailSettings } from '../queries/mail';
import type { ResponseOf } from '../routes';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { EditIcon } from '../ui/icons';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';
import { useFields } from '../ui/use-fields';
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
  const { values, field, problems } = useFields({ invitation_subject, invitation_text }, save.error);
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
      busy={save.isPending}
      {...problems}
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
export function InvitationMail({ productId }: { productId: number }) {
  const query = useMailSettings(productId);
  const [editing, setEditing] = useState(false);
  return (
    <Panel
      title={t('Invitations')}
      action={
        <Button variant="default" size="xs" leftSection={<EditIcon size={15} />} onClick={() => setEditing(true)} disabled={!query.data}>
          {t('Edit the invitation')}
        </Button>
      }
    >
      <Loaded query={query} lines={1}>
        {(settings) => (
          <>
            <p>{t('A person who is added to a license for named people gets a mail with a link to the portal.')}</p>
            <Dialog title={t('Edit the invitation')} opened={editing} onClose={() => setEditing(false)} size="lg">
              <Form productId={productId} settings={settings} onClose={() => setEditing(false)} />
            </Dialog>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
