/**
 * Runs in the child process of a benchmark. For each message, the process does the requested work and replies with the processor time of
 * this work.
 */

/** The processor time of a piece of work, in microseconds. */
export async function cpuTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Responds to each message with a number. A failure ends the process. */
export function respondWith<Message>(measure: (message: Message) => Promise<number>): void {
  process.on('message', (message: Message) => {
    measure(message).then(
      (cost) => process.send?.(cost),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
