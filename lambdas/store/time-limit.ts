/**
 * Waits at most `ms` for a call of an AWS client. A call that hangs is not cancelled here: the client ends it after a time of its own. With
 * a signal for each call, the SDK would prepare the middleware of every call anew (docs/decisions.md 29).
 *
 * @throws TimeoutError
 */
export async function within<Result>(ms: number, call: Promise<Result>): Promise<Result> {
  if (ms === Number.POSITIVE_INFINITY) return call;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`There was no response within ${ms} ms`), { name: 'TimeoutError' }));
    }, ms);
  });
  try {
    return await Promise.race([call, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
