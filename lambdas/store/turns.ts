/**
 * Runs work on one subject after other work on it, in the order in which it came.
 *
 * @param work is called with whether it had to wait: what it read before may then be out of date
 */
export type InTurn = <Result>(subject: string, work: (hasWaited: boolean) => Promise<Result>) => Promise<Result>;

/**
 * A queue of requests for each subject in this function instance: of many at once that change one row, all but one would lose their race.
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

/** No queue: as in an instance that has no other request. */
export const alone: InTurn = (_subject, work) => work(false);
