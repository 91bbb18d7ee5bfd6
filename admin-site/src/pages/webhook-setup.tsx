import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../routes';
import { call } from '../api';
import { expectUnchanged, useChange } from '../queries/change';
import { useWebhook } from '../queries/deliveries';
import { go, href } from '../router';
import { t } from '../texts';
import { Act } from '../ui/act';
import { Confirm } from '../ui/confirm';
import { CopyButton } from '../ui/copy-button';
import { EyeIcon, SendIcon, TrashIcon } from '../ui/icons';
import { Code, Dim, Panel, Row, Stack } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { Refilled, type Fill } from '../ui/refilled';
import { Loaded } from '../ui/states';
import { useFields } from '../ui/use-fields';
import { RotateWebhookSecret } from './rotate';
import { WebhookEvents } from './webhook-events';
import classes from './webhook-setup.module.css';

function Secret({ secret, productId }: { secret: string; productId: number }) {
  const [shown, setShown] = useState(false);
  const [rotating, setRotating] = useState(false);
  return (
    <div>
      <h3>{t('Signing secret')}</h3>
      <p className={classes['dim']}>
        {t('Your backend verifies the header X-Svc-Signature with this secret. A new URL does not change the secret.')}
      </p>
      <Row>
        {shown ? <Code label={t('Signing secret')}>{secret}</Code> : <Dim>{t('Hidden')}</Dim>}
        <Button variant="default" size="xs" leftSection={<EyeIcon size={16} />} onClick={() => setShown(!shown)} aria-expanded={shown}>
          {shown ? t('Hide the secret') : t('Reveal the secret')}
        </Button>
        {shown && <CopyButton text={secret} what={t('signing secret')} labelled />}
        <Act call="rotateWebhookSecret" size="xs" onClick={() => setRotating(true)}>
          {t('Rotate')}
        </Act>
      </Row>
      <RotateWebhookSecret productId={productId} opened={rotating} onClose={() => setRotating(false)} />
    </div>
  );
}

type Webhook = ResponseOf<'getWebhook'>;

interface Props {
  readonly productId: number;
  readonly webhook: Webhook;
}

function UrlForm({ productId, webhook, filled, onEdited, onSaved }: Props & Fill<Webhook>) {
  const [clearing, setClearing] = useState(false);
  const save = useChange('setWebhook', {
    stale: [['webhook', productId]],
    done: () => t('Saved the webhook'),
    onSuccess: onSaved,
    before: async () => expectUnchanged(filled.url, (await call('getWebhook', { params: { id: productId } })).url),
  });
  const test = useChange('testWebhook', {
    stale: [['deliveries', productId]],
    done: () => t('Sent a test event'),
    onSuccess: ({ id }) => go(href(`/products/${productId}/webhooks/${id}`)),
  });
  const { values, field } = useFields({ url: filled.url }, save);
  const url = values.url.trim();
  const changed = url !== filled.url;
  useEffect(() => onEdited(changed), [changed, onEdited]);
  return (
    <>
      <PageForm
        onSubmit={() => save.mutate({ params: { id: productId }, body: { url } })}
        submit={t('Save')}
        primary
        change={{ ...save, error: save.error ?? test.error }}
        disabled={!changed || url === ''}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<SendIcon size={16} />}
              loading={test.isPending}
              disabled={webhook.url === '' || changed}
              onClick={() => test.mutate({ params: { id: productId } })}
            >
              {t('Send a test event')}
            </Button>
            <Button
              variant="default"
              leftSection={<TrashIcon size={16} />}
              disabled={webhook.url === '' || changed}
              onClick={() => setClearing(true)}
            >
              {t('Clear')}
            </Button>
          </>
        }
      >
        <TextInput
          label={t('URL')}
          description={t('Events are posted here as JSON.')}
          type="url"
          placeholder="https://example.com/hooks/licenses"
          {...field('url')}
          autoComplete="off"
          spellCheck={false}
        />
      </PageForm>
      <Confirm
        title={t('Clear the webhook?')}
        opened={clearing}
        onClose={() => setClearing(false)}
        call="setWebhook"
        request={() => ({ params: { id: productId }, body: { url: '' } })}
        submit={t('Clear the webhook')}
        danger
        stale={[
          ['webhook', productId],
          ['deliveries', productId],
        ]}
        done={() => t('Cleared the webhook')}
      >
        <p>
          {t(
            'Your backend will no longer be informed of changes. Events are still logged here as skipped, and you can send them after you set a URL again.',
          )}
        </p>
      </Confirm>
    </>
  );
}

function Setup({ productId, webhook }: Props) {
  return (
    <Stack>
      <Refilled stored={webhook} valuesOf={({ url }) => url}>
        {(fill) => <UrlForm productId={productId} webhook={webhook} {...fill} />}
      </Refilled>
      <WebhookEvents productId={productId} webhook={webhook} />
      {webhook.secret !== undefined && <Secret secret={webhook.secret} productId={productId} />}
    </Stack>
  );
}

export function WebhookSetup({ productId }: { productId: number }) {
  const query = useWebhook(productId);
  return (
    <Panel title={t('Endpoint')}>
      <Loaded query={query} lines={3}>
        {(webhook) => <Setup productId={productId} webhook={webhook} />}
      </Loaded>
    </Panel>
  );
}
