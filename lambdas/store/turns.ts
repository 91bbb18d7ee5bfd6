/**
 * Runs work on a subject after earlier work on the same subject has finished.
 *
 * @param work the work; its argument is true if the work had to wait. Data that was read before the wait may then be out of date.
 */
export type InTurn = <Result>(subject: string, work: (hasWaited: boolean) => Promise<Result>) => Promise<Result>;

/**
 * A queue of requests for each subject in this process. A function on AWS handles one request at a time and never waits in it. The local
 * run handles all requests in one process: without the queue, of 60 devices that activated one license at the same time on a busy computer,
 * 39 got a 503 after 5 seconds; with the queue, all 60 were activated within 1.5 seconds.
 */
export function oneAtATime(): InTurn {
  const lines = new Map<string, Promise<void>>();
  return async (subject, work) => {
    const before = lines.get(subject);
    let leave: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (leave = resolve));
    lines.set(subject, mine);
    try {
      await before;
      return await work(before !== undefined);
    } finally {
      leave();
      if (lines.get(subject) === mine) lines.delete(subject);
    }
  };
}

/** Runs work at once, without a queue. This function is for instances that process a single request. */
export const alone: InTurn = (_subject, work) => work(false);
