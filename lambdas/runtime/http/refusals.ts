import { isFailure } from '../../contract/errors';
import { errorOf, refusalReasons, type CheckStatus, type RefusalReason } from '../../contract/statuses';
import type { Device } from '../../domain/license';
import { placeOf, type Refused } from '../../domain/refusal';
import { MINUTE_MS } from '../../domain/time';
import { refusalsOf } from '../../store/keys';
import { recordRefusal as record } from '../../store/refusals';
import type { App } from '../app';
import { putBounded } from '../bounded-map';
import { log } from '../observability/log';
import { Reply } from './response';

/** Records refused requests of apps for the operator (docs/spec/operator.md, Why was it refused?). */

const isRecorded = (name: string): name is RefusalReason => (refusalReasons as readonly string[]).includes(name);

/** The reason why the result of a client route refuses the license or its key; undefined if the result is not such a refusal. */
export function reasonOf(result: unknown, isKnownKey: boolean): RefusalReason | undefined {
  const shown = result instanceof Reply ? (result.result as unknown) : result;
  if (isFailure(shown)) {
    // If the key is known, `not_found` does not mean that the license was refused. One of the other reasons is that the product does not
    // permit apps to list devices.
    if (shown.failure === 'not_found' && isKnownKey) return undefined;
    return isRecorded(shown.failure) ? shown.failure : undefined;
  }
  const { valid, status } = (shown ?? {}) as { readonly valid?: unknown; readonly status?: CheckStatus | 'invalid' };
  if (valid !== false || status === undefined) return undefined;
  return status === 'invalid' ? status : errorOf(status);
}

/** The facts about the device and the app that a request contains. */
export const factsOf = (claim: unknown, device?: Device): Pick<Refused, 'fingerprint' | 'name' | 'platform' | 'version'> => {
  const { fingerprint, name, platform, version, release } = claim as {
    readonly [field in 'fingerprint' | 'name' | 'platform' | 'version']?: string | null;
  } & { readonly release?: { readonly version?: string | null } | null };
  return {
    fingerprint: fingerprint ?? null,
    name: name || device?.name || null,
    platform: platform || device?.platform || null,
    version: release?.version ?? version ?? null,
  };
};

/** Maximum number of pauses that a function instance remembers. */
const MAX_PAUSES = 10_000;

/**
 * Records a refusal. The function never fails and returns after {@link App.refusalWaitMs} at the latest, because the app must get its
 * response in any case.
 */
export async function recordRefusal({ table, paused, refusalWaitMs, clock }: App, refused: Refused): Promise<void> {
  const now = clock();
  const place = placeOf(refused);
  const group = `${refusalsOf(refused)}#${place.first}`;
  const same = `${group}#${place.identity}`;
  if ([group, same].some((pause) => (paused.get(pause) ?? 0) > now)) return;
  // With these limits, no call to the table is repeated, and every call ends before the request stops waiting.
  const began = table.realClock();
  const limits = { retryUntil: began, deadline: Math.min(began + refusalWaitMs, table.limits?.deadline ?? Number.POSITIVE_INFINITY) };
  const recording = record({ ...table, limits }, refused, place, now).then(
    (row) => {
      if (row === 'full') putBounded(paused, group, (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS, MAX_PAUSES);
      else if (row) putBounded(paused, same, row.last_at + MINUTE_MS, MAX_PAUSES);
    },
    (error: unknown) => log.warn('REFUSAL_NOT_RECORDED', { product_id: refused.product_id }, error),
  );
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, refusalWaitMs);
  });
  await Promise.race([recording, waited]);
  clearTimeout(timer);
}
