import { createHash } from 'node:crypto';
import type { Language } from '../contract/languages';
import { fillPlaceholders } from '../contract/placeholders';
import { escaped } from './mail-html';
import { mailTexts } from './mail-texts';
import type { Product } from './product';

/**
 * The page on which a reader unsubscribes from reminders (docs/spec/mail.md, Unsubscribing). The page loads no files and runs no scripts.
 */

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}button{font:inherit;padding:.6rem 1rem}';

/**
 * The headers of the page. The page may only use its own style and send its own form. The URL of the page is a secret, so the browser must
 * not send it as a referrer.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
};

/** @param isDone false: the page asks for confirmation; true: the page says that the e-mail address is unsubscribed */
export function unsubscribePage({ name }: Pick<Product, 'name'>, language: Language, isDone: boolean): string {
  const filled = Object.fromEntries(
    Object.entries(mailTexts[language].unsubscribe).map(([part, words]) => [part, escaped(fillPlaceholders(words, { product: name }))]),
  ) as Record<keyof (typeof mailTexts)[Language]['unsubscribe'], string>;
  // The form has no `action`, so the browser sends the form to the URL of the page.
  const form = `<p>${filled.question}</p><form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>${filled.button}</button></form>`;
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${filled.title}</title><style>${STYLE}</style></head><body><main><h1>${filled.title}</h1>${isDone ? `<p role="status">${filled.done}</p>` : form}</main></body></html>`;
}
