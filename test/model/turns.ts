import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { WithLock } from '../../lambdas/store/locks';

/** A request or a delivery that runs at the same time as others. */
export interface Task {
  /** When the task began and ended: how many calls of all tasks had been selected until then. `end` is infinite if the task died. */
  begin: number;
  end: number;
  died: boolean;
}
interface Running extends Task {
  done: boolean;
}

/**
 * All runs share one AsyncLocalStorage. Node notifies every AsyncLocalStorage at every promise, so a process with a thousand of them would
 * be slow.
 */
const current = new AsyncLocalStorage<Running>();

/**
 * Interleaves tasks at their calls to the table and the queue, as if each task ran in its own function instance. One call is executed at a
 * time, and a random number selects the next call, so a seed determines the interleaving. A task may die when its call is selected: then
 * this call and all remaining calls of the task are never executed.
 */
export class Turns {
  private waiting: { readonly task: Running; readonly go: () => Promise<void> }[] = [];
  private moment = 0;
  deaths = 0;

  /**
   * @param chance returns random numbers in [0, 1)
   * @param deathRate probability that a task dies at one of its calls
   */
  constructor(
    private readonly chance: () => number,
    private readonly deathRate: number,
  ) {}

  /** Executes a task's call when the call is selected. A call outside of {@link run} is executed at once. */
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
      // A task may start several calls at the same time. All of these calls must be waiting before the next call is selected.
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

/** Runs work at once, without a lock, like a function on AWS, which handles one request at a time. */
export const noLock: WithLock = (_subject, work) => work(false);
