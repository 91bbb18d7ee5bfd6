import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';

/** A request or a delivery that runs at the same time as others. */
export interface Task {
  /** The moments at which it began and ended, counted in turns; it has no end if it died. */
  begin: number;
  end: number;
  died: boolean;
}
interface Running extends Task {
  done: boolean;
}

/** One for all: Node asks every storage that there ever was at every promise, and a long run makes a thousand of these. */
const current = new AsyncLocalStorage<Running>();

/**
 * Interleaves tasks at their calls of the table and the queue, as if each ran on a machine of its own: one call
 * is made at a time, and a drawn number says whose is next. So a seed is an interleaving. A task may die instead
 * of making its call: what it has awaited until then is done, and nothing else of it ever happens.
 */
export class Turns {
  private waiting: { readonly task: Running; readonly go: () => Promise<void> }[] = [];
  private moment = 0;
  deaths = 0;

  /**
   * @param chance draws from [0, 1)
   * @param deathRate how likely a task dies at one of its calls
   */
  constructor(
    private readonly chance: () => number,
    private readonly deathRate: number,
  ) {}

  /** Makes a call when it is its task's turn; at once outside of {@link run}. */
  take<Result>(call: () => Promise<Result>): Promise<Result> {
    const task = current.getStore();
    if (!task) return call();
    return new Promise((resolve, reject) => {
      this.waiting.push({ task, go: () => call().then(resolve, reject) });
    });
  }

  /** Runs tasks until all have ended or died. A task that throws fails the run. */
  async run(works: readonly ((task: Task) => Promise<void>)[]): Promise<void> {
    let fault: Error | undefined;
    const tasks = works.map((work) => {
      const task: Running = { begin: 0, end: Infinity, died: false, done: false };
      const begin = async (): Promise<void> => {
        task.begin = this.moment;
      };
      void current.run(task, () =>
        this.take(begin)
          .then(() => work(task))
          .catch((error: unknown) => (fault = error instanceof Error ? error : new Error(String(error))))
          .finally(() => {
            task.done = true;
            if (!task.died) task.end = this.moment;
          }),
      );
      return task;
    });

    for (;;) {
      const busy = (): boolean => tasks.some((task) => !task.done && !this.waiting.some((entry) => entry.task === task));
      while (busy()) await setImmediate();
      // A task may make several calls at once: they come in the same breath.
      await setImmediate();
      if (busy()) continue;
      const next = this.waiting[Math.floor(this.chance() * this.waiting.length)];
      if (!next) break;
      this.moment += 1;
      if (this.chance() < this.deathRate) {
        this.deaths += 1;
        next.task.died = next.task.done = true;
        this.waiting = this.waiting.filter(({ task }) => task !== next.task);
      } else {
        this.waiting = this.waiting.filter((entry) => entry !== next);
        await next.go();
      }
    }
    if (fault) throw fault;
  }
}
