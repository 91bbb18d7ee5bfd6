/** Parses a text as a JSON object, or returns the problem. */
export function parseMetadata(text: string): { readonly value?: Record<string, unknown>; readonly problem?: string } {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as Record<string, unknown> };
    return { problem: 'This must be a JSON object, such as {"order": "A-1001"}.' };
  } catch {
    return { problem: 'This is not valid JSON: names and texts need double quotes, as in {"order": "A-1001"}.' };
  }
}
