import type { Language } from '../contract/languages';
import { shownSize } from '../contract/logo-size';
import { fillPlaceholders } from '../contract/placeholders';
import { readableOn } from './color';

/**
 * The HTML part of a mail. It has the same text as the plain part, and looks like the portal's page. It loads nothing but the
 * logo, and runs no scripts. Its styles are in attributes, and its frame is a table, because many mail programs support nothing else.
 */

/** What a mail shows of its product's portal. */
export interface MailHead {
  readonly title: string;
  /** Null: the default color. */
  readonly color: string | null;
  /** Width and height are in pixels. */
  readonly logo: { readonly url: string; readonly width: number; readonly height: number } | null;
}

export interface MailFrame extends MailHead {
  readonly language: Language;
}

/** The logo. The title follows it as text, so its alternative text is empty: some mail programs load no images. */
function logoOf(logo: MailHead['logo']): string {
  if (!logo) return '';
  const { width, height } = shownSize(logo);
  return `<tr><td style="padding:0 0 8px"><img src="${escaped(logo.url)}" alt="" width="${width}" height="${height}" style="display:block;border:0"></td></tr>\n`;
}

const SURFACE = '#ffffff';
const DEFAULT_COLOR = '#0b7285';

export const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Functions that convert the value of a placeholder to HTML. */
const shown = {
  text: escaped,
  /** Shows each line of the value in a fixed-width font. */
  code: (value: string): string =>
    value
      .split('\n')
      .map((line) => `<code style="font-size:1.2em;font-weight:bold">${escaped(line)}</code>`)
      .join('<br>'),
  link: (value: string, color: string): string =>
    value === '' ? '' : `<a href="${escaped(value)}" style="color:${color}">${escaped(value)}</a>`,
};

/**
 * @param template the text; blank lines separate its paragraphs
 * @param kinds how to show the values that are not plain text
 */
export function htmlOf(
  template: string,
  values: Readonly<Record<string, string>>,
  kinds: Readonly<Record<string, keyof typeof shown>>,
  { title, color, logo, language }: MailFrame,
): string {
  const linkColor = readableOn(SURFACE, color ?? DEFAULT_COLOR);
  const html = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shown[kinds[name] ?? 'text'](value, linkColor)]));
  const paragraphs = escaped(template.trim())
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${fillPlaceholders(paragraph.replaceAll('\n', '<br>'), html)}</p>`);
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px 12px;background:#f6f7f9;color:#16202a;font:16px/1.5 sans-serif">
<table role="presentation" align="center" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;margin:0 auto">
${logoOf(logo)}<tr><td style="padding:0 0 12px;font-size:20px;font-weight:bold">${escaped(title)}</td></tr>
<tr><td style="padding:8px 24px;background:${SURFACE};border:1px solid #dfe3e8;border-top:4px solid ${color ?? DEFAULT_COLOR};overflow-wrap:anywhere">
${paragraphs.join('\n')}
</td></tr></table>
</body></html>`;
}
