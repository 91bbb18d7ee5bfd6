import { Button } from '@mantine/core';
import { useState } from 'react';
import { May } from '../permission';
import { useChange } from '../queries/change';
import { usePreviousApiKey } from '../queries/products';
import { t, T } from '../texts';
import { Dialog, DialogForm } from '../ui/dialog';
import { Row } from '../ui/page';
import { Moment } from '../ui/time';

function EndForm({ productId, onClose }: { productId: number; onClose: () => void }) {
  const end = useChange('endPreviousApiKey', {
    stale: [['previous-api-key', productId]],
    done: () => t('The previous API key stops working within a minute'),
    onSuccess: onClose,
  });
  return (
    <DialogForm
      onSubmit={() => end.mutate({ params: { id: productId } })}
      onCancel={onClose}
      submit={t('End it now')}
      danger
      busy={end.isPending}
      error={end.error}
    >
      <p>{t('Installed apps that still use the previous key can then neither activate nor check licenses online.')}</p>
    </DialogForm>
  );
}

/** Says until when the previous API key works, and ends it earlier. Shows nothing if only the current key works. */
export function PreviousApiKey({ productId }: { productId: number }) {
  const { data: previous } = usePreviousApiKey(productId);
  const [ending, setEnding] = useState(false);
  const close = (): void => setEnding(false);
  if (!previous || previous.valid_until === null) return null;
  const until = <Moment at={previous.valid_until} />;
  return (
    <Row>
      <span>
        {previous.hint === null ? (
          <T text="The previous key works until {time}." values={{ time: until }} />
        ) : (
          <T
            text="The previous key, which ends in {hint}, works until {time}."
            values={{ hint: <code>{previous.hint}</code>, time: until }}
          />
        )}
      </span>
      <May call="endPreviousApiKey">
        <Button variant="default" size="xs" onClick={() => setEnding(true)}>
          {t('End it now')}
        </Button>
      </May>
      <Dialog title={t('End the previous API key?')} opened={ending} onClose={close}>
        <EndForm productId={productId} onClose={close} />
      </Dialog>
    </Row>
  );
}
