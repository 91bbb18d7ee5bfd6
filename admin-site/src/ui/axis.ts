/**
 * The highest number of a chart's axis: a round, even number at or above the largest value, so that the middle of the axis is a whole
 * number.
 */
export function axisTop(value: number): number {
  if (value <= 6) return 2 * Math.max(1, Math.ceil(value / 2));
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * step).find((top) => top % 2 === 0 && top >= value) ?? value;
}
