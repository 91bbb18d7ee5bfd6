/**
 * Shows progress on standard error, because standard output contains the results. If standard error is a terminal, the progress is
 * shown as a bar. Otherwise a line is written every few seconds.
 */

const BAR_WIDTH = 30;
const REDRAW_MS = 100;
const LINE_MS = 5000;

export const count = (value: number): string => value.toLocaleString('en');
/** Formats a count with its noun: `1 license`, `2 licenses`. */
export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;

export class Progress {
  private readonly begun = performance.now();
  private shownAt = Number.NEGATIVE_INFINITY;
  private shown = -1;
  private done = 0;

  /** @param total the number of items, undefined if it is unknown */
  constructor(
    private readonly label: string,
    private readonly total: number | undefined,
    private readonly stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY'> = process.stderr,
  ) {}

  /** Reports the number of items that are done. */
  update(done: number): void {
    this.done = done;
    const now = performance.now();
    if (now - this.shownAt < (this.stream.isTTY ? REDRAW_MS : LINE_MS)) return;
    // Without a terminal, the first call of `update` writes no line. The first line is written at least `LINE_MS` later.
    if (!this.stream.isTTY && this.shownAt === Number.NEGATIVE_INFINITY) this.shownAt = now;
    else this.show(now);
  }

  /** Shows the final count. The bar stays on the screen. */
  end(): void {
    if (this.shown !== this.done) this.show(performance.now());
    if (this.stream.isTTY) this.stream.write('\n');
  }

  private show(now: number): void {
    this.shownAt = now;
    this.shown = this.done;
    const seconds = (now - this.begun) / 1000;
    const rate = seconds >= 1 ? `, ${count(Math.round(this.done / seconds))} a second` : '';
    const of = this.total === undefined ? '' : ` of ${count(this.total)}`;
    const words = `${this.label}: ${count(this.done)}${of}${rate}`;
    if (!this.stream.isTTY) this.stream.write(`${words}\n`);
    else this.stream.write(`\r${this.bar()}${words}\u001b[K`);
  }

  private bar(): string {
    if (this.total === undefined) return '';
    const full = this.total === 0 ? BAR_WIDTH : Math.round((BAR_WIDTH * this.done) / this.total);
    return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] `;
  }
}
