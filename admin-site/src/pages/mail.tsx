import { TextInput } from '@mantine/core';
import { useChange } from '../queries/change';
import { useMailStatus } from '../queries/mail';
import { t, T } from '../texts';
import { CheckIcon, MailIcon } from '../ui/icons';
import { Dim, Facts, PageHead, Panel, Stack } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { Empty, Loaded } from '../ui/states';
import { useFields } from '../ui/use-fields';
import classes from './mail.module.css';

function Test() {
  const send = useChange('sendTestMail', { done: (sent) => t('Sent a test mail to {to}', { to: sent.to }) });
  const { values, field } = useFields({ to: '' }, send);
  const to = values.to.trim();
  return (
    <PageForm
      onSubmit={() => send.mutate({ body: { to } })}
      submit={t('Send')}
      icon={<MailIcon size={16} />}
      primary
      change={send}
      disabled={to === ''}
    >
      <TextInput label={t('Send a test mail to')} inputMode="email" placeholder="you@example.com" {...field('to')} autoComplete="email" />
      {send.data && !send.isPending && (
        <p className={classes['sent']} role="status">
          <CheckIcon size={18} />
          <span>
            <T
              text="Accepted for {to}. Message id {messageId}"
              values={{ to: <bdi>{send.data.to}</bdi>, messageId: <code>{send.data.message_id}</code> }}
            />
          </span>
        </p>
      )}
    </PageForm>
  );
}

export function MailPage() {
  const query = useMailStatus();
  return (
    <>
      <PageHead title={t('Mail')}>{t('Shows whether the service can send mail, and sends a test mail.')}</PageHead>
      <Panel>
        <Loaded query={query} lines={3}>
          {({ configured, from }) =>
            configured ? (
              <Stack>
                <Facts
                  facts={[
                    [t('Status'), t('Mail is set up')],
                    [t('From'), from === null ? <Dim key="from">{t('No address')}</Dim> : <bdi key="from">{from}</bdi>],
                  ]}
                />
                <Test />
              </Stack>
            ) : (
              <Empty icon={<MailIcon size={26} />} title={t('Mail is not set up')}>
                <T
                  text="On your computer, start the service with MAIL_FROM. On AWS, set {setting} in license-key-service.config.json and deploy. Everything else works without mail."
                  values={{ setting: <code>mail</code> }}
                />
              </Empty>
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}
