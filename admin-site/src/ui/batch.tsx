import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ComponentProps, type ReactNode } from 'react';
import type { Name } from '../routes';
import { number, plural, t } from '../texts';
import { CheckIcon, WarningIcon } from './icons';
import { DialogActions, DialogForm, useRunningAction } from './dialog';
import type { Sending } from './form';
import { Spinner } from './spinner';
import { Stack } from './page';
import classes from './batch.module.css';

/** Runs the same request for many items, a few at a time, with a result for each. */

const AT_ONCE = 4;
/** Maximum number of listed results, because ten thousand results would make the page slow. */
const LISTED = 200;
/** Milliseconds between two updates of the shown progress, because drawing ten thousand results one by one would be slow. */
const SHOWN_EVERY = 100;

export interface Outcome<Item, Result> {
  readonly item: Item;
  readonly result?: Result;
  readonly error?: Error;
}

export interface Batch<Item, Result> extends Sending {
  readonly running: boolean;
  readonly total: number;
  /** The results of the finished requests, in the order in which the requests ended. */
  readonly outcomes: readonly Outcome<Item, Result>[];
  start(items: readonly Item[]): void;
  /** Starts no more requests. Running requests are completed. */
  stop(): void;
  /** Continues a stopped batch with the items whose requests were not started. */
  resume(): void;
  /** Repeats the failed requests. */
  retry(): void;
}

/**
 * @param call the endpoint of the requests
 * @param run sends the request for an item. Sending the request again must be safe, because a response may get lost
 * @param onEnd is called with all results when no request is running any more
 */
export function useBatch<Item, Result>(
  call: Name,
  run: (item: Item) => Promise<Result>,
  onEnd: (outcomes: readonly Outcome<Item, Result>[]) => void,
): Batch<Item, Result> {
  const [outcomes, setOutcomes] = useState<readonly Outcome<Item, Result>[]>([]);
  const [total, setTotal] = useState(0);
  const [running, setRunning] = useState(false);
  const stopped = useRef(false);
  const closed = useRef(false);
  const busy = useRef(false);
  const waiting = useRef<readonly Item[]>([]);
  useEffect(
    () => () => {
      closed.current = true;
      stopped.current = true;
    },
    [],
  );
  // Closing the page would stop the batch, so the browser asks the operator first.
  useEffect(() => {
    if (!running) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [running]);
  const begin = (items: readonly Item[], done: readonly Outcome<Item, Result>[]): void => {
    // The dialog may have been closed while the caller prepared the batch. The state `running` is too late for a second submit of the form
    // before the form is replaced, which would repeat each request.
    if (closed.current || busy.current) return;
    busy.current = true;
    stopped.current = false;
    setOutcomes(done);
    setTotal(done.length + items.length);
    setRunning(true);
    const ended = [...done];
    let shown: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      shown = undefined;
      setOutcomes([...ended]);
    };
    let next = 0;
    const work = async (): Promise<void> => {
      while (!stopped.current) {
        const current = items[next];
        if (current === undefined) return;
        next += 1;
        const outcome = await run(current).then(
          (result): Outcome<Item, Result> => ({ item: current, result }),
          (error: Error): Outcome<Item, Result> => ({ item: current, error }),
        );
        ended.push(outcome);
        shown ??= setTimeout(show, SHOWN_EVERY);
      }
    };
    void Promise.all(Array.from({ length: AT_ONCE }, work)).then(() => {
      clearTimeout(shown);
      show();
      waiting.current = items.slice(next);
      busy.current = false;
      setRunning(false);
      onEnd(ended);
    });
  };
  return {
    call,
    // The form of a batch is replaced by the results as soon as the batch starts.
    isPending: false,
    error: null,
    running,
    total,
    outcomes,
    start: (items) => begin(items, []),
    stop: () => {
      stopped.current = true;
    },
    resume: () => begin(waiting.current, outcomes),
    retry: () =>
      begin(
        [...outcomes.flatMap(({ item, error }) => (error ? [item] : [])), ...waiting.current],
        outcomes.filter(({ error }) => !error),
      ),
  };
}

/** A batch's progress and the results of its items, failures first. */
export function BatchResults<Item, Result>({
  batch,
  nameOf,
  words,
  onClose,
  aside,
}: {
  batch: Batch<Item, Result>;
  nameOf: (item: Item) => string;
  /** The message for an item that succeeded. */
  words: (result: Result) => ReactNode;
  onClose: () => void;
  aside?: ReactNode;
}) {
  const { outcomes, total, running } = batch;
  useRunningAction(running);
  const failed = outcomes.filter(({ error }) => error);
  const left = total - outcomes.length;
  const listed = [...failed, ...outcomes.filter(({ error }) => !error)].slice(0, LISTED);
  return (
    <Stack>
      <div className={classes['head']} role="status">
        {running ? <Spinner /> : failed.length > 0 || left > 0 ? <WarningIcon size={18} /> : <CheckIcon size={18} />}
        <strong>{t('{done} of {all} done', { done: number(outcomes.length - failed.length), all: number(total) })}</strong>
        {failed.length > 0 && <span className={classes['bad']}>{plural(failed.length, '{count} failure', '{count} failures')}</span>}
        {!running && left > 0 && <span>{t('{count} not begun', { count: number(left) })}</span>}
      </div>
      <progress className={classes['progress']} max={Math.max(1, total)} value={outcomes.length} aria-label={t('Progress')} />
      <ol className={classes['results']} tabIndex={0} aria-label={t('Results')}>
        {listed.map((outcome, index) => (
          <li key={index}>
            <bdi>{nameOf(outcome.item)}</bdi>
            {outcome.error ? (
              <span className={classes['bad']}>{outcome.error.message}</span>
            ) : (
              <span className={classes['good']}>{words(outcome.result as Result)}</span>
            )}
          </li>
        ))}
        {outcomes.length > listed.length && <li>{t('and {count} more', { count: number(outcomes.length - listed.length) })}</li>}
      </ol>
      <DialogActions>
        {aside}
        {running ? (
          <Button variant="default" onClick={batch.stop}>
            {t('Stop')}
          </Button>
        ) : (
          <>
            {left > 0 && (
              <Button variant="default" onClick={batch.resume}>
                {t('Continue with the other {count}', { count: number(left) })}
              </Button>
            )}
            {failed.length > 0 && (
              <Button variant="default" onClick={batch.retry}>
                {t('Try failed ones again')}
              </Button>
            )}
            <Button onClick={onClose}>{t('Done')}</Button>
          </>
        )}
      </DialogActions>
    </Stack>
  );
}

/** A form of a dialog that sends the same request for several items. Their results then replace the form. */
export function BatchForm<Item>({
  call,
  items,
  nameOf,
  run,
  stale,
  onClose,
  ...form
}: Omit<ComponentProps<typeof DialogForm>, 'change' | 'onSubmit' | 'onCancel'> & {
  readonly call: Name;
  readonly items: readonly Item[];
  readonly nameOf: (item: Item) => string;
  /** Sends the request for an item, and returns the result in words. */
  readonly run: (item: Item) => Promise<string>;
  /** The queries that the requests make stale: all whose query key begins with one of these entries. */
  readonly stale: readonly (readonly unknown[])[];
  /** @param hasRun whether requests were sent */
  readonly onClose: (hasRun: boolean) => void;
}) {
  const client = useQueryClient();
  const batch = useBatch<Item, string>(call, run, () => {
    for (const queryKey of stale) void client.invalidateQueries({ queryKey });
  });
  if (batch.total > 0) return <BatchResults batch={batch} nameOf={nameOf} words={(words) => words} onClose={() => onClose(true)} />;
  return (
    <DialogForm
      {...form}
      change={batch}
      disabled={form.disabled || items.length === 0}
      onSubmit={() => batch.start(items)}
      onCancel={() => onClose(false)}
    />
  );
}
