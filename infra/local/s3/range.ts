/** The range of bytes that a `Range` header requests, including both ends. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The requested range of an object with `size` bytes. It is undefined if the whole object must be sent. S3 also sends the whole object if a
 * request names several ranges.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') return Number(to) === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(0, size - Number(to)), last: size - 1 };
  const first = Number(from);
  if (first >= size) return 'unsatisfiable';
  if (to === '') return { first, last: size - 1 };
  return Number(to) < first ? undefined : { first, last: Math.min(Number(to), size - 1) };
}
