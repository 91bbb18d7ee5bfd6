/** The error of {@link within} when the time limit is over. */
export const LATE = new Error('It took too long');

/** The outcome of a promise, or {@link LATE} if the promise is still pending after `ms` milliseconds. */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(LATE), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
