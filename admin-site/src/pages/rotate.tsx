import { HOUR_MS } from '../../../lambdas/domain/time';
import { moment } from '../format';
import { useChange } from '../queries/change';
import { t } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { NumberField, numberIn } from '../ui/number-field';
import { useFields, type Field } from '../ui/use-fields';

/** Dialogs that create new credentials. The operator chooses how long the old credentials stay valid. */

interface Props {
  readonly productId: number;
  readonly onClose: () => void;
}

function Overlap({ kind, ...field }: { kind: 'key' | 'secret' } & Field<string>) {
  return (
    <NumberField
      label={kind === 'key' ? t('Keep the old key valid for (hours)') : t('Keep the old secret valid for (hours)')}
      description={
        field.value !== '0'
          ? undefined
          : kind === 'key'
            ? t('The old key stops working after at most 60 seconds. Choose this option if the old key has leaked.')
            : t('The old secret stops working after at most 60 seconds. Choose this option if the old secret has leaked.')
      }
      {...field}
      data-autofocus
    />
  );
}

function ApiKey({ productId, onClose }: Props) {
  const rotate = useChange('rotateApiKey', {
    stale: [['product', productId], ['products'], ['previous-api-key', productId]],
    done: () => t('The product has a new API key'),
    onSuccess: onClose,
  });
  const { values, field } = useFields({ overlap_hours: '720' }, rotate);
  const overlap = numberIn(values.overlap_hours) ?? 0;
  const until = new Date(Date.now() + overlap * HOUR_MS);
  // The time is invalid if the number of hours is too large. The service refuses such a number.
  const keepsOld = overlap > 0 && !Number.isNaN(until.getTime());
  return (
    <DialogForm
      onSubmit={() => rotate.mutate({ params: { id: productId }, body: { overlap_hours: overlap } })}
      onCancel={onClose}
      submit={t('Rotate the API key')}
      danger
      change={rotate}
      disabled={values.overlap_hours === ''}
    >
      <p>
        {t(
          'The product gets a new API key for the next release of your app. Installed apps use the old key, so keep the old key valid until most apps are updated.',
        )}
        {keepsOld && ` ${t('The old key will be valid until {time}.', { time: moment(until.toISOString()) })}`}
      </p>
      <Overlap kind="key" {...field('overlap_hours')} />
    </DialogForm>
  );
}

function WebhookSecret({ productId, onClose }: Props) {
  const rotate = useChange('rotateWebhookSecret', {
    stale: [['webhook', productId]],
    done: ({ previous_until: until }) =>
      until === null
        ? t('The webhook has a new secret')
        : t('The webhook has a new secret; webhooks are also signed with the old one until {time}', { time: moment(until) }),
    onSuccess: onClose,
  });
  const { values, field } = useFields({ overlap_hours: '24' }, rotate);
  return (
    <DialogForm
      onSubmit={() => rotate.mutate({ params: { id: productId }, body: { overlap_hours: numberIn(values.overlap_hours) ?? 0 } })}
      onCancel={onClose}
      submit={t('Rotate the secret')}
      danger
      change={rotate}
      disabled={values.overlap_hours === ''}
    >
      <p>
        {t(
          'X-Svc-Signature uses the new secret at once, so give the new secret to your backend right away. While the old secret is valid, webhook-signature (Standard Webhooks) contains one signature with each secret.',
        )}
      </p>
      <Overlap kind="secret" {...field('overlap_hours')} />
    </DialogForm>
  );
}

export const RotateApiKey = ({ opened, ...props }: Props & { opened: boolean }) => (
  <Dialog title={t('Rotate the API key?')} opened={opened} onClose={props.onClose}>
    <ApiKey {...props} />
  </Dialog>
);

export const RotateWebhookSecret = ({ opened, ...props }: Props & { opened: boolean }) => (
  <Dialog title={t('Rotate the signing secret?')} opened={opened} onClose={props.onClose}>
    <WebhookSecret {...props} />
  </Dialog>
);
