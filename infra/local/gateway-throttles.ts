import * as z from 'zod/mini';
import type { Template } from './template';

/**
 * Enforces the stage's request limits. As in API Gateway, each method of each path has a separate count, which includes the requests of all
 * callers.
 */

const stageProperties = z.object({
  MethodSettings: z._default(
    z.array(
      z.object({
        HttpMethod: z.string(),
        ResourcePath: z.string(),
        ThrottlingRateLimit: z.optional(z.coerce.number()),
        ThrottlingBurstLimit: z.optional(z.coerce.number()),
      }),
    ),
    [],
  ),
});

/** A token bucket: it contains up to `burst` tokens and gets `rate` tokens per second. Each request takes one token. */
class Bucket {
  private tokens: number;
  private filledAt: number;

  constructor(
    private readonly rate: number,
    private readonly burst: number,
    now: number,
  ) {
    this.tokens = burst;
    this.filledAt = now;
  }

  take(now: number): boolean {
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.filledAt) / 1000) * this.rate);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}

/** Counts a request to a method of a resource. Returns false if the request exceeds the limit. */
export type Throttles = (method: string, resourcePath: string) => boolean;

/** Unescapes the path of a method setting. In the template, `/~1v1~1products` means `/v1/products`. */
const unescaped = (path: string): string => path.replace(/^\/(?=~1|$)/, '').replaceAll('~1', '/') || '/';

/**
 * Reads the request limits of the template's stage.
 *
 * @param clock returns monotonic milliseconds
 */
export function readThrottles(template: Template, clock: () => number = () => performance.now()): Throttles {
  const limits = new Map<string, { readonly rate: number; readonly burst: number }>(
    template
      .resources('AWS::ApiGateway::Stage')
      .flatMap((stage) => template.read(stage, stageProperties).MethodSettings)
      .flatMap(({ HttpMethod, ResourcePath, ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst }) =>
        rate === undefined || burst === undefined ? [] : [[`${HttpMethod} ${unescaped(ResourcePath)}`, { rate, burst }] as const],
      ),
  );
  const buckets = new Map<string, Bucket>();
  return (method, resourcePath) => {
    const id = `${method} ${resourcePath}`;
    // A method without its own limit is counted separately, with the stage's default limit.
    const limit = limits.get(id) ?? limits.get('* /*');
    if (!limit) return true;
    const bucket = buckets.get(id) ?? new Bucket(limit.rate, limit.burst, clock());
    buckets.set(id, bucket);
    return bucket.take(clock());
  };
}
