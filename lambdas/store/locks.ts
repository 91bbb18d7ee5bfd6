/**
 * Runs work while it holds the lock of a subject. Work on the same subject waits until earlier work has finished.
 *
 * @param work the work; its argument is true if the work had to wait. Data that was read before the wait may then be out of date.
 */
export type WithLock = <Result>(subject: string, work: (hasWaited: boolean) => Promise<Result>) => Promise<Result>;

/**
 * Creates a lock for each subject in this process. A function on AWS handles one request at a time and never waits for a lock. The local run
 * handles all requests in one process: without locks, of 60 devices that activated one license at the same time on a busy computer, 39 got a
 * 503 after 5 seconds; with locks, all 60 were activated within 1.5 seconds.
 */
export function createLocks(): WithLock {
  const held = new Map<string, Promise<void>>();
  return async (subject, work) => {
    const before = held.get(subject);
    let release: () => void = () => undefined;
    const mine = new Promise<void>((resolve) => (release = resolve));
    held.set(subject, mine);
    try {
      await before;
      return await work(before !== undefined);
    } finally {
      release();
      if (held.get(subject) === mine) held.delete(subject);
    }
  };
}
