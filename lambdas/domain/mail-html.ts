import { fillPlaceholders } from '../contract/placeholders';

/** The HTML part of a mail. The HTML part has the same text as the plain part. It loads no images or styles, and runs no scripts. */

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Functions that convert the value of a placeholder to HTML. */
const shown = {
  text: escaped,
  /** Shows each line of the value in a fixed-width font. */
  code: (value: string): string =>
    value
      .split('\n')
      .map((line) => `<code style="font-size:1.2em">${escaped(line)}</code>`)
      .join('<br>'),
  link: (value: string): string => (value === '' ? '' : `<a href="${escaped(value)}">${escaped(value)}</a>`),
};

/**
 * @param template the text; blank lines separate its paragraphs
 * @param kinds how to show the values that are not plain text
 */
export function htmlOf(
  template: string,
  values: Readonly<Record<string, string>>,
  kinds: Readonly<Record<string, keyof typeof shown>>,
): string {
  const html = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown[kinds[name] ?? 'text'](value)]));
  const paragraphs = escaped(template.trim())
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${fillPlaceholders(paragraph.replaceAll('\n', '<br>'), html)}</p>`);
  return `<!doctype html><html><head><meta charset="utf-8"></head><body style="font-family:sans-serif;line-height:1.5">${paragraphs.join('\n')}</body></html>`;
}
