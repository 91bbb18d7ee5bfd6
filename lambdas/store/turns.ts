/**
 * Runs work on a subject after earlier work on the same subject.
 *
 * @param work its argument says whether it had to wait: data that was read earlier may then be out of date
 */
export type InTurn = <Result>(subject: string, work: (hasWaited: boolean) => Promise<Result>) => Promise<Result>;

/**
 * A queue of requests for each subject in this function instance. Without it, of many concurrent requests that change
 * the same row, all but one would lose the race.
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

/** No queue, for an instance with a single request. */
export const alone: InTurn = (_subject, work) => work(false);
