import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { number, t } from '../texts';
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

/** Shows a list that was read completely in pages. `pager` has the buttons if there are several pages, and `restart` shows the first page. */
export function useLocalPages<Item>(
  items: readonly Item[],
  size: number,
): { readonly shown: readonly Item[]; readonly pager: ReactNode; readonly restart: () => void } {
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(items.length / size));
  const at = Math.min(page, pages - 1);
  const shown = items.slice(at * size, (at + 1) * size);
  const pager = pages > 1 && (
    <Pager
      words={t('{first}–{last} of {all}', {
        first: number(at * size + 1),
        last: number(at * size + shown.length),
        all: number(items.length),
      })}
      busy={false}
      onPrevious={at > 0 ? () => setPage(at - 1) : undefined}
      onNext={at < pages - 1 ? () => setPage(at + 1) : undefined}
    />
  );
  return { shown, pager, restart: () => setPage(0) };
}
