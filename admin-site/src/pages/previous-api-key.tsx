import { useState } from 'react';
import { usePreviousApiKey } from '../queries/products';
import { t, T } from '../texts';
import { Act } from '../ui/act';
import { Confirm } from '../ui/confirm';
import { Row } from '../ui/page';
import { Moment } from '../ui/time';

/** Says until when the previous API key works, and ends it earlier. Shows nothing if only the current key works. */
export function PreviousApiKey({ productId }: { productId: number }) {
  const { data: previous } = usePreviousApiKey(productId);
  const [ending, setEnding] = useState(false);
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
      <Act call="endPreviousApiKey" size="xs" onClick={() => setEnding(true)}>
        {t('End it now')}
      </Act>
      <Confirm
        title={t('End the previous API key?')}
        opened={ending}
        onClose={() => setEnding(false)}
        call="endPreviousApiKey"
        request={() => ({ params: { id: productId } })}
        submit={t('End it now')}
        danger
        stale={[['previous-api-key', productId]]}
        done={() => t('The previous API key stops working within a minute')}
      >
        <p>{t('Installed apps that still use the previous key can then neither activate nor check licenses online.')}</p>
      </Confirm>
    </Row>
  );
}
