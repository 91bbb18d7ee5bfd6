import { Button } from '@mantine/core';
import { t } from '../texts';
import { LeftIcon, RightIcon } from './icons';
import { Row } from './page';
import classes from './pager.module.css';

/** Buttons to the previous and the next page of a list. */
export function Pager({
  words,
  onPrevious,
  onNext,
  busy,
  previous = t('Previous'),
}: {
  words: string;
  previous?: string;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  busy: boolean;
}) {
  return (
    <nav className={classes['pager']} aria-label={t('Pages')}>
      <span role="status">{words}</span>
      <Row>
        <Button variant="default" size="xs" leftSection={<LeftIcon size={14} />} disabled={!onPrevious || busy} onClick={onPrevious}>
          {previous}
        </Button>
        <Button variant="default" size="xs" rightSection={<RightIcon size={14} />} disabled={!onNext || busy} onClick={onNext}>
          {t('Next')}
        </Button>
      </Row>
    </nav>
  );
}
