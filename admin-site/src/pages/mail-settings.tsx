import { Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Placeholder } from '../../../lambdas/contract/placeholders';
import type { ResponseOf } from '../routes';
import { useChange } from '../queries/change';
import { useMailStatus } from '../queries/mail';
import { href, Link } from '../router';
import { t, T } from '../texts';
import { Check } from '../ui/check';
import { DialogForm } from '../ui/dialog';
import { Row } from '../ui/page';
import { textIn, useFields } from '../ui/use-fields';
import { changedFields } from './changed-fields';
import { MailPanel } from './mail-panel';
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

const valuesOf = ({ send_keys, reply_to, subject, text, language }: Settings) => ({
  send_keys,
  reply_to: reply_to ?? '',
  subject,
  text,
  language,
});

function Form({ productId, settings: present, onClose }: { productId: number; settings: Settings; onClose: () => void }) {
  // The settings with which the form was filled. Only fields that differ from them are sent, so that a simultaneous change of other fields
  // by somebody else is kept.
  const [settings] = useState(present);
  const save = useChange('setMailSettings', {
    stale: [['mail-settings', productId]],
    done: ({ send_keys: is }) => (is ? t('Keys are mailed to buyers') : t('Keys are not mailed')),
    onSuccess: onClose,
  });
  const { values, field, check, change } = useFields(valuesOf(settings), save);
  const bodyOf = (given: typeof values) => ({ ...given, reply_to: textIn(given.reply_to) });
  const changes = changedFields(bodyOf(valuesOf(settings)), bodyOf(values));
  return (
    <DialogForm
      onSubmit={() => save.mutate({ params: { id: productId }, body: changes })}
      onCancel={onClose}
      submit={t('Save')}
      change={save}
      aside={
        <Button
          variant="subtle"
          onClick={() => save.mutate({ params: { id: productId }, body: { ...changes, subject: null, text: null } })}
        >
          {t('Default text')}
        </Button>
      }
    >
      <Check
        label={t('Mail keys to buyers')}
        note={t('Mails the key of every new license that has a buyer’s address. Keys of trials are not mailed.')}
        {...check('send_keys')}
      />
      <MailLanguage
        label={t('Language of the default texts and of dates')}
        {...field('language')}
        onChange={(language) => language && change({ language })}
      />
      <TextInput
        label={t('Reply-to address (optional)')}
        inputMode="email"
        placeholder="help@example.com"
        {...field('reply_to')}
        autoComplete="off"
      />
      <TextInput label={t('Subject')} {...field('subject')} maxLength={200} autoComplete="off" />
      <Textarea
        className={classes['text'] ?? ''}
        label={t('Text')}
        description={describePlaceholders(keyMailPlaceholders)}
        rows={12}
        {...field('text')}
      />
    </DialogForm>
  );
}

/** Whether the product's keys are mailed, and the text of the mail. */
export function MailSettings({ productId }: { productId: number }) {
  const status = useMailStatus();
  return (
    <MailPanel
      productId={productId}
      title={t('Keys by mail')}
      edit={t('Edit the mail with the key')}
      form={(settings, onClose) => <Form productId={productId} settings={settings} onClose={onClose} />}
    >
      {(settings) => (
        <>
          <p>
            {settings.send_keys
              ? t('The key of every new license is mailed to the buyer’s address, if there is one.')
              : t('Keys are not mailed.')}{' '}
            {status.data?.configured === false && (
              <T text="The service cannot send mail yet: see {link}." values={{ link: <Link to={href('/mail')}>{t('Mail')}</Link> }} />
            )}
          </p>
          {settings.send_keys && (
            <Row>
              <Link to={href(`/products/${productId}/payments`, { view: 'mails' })}>{t('Sent mails')}</Link>
            </Row>
          )}
        </>
      )}
    </MailPanel>
  );
}
