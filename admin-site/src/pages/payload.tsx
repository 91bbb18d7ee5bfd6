import { json } from '../format';
import { t } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { Code, Row } from '../ui/page';

/** The body of an event or of a notification, as JSON. */
export function Payload({ children }: { children: unknown }) {
  const text = json(children);
  return (
    <div>
      <Row>
        <h3>{t('Payload')}</h3>
        <CopyButton text={text} what={t('payload')} />
      </Row>
      <Code label={t('Payload')}>{text}</Code>
    </div>
  );
}
