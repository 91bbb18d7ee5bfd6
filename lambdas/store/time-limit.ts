/**
 * Waits at most `ms` for a call of an AWS client. A call that hangs is not cancelled here, because the client's own timeout ends the call.
 * An abort signal could cancel the call, but the SDK would then have to prepare the middleware again for every call (docs/decisions.md 29).
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
