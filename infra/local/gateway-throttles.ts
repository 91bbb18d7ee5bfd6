import * as z from 'zod';
import type { Template } from './template';

/** The limits of requests that a stage sets, counted as API Gateway does: for each method, all callers together. */

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

/** Counts a request to a method of a resource; false if it is one too many. */
export type Throttles = (method: string, resourcePath: string) => boolean;

/** `/~1v1~1products/GET` in the template's words: slashes within the path are escaped. */
const unescaped = (path: string): string => path.replace(/^\/(?=~1|$)/, '').replaceAll('~1', '/') || '/';

/** @param clock milliseconds that never go back */
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
    // What has no limit of its own is counted by method, under the stage's default.
    const limit = limits.get(id) ?? limits.get('* /*');
    if (!limit) return true;
    const bucket = buckets.get(id) ?? new Bucket(limit.rate, limit.burst, clock());
    buckets.set(id, bucket);
    return bucket.take(clock());
  };
}
