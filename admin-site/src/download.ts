/**
 * The name of an exported file: the product, what the file contains, and the day.
 *
 * @param product the product's slug; undefined if the file is about all products
 */
export function exportName(what: string, extension: string, product?: string, now = new Date()): string {
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  return `${[...(product === undefined ? [] : [product]), what, day].join('-')}.${extension}`;
}

/** Saves a text, or several pieces of it, as a file on the operator's computer. */
export function download(name: string, content: string | readonly string[], type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(typeof content === 'string' ? [content] : [...content], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
