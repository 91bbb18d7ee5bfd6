import type * as z from 'zod/mini';
import { isPortalMail, REMINDED } from '../contract/events';
import type { loggedPayload } from '../contract/payload';
import { settle, skip, type DeliveryRecord } from '../domain/delivery';
import { MAILTO } from '../domain/event';
import { renderKeyMail } from '../domain/key-mail';
import { hasAddress } from '../domain/license';
import { PRODUCT_LIMIT_WAIT_MS } from '../domain/portal/mail';
import type { Product } from '../domain/product';
import type { App } from '../runtime/app';
import { mailFrom } from '../runtime/mail/from';
import { MailFailed, type Mail } from '../runtime/mail/mail';
import { sendMail } from '../runtime/mail/mailer';
import { count } from '../runtime/observability/metrics';
import { getLicense } from '../store/licenses/read';
import { isSuppressed } from '../store/suppressions';
import { preparePortalMail, withoutAddress } from './portal/mail';
import { portalInMail, prepareReminder } from './reminders/prepare';

/** Makes attempts to send mails: mails of the portal, reminders, and mails with keys. */

/** The result of an attempt, and the fields for its line in the log. */
export interface Attempted {
  readonly delivery: DeliveryRecord;
  readonly log?: { readonly http_status: number | null; readonly duration_ms: number; readonly reason: string | null };
}

/** A mail to send: the product of its event, and the sender's address. */
interface MailCall {
  readonly app: App;
  readonly delivery: DeliveryRecord;
  readonly product: Product;
  readonly from: string;
}

/** The delivery after an attempt with this result. */
export const attempted = (delivery: DeliveryRecord, url: string, result: Parameters<typeof settle>[2]): Attempted => ({
  delivery: settle(delivery, url, result),
  log: { http_status: result.status, duration_ms: result.durationMs, reason: result.error },
});

/**
 * Makes one attempt to send a mail. If mail is not configured, the mail is skipped.
 *
 * @throws only if the service itself has a fault
 */
export async function attemptMail(app: App, delivery: DeliveryRecord, product: Product): Promise<Attempted> {
  const from = mailFrom(app);
  const isPortal = isPortalMail(delivery.event);
  if (from === null) return { delivery: isPortal ? withoutAddress(skip(delivery)) : skip(delivery) };
  const call = { app, delivery, product, from };
  if (isPortal) return attemptPortalMail(call);
  return delivery.event === REMINDED ? attemptReminder(call) : attemptKeyMail(call);
}

/** Sends a mail of the portal once, unless it has expired. */
async function attemptPortalMail(call: MailCall): Promise<Attempted> {
  const { app, delivery, product } = call;
  const prepared = await preparePortalMail(app, delivery, product, app.clock());
  if (prepared === 'skipped') return { delivery: withoutAddress(skip(delivery)) };
  if ('waits' in prepared) return { delivery: { ...delivery, mail: prepared.waits, due_at: app.realClock() + PRODUCT_LIMIT_WAIT_MS } };
  const url = delivery.url ?? MAILTO;
  const sent =
    'dropped' in prepared ? dropped(call, url, prepared.dropped) : await sendOnce(call, url, { to: prepared.to, ...prepared.mail });
  return { ...sent, delivery: withoutAddress(sent.delivery) };
}

/** Sends a reminder once, unless it is no longer needed. */
async function attemptReminder(call: MailCall): Promise<Attempted> {
  const { app, delivery, product } = call;
  const prepared = await prepareReminder(app, delivery, product);
  if (prepared === 'skipped') return { delivery: skip(delivery) };
  // A redelivery starts a round whose `due_at` is ignored until `faults` is recorded (see `claimEvent`). This `due_at` must not be ignored.
  if ('waitsUntil' in prepared) return { delivery: { ...delivery, due_at: prepared.waitsUntil, faults: delivery.faults ?? 0 } };
  return sendOnce(call, `${MAILTO}${prepared.to}`, prepared);
}

/** Sends a mail with keys once. Its text is generated from the current state of the licenses. */
async function attemptKeyMail(call: MailCall): Promise<Attempted> {
  const { app, delivery, product } = call;
  const { body, url = '' } = delivery;
  if (body === undefined) throw new Error('the mail cannot be read');
  const { license_ids = [] } = (JSON.parse(body) as z.infer<typeof loggedPayload>).data;
  const to = url.slice(MAILTO.length);
  if (to === '') return dropped(call, url, 'The address was erased');
  const licenses = (await Promise.all(license_ids.map((id) => getLicense(app.table, id)))).filter((license) => license !== undefined);
  if (licenses.length === 0) throw new Error('its licenses are gone');
  // The address may have been corrected since the mail was recorded. The previous address must not get the key of another buyer.
  const own = licenses.filter((license) => hasAddress(license, to));
  if (own.length === 0) return dropped(call, url, 'The licenses have another buyer now');
  return sendOnce(call, url, { to, ...renderKeyMail(product, own, await portalInMail(app, product)) });
}

/** The reason why no mail is sent to an address after a bounce. */
const SUPPRESSED = 'No mail is sent to this address, because a mail bounced or was reported as spam';

async function sendOnce(call: MailCall, url: string, mail: Mail): Promise<Attempted> {
  const { app, delivery, from } = call;
  if (await isSuppressed(app.table, delivery.product_id, mail.to)) return dropped(call, url, SUPPRESSED);
  const at = app.realClock();
  const failure = await sendMail(app, from, { ...mail, eventId: delivery.id }).then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof MailFailed)) throw error;
      return error;
    },
  );
  const result = attempted(delivery, url, {
    at,
    durationMs: Math.max(0, app.realClock() - at),
    status: failure?.code ?? null,
    error: failure?.message ?? null,
    isFinal: failure?.isFinal ?? false,
  });
  const { status } = result.delivery;
  if (status === 'delivered' || status === 'failed') count(`mail.${status}`);
  return result;
}

/** The result for a mail that will not be sent, for a reason that the log shows. */
const dropped = ({ app, delivery }: MailCall, url: string, reason: string): Attempted =>
  attempted(delivery, url, { at: app.realClock(), durationMs: 0, status: null, error: reason, isFinal: true });
