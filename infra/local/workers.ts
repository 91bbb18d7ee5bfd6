import { createRequire } from 'node:module';
import { workers } from '../../lambdas/contract/workers';
import type { App, Invocation } from '../../lambdas/runtime/app';
import { messageOf } from './errors';

/** The functions of the service that no request starts: the event queue or a schedule starts them. */

export type Handler<Event, Result> = (event: Event, invocation: Invocation) => Promise<Result>;

const load = createRequire(__filename);

/** Loads the handler in a file of `lambdas/events`. It is loaded when it is first needed, which makes the start faster. */
export const workerHandler = <Event, Result>(name: string): Handler<Event, Result> =>
  (load(`../../lambdas/events/${name}`) as { handler: Handler<Event, Result> }).handler;

export interface ScheduleOptions {
  /** Maximum period of a schedule, in ms. A schedule with a longer period runs at this period instead. */
  readonly longestPeriod: number;
  readonly report: (line: string) => void;
}

/**
 * Runs the workers that have a schedule. A run starts only after the worker's previous run has ended.
 *
 * @returns a function that starts no more runs, and waits for the runs in progress
 */
export function startSchedules(app: App, { longestPeriod, report }: ScheduleOptions): () => Promise<void> {
  const running = workers.flatMap(({ name, trigger }) => {
    if (typeof trigger === 'string') return [];
    const run = async (): Promise<void> => {
      await workerHandler<object, void>(name)({}, { app }).catch((error: unknown) => report(`ERROR ${name}: ${messageOf(error)}`));
    };
    return [repeat(Math.min(trigger.everyMinutes * 60_000, longestPeriod), run)];
  });
  return async () => void (await Promise.all(running.map((stop) => stop())));
}

function repeat(period: number, action: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  let underWay: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, period);
  function run(): void {
    const begun = performance.now();
    underWay = action().finally(() => {
      if (!stopped) timer = setTimeout(run, Math.max(0, begun + period - performance.now()));
    });
  }
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await underWay;
  };
}
