/**
 * The limits of a license (docs/spec/meters.md, Limits): numbers that the app reads, such as the number of projects. The service does not
 * enforce them.
 */
export type Limits = Readonly<Record<string, number>>;

/** The limits sorted by name, so that equal limits have equal JSON. */
export const sortedLimits = (limits: Limits): Limits =>
  Object.fromEntries(Object.entries(limits).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

/** The limits as text, such as `cores=8 projects=50`. */
export const limitsText = (limits: Limits): string =>
  Object.entries(sortedLimits(limits))
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(' ');

/**
 * The limits in a text such as `cores=8 projects=50`. A value that is not a number of digits becomes NaN, which the schema of limits refuses.
 * Undefined if a part of the text has no `=` or a name occurs twice.
 */
export function limitsIn(text: string): Limits | undefined {
  const parts = text.split(/\s+/).filter(Boolean);
  const entries = parts.map((part): [string, number] => {
    const place = part.lastIndexOf('=');
    const digits = part.slice(place + 1);
    return [part.slice(0, Math.max(place, 0)), /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN];
  });
  const isReadable = parts.every((part) => part.includes('=')) && new Set(entries.map(([name]) => name)).size === entries.length;
  return isReadable ? Object.fromEntries(entries) : undefined;
}
