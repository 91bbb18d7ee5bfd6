import { randomBytes, randomUUID } from 'node:crypto';
import { errors } from '../../lambdas/contract/errors';
import type { SendMail } from '../../lambdas/runtime/ports';
import { isAdmin, isSame } from './admin-route';
import type { LocalRoute } from './http';

/** The mail service of the local run. It sends no mail, but shows the mails at {@link MAILBOX_PATH}. */

/** The path of the page that shows the mails. */
export const MAILBOX_PATH = '/_local/mail';
/** Maximum number of mails in the mailbox. */
const MOST_MAILS = 10_000;
const REFUSED = 'The mailbox opens with the link that npm start printed, or with the admin token in X-Svc-Admin-Token.';

export interface Mailbox {
  readonly send: SendMail;
  /** The path and query that open the mailbox in a browser. They are valid for this run only. */
  readonly link: string;
  /** Serves the mailbox. Browsers get a page, other callers get JSON; the newest mail is first. */
  route(adminToken: string): LocalRoute;
}

interface ReceivedMail {
  readonly message_id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string | null;
  readonly at: string;
}

export function open(): Mailbox {
  const mails: ReceivedMail[] = [];
  const key = randomBytes(24).toString('base64url');
  return {
    send: (from, { to, subject, text, html = null }) => {
      const message_id = randomUUID();
      mails.unshift({ message_id, from, to: [to], subject, text, html, at: new Date().toISOString() });
      mails.length = Math.min(mails.length, MOST_MAILS);
      return Promise.resolve(message_id);
    },
    link: `${MAILBOX_PATH}?key=${key}`,
    route: (adminToken) => (request, response) => {
      const asPage = request.headers.accept?.includes('text/html') ?? false;
      const send = (status: number, body: string): void => {
        response.writeHead(status, {
          'Content-Type': asPage ? 'text/html; charset=utf-8' : 'application/json',
          'Cache-Control': 'no-store',
          'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
          'Cross-Origin-Resource-Policy': 'same-origin',
          // The page's URL contains a credential, which browsers must not send to other sites.
          'Referrer-Policy': 'no-referrer',
        });
        response.end(body);
      };
      const given = new URLSearchParams(request.url?.split('?')[1]).get('key');
      if (!isSame(given, key) && !isAdmin(request, adminToken)) {
        response.setHeader('X-Svc-Error-Code', errors.unauthorized.code);
        return send(errors.unauthorized.status, asPage ? page(`<p>${REFUSED}</p>`) : JSON.stringify({ detail: REFUSED }));
      }
      send(200, asPage ? page(listOf(mails)) : JSON.stringify(mails));
    },
  };
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (content: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Mailbox</title>
<style>body{font:16px system-ui;max-width:45rem;margin:2rem auto;padding:0 1rem}article{border-top:1px solid #8888;padding:1rem 0}pre{white-space:pre-wrap;font:inherit}small{opacity:.7}</style>
<h1>Mailbox</h1>${content}
</html>`;

const listOf = (mails: readonly ReceivedMail[]): string => `<p><small>Mails that the local run sent. Reload to see new ones.</small></p>
${mails.map(({ from, to, subject, text, at }) => `<article><h2>${escaped(subject)}</h2><small>${escaped(from)} → ${escaped(to.join(', '))} · ${at}</small><pre>${escaped(text)}</pre></article>`).join('') || '<p>No mail yet.</p>'}`;
