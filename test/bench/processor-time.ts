import { readdirSync, readFileSync } from 'node:fs';

/** Reads a file of /proc. Returns an empty text if the file's process or thread has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

const list = (path: string): string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** A process and all processes that it has started. */
function withDescendants(pid: number): number[] {
  const children = list(`/proc/${pid}/task`).flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' '));
  return [pid, ...children.filter((child) => child !== '').flatMap((child) => withDescendants(Number(child)))];
}

/** The main thread of the measured process: in the local stack it runs the gateway, IAM and the pollers of the queues. */
const MAIN = 'main thread';

/** The processor time that a thread has used so far. */
export interface ThreadTime {
  readonly thread: number;
  readonly name: string;
  readonly ms: number;
}

/**
 * The threads of a process and of all processes that it started. A thread of a started process has the name of that process. Only Linux has
 * this information.
 */
export const processorTimes = (pid: number): ThreadTime[] =>
  withDescendants(pid).flatMap((process) =>
    list(`/proc/${process}/task`).map((thread): ThreadTime => {
      const named = process === pid ? `/proc/${process}/task/${thread}` : `/proc/${process}`;
      // The first field of the file is the thread's time on a processor, in ns.
      const ns = Number(read(`/proc/${process}/task/${thread}/schedstat`).split(' ')[0]);
      return { thread: Number(thread), name: Number(thread) === pid ? MAIN : read(`${named}/comm`), ms: ns / 1e6 };
    }),
  );

/**
 * The processor time that threads used between two measurements, in ms. Threads with the same name are added up. Threads that ended before
 * the second measurement are left out.
 */
export function spentBetween(before: readonly ThreadTime[], after: readonly ThreadTime[]): ReadonlyMap<string, number> {
  const spent = new Map<string, number>();
  for (const { thread, name, ms } of after) {
    const already = before.find((one) => one.thread === thread)?.ms ?? 0;
    spent.set(name, (spent.get(name) ?? 0) + ms - already);
  }
  return spent;
}
