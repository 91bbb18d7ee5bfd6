import { useState } from 'react';
import { moment, plural } from '../format';
import { useChange } from '../queries';
import { Dialog, DialogForm } from '../ui/dialog';
import { NumberField, numberIn } from '../ui/number-field';
import { wrongWith } from '../ui/wrong-field';

/** New credentials, with a time in which the previous ones keep working. */

interface Props {
  readonly productId: number;
  readonly onClose: () => void;
}

function Overlap({ hours, onHours, error }: { hours: string; onHours: (hours: string) => void; error: Error | null }) {
  return (
    <NumberField
      label="The one before works for, in hours"
      description={hours === '0' ? 'Refused within 60 seconds: for one that has leaked.' : undefined}
      value={hours}
      onValue={onHours}
      error={wrongWith(error, 'overlap_hours')}
      data-autofocus
    />
  );
}

function ApiKey({ productId, onClose }: Props) {
  const [hours, setHours] = useState('720');
  const rotate = useChange('rotateApiKey', {
    stale: [['product', productId], ['products']],
    done: () => 'The product has a new API key',
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => rotate.mutate({ params: { id: productId }, body: { overlap_hours: numberIn(hours) ?? 0 } })}
      onCancel={onClose}
      submit="Rotate the API key"
      danger
      busy={rotate.isPending}
      error={rotate.error}
      fields={['overlap_hours']}
      disabled={hours === ''}
    >
      <p>
        The product gets a new API key for the next release of your app. Apps in use have the old one: give them time (
        {plural(Math.round((numberIn(hours) ?? 0) / 24), 'day')}).
      </p>
      <Overlap hours={hours} onHours={setHours} error={rotate.error} />
    </DialogForm>
  );
}

function WebhookSecret({ productId, onClose }: Props) {
  const [hours, setHours] = useState('24');
  const rotate = useChange('rotateWebhookSecret', {
    stale: [['webhook', productId]],
    done: ({ previous_until: until }) =>
      until === null ? 'The webhook has a new secret' : `The webhook has a new secret; the one before signs as well until ${moment(until)}`,
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => rotate.mutate({ params: { id: productId }, body: { overlap_hours: numberIn(hours) ?? 0 } })}
      onCancel={onClose}
      submit="Rotate the secret"
      danger
      busy={rotate.isPending}
      error={rotate.error}
      fields={['overlap_hours']}
      disabled={hours === ''}
    >
      <p>
        X-Svc-Signature is of the new secret at once: give it to your backend right away. During the overlap webhook-signature (Standard
        Webhooks) carries the signatures of both.
      </p>
      <Overlap hours={hours} onHours={setHours} error={rotate.error} />
    </DialogForm>
  );
}

export const RotateApiKey = ({ opened, ...props }: Props & { opened: boolean }) => (
  <Dialog title="Rotate the API key?" opened={opened} onClose={props.onClose}>
    <ApiKey {...props} />
  </Dialog>
);

export const RotateWebhookSecret = ({ opened, ...props }: Props & { opened: boolean }) => (
  <Dialog title="Rotate the signing secret?" opened={opened} onClose={props.onClose}>
    <WebhookSecret {...props} />
  </Dialog>
);
