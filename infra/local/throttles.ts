/** A token bucket: it contains up to `burst` tokens and gets `rate` tokens per second. Each request takes one token. */
export class Bucket {
  private tokens: number;
  private filledAt: number;

  /** @param clock returns milliseconds of a monotonic clock */
  constructor(
    private readonly limit: { readonly rate: number; readonly burst: number },
    private readonly clock: () => number = () => performance.now(),
  ) {
    this.tokens = limit.burst;
    this.filledAt = clock();
  }

  /** Counts a request. Returns false if the request exceeds the limit. */
  take(): boolean {
    const now = this.clock();
    this.tokens = Math.min(this.limit.burst, this.tokens + ((now - this.filledAt) / 1000) * this.limit.rate);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
