import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import * as z from 'zod/mini';
import { errors } from '../../lambdas/contract/errors';
import { isAdmin } from './admin-route';
import { RUN_TOKEN, TOKEN_HEADER } from './aws';
import { close, guard, isSame, loopbackAddress } from './door';
import type { LocalRoute } from './gateway';

/** The path of the page that shows the mails. */
export const MAILBOX_PATH = '/_local/mail';

/** A running SES endpoint that sends no mail. It keeps the mails in its mailbox in memory. */
export interface Ses {
  readonly endpoint: string;
  /** The path and query that open the mailbox in a browser. They are valid for this run only. */
  readonly link: string;
  /**
   * Serves the mailbox to callers with the admin token or the {@link link}. Browsers get a page, other callers get JSON; the newest mail is
   * first.
   */
  mailbox(adminToken: string | undefined): LocalRoute;
  stop(): Promise<void>;
}

const stored = z.object({
  emails: z.array(
    z.object({
      messageId: z.string(),
      from: z.string(),
      destination: z.object({ to: z.array(z.string()) }),
      subject: z.string(),
      body: z.object({ text: z.optional(z.string()), html: z.optional(z.string()) }),
      at: z.number(),
    }),
  ),
});

const REFUSED = 'The mailbox opens with the link that npm start printed, or with the admin token in X-Svc-Admin-Token.';

/** Starts the SES emulator for this run. */
export async function start(): Promise<Ses> {
  // Loading the emulator takes as long as loading the rest of the local run, so it is loaded only if there is a mailbox.
  const { default: startEmulator } = createRequire(__filename)('aws-ses-v2-local') as typeof import('aws-ses-v2-local');
  const host = loopbackAddress();
  const server = await startEmulator({ host, port: 0 });
  guard(server, 'ses');
  const endpoint = `http://${host}:${(server.address() as AddressInfo).port}`;
  const key = randomBytes(24).toString('base64url');
  return {
    endpoint,
    link: `${MAILBOX_PATH}?key=${key}`,
    mailbox: (adminToken) => async (request, response) => {
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
      if (!isSame(given, key) && (adminToken === undefined || !isAdmin(request, adminToken))) {
        response.setHeader('X-Svc-Error-Code', errors.unauthorized.code);
        return send(errors.unauthorized.status, asPage ? page(`<p>${REFUSED}</p>`) : JSON.stringify({ detail: REFUSED }));
      }
      const { emails } = stored.parse(await (await fetch(`${endpoint}/store`, { headers: { [TOKEN_HEADER]: RUN_TOKEN } })).json());
      const mails = emails
        .map(({ messageId, from, destination, subject, body, at }) => ({
          message_id: messageId,
          from,
          to: destination.to,
          subject,
          text: body.text ?? null,
          html: body.html ?? null,
          at: new Date(at * 1000).toISOString(),
        }))
        .reverse();
      send(200, asPage ? page(listOf(mails)) : JSON.stringify(mails));
    },
    stop: () => close(server),
  };
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (content: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Mailbox</title>
<style>body{font:16px system-ui;max-width:45rem;margin:2rem auto;padding:0 1rem}article{border-top:1px solid #8888;padding:1rem 0}pre{white-space:pre-wrap;font:inherit}small{opacity:.7}</style>
<h1>Mailbox</h1>${content}
</html>`;

const listOf = (
  mails: readonly { from: string; to: string[]; subject: string; text: string | null; at: string }[],
): string => `<p><small>Mails that the local run sent. Reload to see new ones.</small></p>
${mails.map(({ from, to, subject, text, at }) => `<article><h2>${escaped(subject)}</h2><small>${escaped(from)} → ${escaped(to.join(', '))} · ${at}</small><pre>${escaped(text ?? '')}</pre></article>`).join('') || '<p>No mail yet.</p>'}`;
