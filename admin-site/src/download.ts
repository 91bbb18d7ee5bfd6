/** Saves a text, or several pieces of it, as a file on the operator's computer. */
export function download(name: string, content: string | readonly string[], type = 'text/csv'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(typeof content === 'string' ? [content] : [...content], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
