import * as z from 'zod';
import type { Template } from './template';

/** The stage's request limits, counted as in API Gateway: per method, for all callers together. */

const stageProperties = z.object({
  MethodSettings: z
    .array(
      z.object({
        HttpMethod: z.string(),
        ResourcePath: z.string(),
        ThrottlingRateLimit: z.coerce.number().optional(),
        ThrottlingBurstLimit: z.coerce.number().optional(),
      }),
    )
    .default([]),
});

/** A bucket of `burst` tokens that fills at `rate` tokens a second; a request takes one. */
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

/** Counts a request to a method of a resource; false if it exceeds the limit. */
export type Throttles = (method: string, resourcePath: string) => boolean;

/** The path of a method setting. The template escapes it: `/~1v1~1products` is `/v1/products`. */
const unescaped = (path: string): string => path.replace(/^\/(?=~1|$)/, '').replaceAll('~1', '/') || '/';

/** @param clock monotonic milliseconds */
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
