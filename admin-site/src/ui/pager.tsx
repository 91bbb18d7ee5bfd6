import { Button } from '@mantine/core';
import { LeftIcon, RightIcon } from './icons';
import { Row } from './page';
import classes from './pager.module.css';

/** Steps through the pages of a list that knows only where its next page begins. */
export function Pager({ words, onPrevious, onNext, busy }: { words: string; onPrevious: (() => void) | undefined; onNext: (() => void) | undefined; busy: boolean }) {
  return (
    <nav className={classes['pager']} aria-label="Pages">
      <span role="status">{words}</span>
      <Row>
        <Button variant="default" size="xs" leftSection={<LeftIcon size={14} />} disabled={!onPrevious || busy} onClick={onPrevious}>
          Previous
        </Button>
        <Button variant="default" size="xs" rightSection={<RightIcon size={14} />} disabled={!onNext || busy} onClick={onNext}>
          Next
        </Button>
      </Row>
    </nav>
  );
}
