/** The error of {@link within} when the time limit has passed. */
export const LATE = new Error('It took too long');

/** The result of a task, or the error {@link LATE} if the task has not ended after `ms` milliseconds. */
export async function within<Value>(ms: number, task: () => Value | Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(LATE), ms);
  });
  try {
    return await Promise.race([task(), deadline]);
  } finally {
    clearTimeout(timer);
  }
}
