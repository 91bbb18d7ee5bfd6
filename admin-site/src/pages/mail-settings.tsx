import { Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Placeholder } from '../../../lambdas/contract/placeholders';
import type { ResponseOf } from '../routes';
import { useChange } from '../queries/change';
import { useMailSettings, useMailStatus } from '../queries/mail';
import { href, Link } from '../router';
import { t, T } from '../texts';
import { Check } from '../ui/check';
import { EditIcon } from '../ui/icons';
import { Dialog, DialogForm } from '../ui/dialog';
import { Panel, Row } from '../ui/page';
import { Loaded } from '../ui/states';
import { wrongWith } from '../ui/wrong-field';
import { MailLanguage } from './mail-language';
import classes from './payments.module.css';

/** The allowed placeholders, each with a description of its value. */
export const keyMailPlaceholders: Readonly<Record<Placeholder, string>> = {
  product: t('the product'),
  license_type: t('its license type'),
  keys: t('the keys, one per line'),
  expires_at: t('a date, or “never”'),
  seats: t('a number, or “unlimited”'),
  order: t('the order'),
  portal: t('the address of the portal, or nothing while it is off'),
};

/** The placeholders with their descriptions, as one sentence. */
export const describePlaceholders = (all: Readonly<Record<string, string>>): string =>
  t('Placeholders: {placeholders}.', {
    placeholders: Object.entries(all)
      .map(([name, words]) => `{{${name}}} (${words})`)
      .join(', '),
  });

type Settings = ResponseOf<'getMailSettings'>;

function Form({ productId, settings: present, onClose }: { productId: number; settings: Settings; onClose: () => void }) {
  // The settings with which the form was filled. Only fields that differ from them are sent, so that a simultaneous change of other fields
  // by somebody else is kept.
  const [settings] = useState(present);
  const [sends, setSends] = useState(settings.send_keys);
  const [replyTo, setReplyTo] = useState(settings.reply_to ?? '');
  const [subject, setSubject] = useState(settings.subject);
  const [text, setText] = useState(settings.text);
  const [language, setLanguage] = useState(settings.language);
  const save = useChange('setMailSettings', {
    stale: [['mail-settings', productId]],
    done: ({ send_keys: is }) => (is ? t('Keys are mailed to buyers') : t('Keys are not mailed')),
    onSuccess: onClose,
  });
  const address = replyTo.trim() === '' ? null : replyTo.trim();
  const changes = {
    ...(sends !== settings.send_keys && { send_keys: sends }),
    ...(address !== settings.reply_to && { reply_to: address }),
  };
  return (
    <DialogForm
      onSubmit={() =>
        save.mutate({
          params: { id: productId },
          body: {
            ...changes,
            ...(subject !== settings.subject && { subject }),
            ...(text !== settings.text && { text }),
            ...(language !== settings.language && { language }),
          },
        })
      }
      onCancel={onClose}
      submit={t('Save')}
      busy={save.isPending}
      error={save.error}
      fields={['reply_to', 'subject', 'text']}
      aside={
        <Button
          variant="subtle"
          onClick={() =>
            save.mutate({
              params: { id: productId },
              body: { ...changes, subject: null, text: null },
            })
          }
        >
          {t('Default text')}
        </Button>
      }
    >
      <Check
        label={t('Mail keys to buyers')}
        note={t('Mails the key of every new license that has a buyer’s address. Keys of trials are not mailed.')}
        checked={sends}
        onChange={setSends}
      />
      <MailLanguage
        label={t('Language of the default texts and of dates')}
        value={language}
        onChange={(chosen) => setLanguage(chosen ?? settings.language)}
      />
      <TextInput
        label={t('Reply-to address (optional)')}
        inputMode="email"
        placeholder="help@example.com"
        value={replyTo}
        onChange={(event) => setReplyTo(event.currentTarget.value)}
        error={wrongWith(save.error, 'reply_to')}
        autoComplete="off"
      />
      <TextInput
        label={t('Subject')}
        value={subject}
        onChange={(event) => setSubject(event.currentTarget.value)}
        error={wrongWith(save.error, 'subject')}
        maxLength={200}
        autoComplete="off"
      />
      <Textarea
        className={classes['text'] ?? ''}
        label={t('Text')}
        description={describePlaceholders(keyMailPlaceholders)}
        rows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={wrongWith(save.error, 'text')}
      />
    </DialogForm>
  );
}

/** Whether the product's keys are mailed, and the text of the mail. */
export function MailSettings({ productId }: { productId: number }) {
  const query = useMailSettings(productId);
  const status = useMailStatus();
  const [editing, setEditing] = useState(false);
  return (
    <Panel
      title={t('Keys by mail')}
      action={
        <Button variant="default" size="xs" leftSection={<EditIcon size={15} />} onClick={() => setEditing(true)} disabled={!query.data}>
          {t('Edit the mail')}
        </Button>
      }
    >
      <Loaded query={query} lines={1}>
        {(settings) => (
          <>
            <p>
              {settings.send_keys
                ? t('The key of every new license is mailed to the buyer’s address, if there is one.')
                : t('Keys are not mailed.')}{' '}
              {status.data?.configured === false && (
                <>
                  <T text="The service cannot send mail yet: see {link}." values={{ link: <Link to={href('/mail')}>{t('Mail')}</Link> }} />
                </>
              )}
            </p>
            {settings.send_keys && (
              <Row>
                <Link to={href(`/products/${productId}/payments`, { view: 'mails' })}>{t('Sent mails')}</Link>
              </Row>
            )}
            <Dialog title={t('Edit the mail with the key')} opened={editing} onClose={() => setEditing(false)} size="lg">
              <Form productId={productId} settings={settings} onClose={() => setEditing(false)} />
            </Dialog>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
