import { isPortalMail } from '../../contract/events';
import { deviceOfRef } from '../../domain/activation';
import { addressHash } from '../../domain/audit';
import type { Delivery, DeliveryRecord } from '../../domain/delivery';
import { MAILTO } from '../../domain/event';
import { renderInvitation } from '../../domain/invitation';
import { memberId } from '../../domain/member';
import { CODE_MS, codeOf, CODE_RANDOM_BYTES, hashCode, type CodeHash } from '../../domain/portal/code';
import { postponed, renderPortalMail, type PortalMailValues } from '../../domain/portal/mail';
import type { PortalMailFacts } from '../../domain/portal/mail-facts';
import { portalTokenHash, portalTokenOf, PORTAL_TOKEN_BYTES, type Link } from '../../domain/portal/session';
import { mailHead, portalUrl, type Portal } from '../../domain/portal/settings';
import type { Product } from '../../domain/product';
import type { App } from '../../runtime/app';
import { isOwn } from '../../domain/portal/license';
import { getLicense, getLicenseAt, readDevices } from '../../store/licenses/read';
import { findLicensesByEmail } from '../../store/licenses/by-email';
import { membershipsOf } from '../../store/licenses/of-member';
import { getMember, getOwnMember } from '../../store/members';
import { ERASED_ERROR } from '../../store/events/erasure';
import { listEvent } from '../../store/events/record';
import { countCodeMail, countCodeMailOfProduct } from '../../store/limits';
import { deleteLinks, getBuyer, putBuyer } from '../../store/portal/buyers';
import { createLink, setChange } from '../../store/portal/sessions';
import { getOpenPortal } from '../../store/portal/settings';
import { retry, TRY_AGAIN } from '../../store/retry';
import { transact, type Action } from '../../store/transaction';

/** Renders the mails of the portal only when they are sent. The table therefore never contains a code, a link or the text of a mail. */

/** A mail that is ready to be sent, or the reason why it is not sent. */
export type PreparedMail =
  | { readonly to: string; readonly mail: ReturnType<typeof renderPortalMail> }
  /**
   * The mail is not sent, and its delivery is recorded as skipped, not as failed. Either no license has the e-mail address, or the address
   * has already received the maximum number of mails.
   */
  | 'skipped'
  /** The reason why the mail is not sent. For example, the time for sending the mail has ended, or the license has another buyer now. */
  | { readonly dropped: string }
  | { readonly waits: PortalMailFacts };

interface MailCall {
  readonly app: App;
  readonly delivery: DeliveryRecord;
  readonly facts: PortalMailFacts;
  readonly product: Product;
  readonly portal: Portal;
  readonly to: string;
  /** The current time by the app's clock, which a test may have moved; epoch ms. */
  readonly now: number;
}

/**
 * Renders a mail of the portal, or decides to drop or postpone it.
 *
 * @param now the current time by the app's clock, which a test may have moved; epoch ms
 * @throws Error if the delivery does not contain a mail of the portal
 */
export async function preparePortalMail(app: App, delivery: DeliveryRecord, product: Product, now: number): Promise<PreparedMail> {
  const { event, mail: facts, url = '' } = delivery;
  if (!isPortalMail(event) || !facts) throw new Error('the mail cannot be read');
  const to = url.slice(MAILTO.length);
  if (to === '') return { dropped: 'The address was erased' };
  if (facts.until !== null && now >= facts.until) return { dropped: 'The mail could not be sent in time' };
  const portal = await getOpenPortal(app.table, product.slug);
  if (!portal) return { dropped: 'The portal is off' };

  const call = { app, delivery, facts, product, portal, to, now };
  switch (event) {
    case 'portal.code_mailed':
      return prepareCode(call);
    case 'portal.address_code_mailed':
      return prepareAddressCode(call);
    case 'portal.address_notice_mailed':
      return { to, mail: render(call, {}) };
    case 'portal.key_mailed': {
      const license = delivery.license_id === null ? undefined : await getLicense(app.table, delivery.license_id);
      if (!license || !isOwn(license, { product_id: product.id, address: to })) return { dropped: 'The license has another buyer now' };
      return { to, mail: render(call, { license }) };
    }
    case 'portal.device_added':
      return prepareDeviceAdded(call);
    case 'portal.invitation':
      return prepareInvitation(call);
  }
}

async function prepareDeviceAdded(call: MailCall): Promise<PreparedMail> {
  const { app, delivery, facts, product, to } = call;
  const license = delivery.license_id === null ? undefined : await getLicense(app.table, delivery.license_id);
  const isTheirs = license && (isOwn(license, { product_id: product.id, address: to }) || (await getOwnMember(app.table, license, to)));
  if (!isTheirs) return { dropped: 'The license has another buyer now' };
  const ref = facts.device ?? '';
  const device = deviceOfRef(await app.secrets.portalKey(), license, await readDevices(app.table, license), ref);
  if (!device) return { dropped: 'The device was freed' };
  return { to, mail: render(call, { device, fragment: `device=${license.id}.${ref}` }) };
}

async function prepareInvitation({ app, delivery, facts, product, portal, to }: MailCall): Promise<PreparedMail> {
  const license = delivery.license_id === null ? undefined : await getLicense(app.table, delivery.license_id);
  if (!license || !(await getOwnMember(app.table, license, to))) return { dropped: 'The person is not a member any more' };
  const shown = { url: portalUrl(portal, app.config.publicUrl), ...mailHead(portal, product, app.config.publicUrl) };
  return { to, mail: renderInvitation(product, license, shown, facts.language) };
}

function render(
  { app, delivery, facts, product, portal }: MailCall,
  {
    token,
    fragment,
    ...content
  }: { readonly token?: string; readonly fragment?: string } & Pick<PortalMailValues, 'code' | 'license' | 'device'>,
): ReturnType<typeof renderPortalMail> {
  const link = `${portalUrl(portal, app.config.publicUrl, token)}${fragment === undefined ? '' : `#${fragment}`}`;
  if (!isPortalMail(delivery.event)) throw new Error('the mail cannot be read');
  return renderPortalMail(delivery.event, facts.language, product, mailHead(portal, product, app.config.publicUrl), {
    ...content,
    link,
    support: portal.support_url?.replace(/^mailto:/, '') ?? link,
  });
}

/**
 * The e-mail address as it is spelled in one of the person's licenses or memberships; undefined if there is none. The mail is sent to this
 * address instead of the address that the visitor typed. Two addresses that differ only in upper and lower case may be different mailboxes,
 * and one of them may belong to a stranger.
 */
async function findOwner({ table }: App, productId: number, address: string): Promise<string | undefined> {
  const start = { order: 'desc', past: 0 } as const;
  for (const { key } of await findLicensesByEmail(table, productId, address, start)) {
    const license = await getLicenseAt(table, { productId, key });
    if (license && isOwn(license, { product_id: productId, address })) return license.customer_email ?? undefined;
  }
  const [membership] = await membershipsOf(table, address, productId);
  return membership && (await getMember(table, membership.id, memberId(membership.id, address)))?.email;
}

/**
 * The actions that count a mail with a code. It counts towards the limit of the e-mail address and towards the limit of the product. Only
 * the first attempt to send the mail counts.
 */
const limits = ({ delivery, product, to, now }: MailCall): Action[] =>
  (delivery.attempts ?? 0) > 0 ? [] : [countCodeMail(product.id, to, now), countCodeMailOfProduct(product.id, now)];

/**
 * The result if a limit is reached. If one e-mail address has received too many mails, the mail is dropped. If a product has sent too many
 * mails, the mail waits.
 */
function limited({ facts, delivery, now }: MailCall, [address]: readonly unknown[]): PreparedMail {
  if (address !== undefined) return 'skipped';
  const waits = postponed(facts, (delivery as Delivery).created_at, now);
  return waits ? { waits } : { dropped: 'The product has too many mails to send, and this mail has waited for the maximum time' };
}

async function prepareCode(requested: MailCall): Promise<PreparedMail> {
  const { app, delivery, product, portal, now } = requested;
  const owner = await findOwner(app, product.id, requested.to);
  if (owner === undefined) return 'skipped';
  const call = { ...requested, to: owner };
  const { to } = call;
  const code = codeOf(app.random(CODE_RANDOM_BYTES));
  const token = portalTokenOf(app.random(PORTAL_TOKEN_BYTES));
  const until = now + CODE_MS;
  const link: Link = { hash: portalTokenHash(token), product_id: product.id, epoch: portal.epoch, address: to, until };
  const hash = hashCode(await app.secrets.portalKey(), code, { product_id: product.id, address: to });
  const counted = limits(call);
  return retry(app.table, 'The buyer', async (): Promise<PreparedMail | typeof TRY_AGAIN> => {
    const known = await getBuyer(app.table, product.id, to);
    const { buyer } = known;
    const transaction = await transact(app.table, [
      ...counted,
      putBuyer(product.id, known, { ...buyer, code: { hash, until, link: link.hash, epoch: portal.epoch } }, now),
      createLink(link),
      ...deleteLinks(buyer.code ? [buyer.code.link] : []),
      ...((delivery.attempts ?? 0) > 0 ? [] : [listEvent(delivery)]),
    ]);
    if (transaction.committed) {
      if ((await findOwner(app, product.id, to)) !== undefined) return { to, mail: render(call, { code, token }) };
      // The buyer was erased after the address was found. The erasure may have ended the buyer's codes before this code was stored.
      await transact(app.table, deleteLinks([link.hash]));
      return 'skipped';
    }
    const reached = transaction.failed.slice(0, counted.length);
    return reached.some((one) => one !== undefined) ? limited(call, reached) : TRY_AGAIN;
  });
}

async function prepareAddressCode(call: MailCall): Promise<PreparedMail> {
  const { app, facts, product, to, now } = call;
  if (facts.session === undefined) throw new Error('the mail cannot be read');
  const code = codeOf(app.random(CODE_RANDOM_BYTES));
  const stored: CodeHash = {
    hash: hashCode(await app.secrets.portalKey(), code, { product_id: product.id, address: to, session: facts.session }),
    until: now + CODE_MS,
    tries: 0,
  };
  const counted = limits(call);
  const transaction = await transact(app.table, [...counted, setChange(facts.session, to, stored)]);
  if (transaction.committed) return { to, mail: render(call, { code }) };
  const reached = transaction.failed.slice(0, counted.length);
  return reached.some((one) => one !== undefined) ? limited(call, reached) : { dropped: 'The session has ended' };
}

/**
 * Removes the e-mail address from the log entry of a portal mail that is no longer pending. The erasure of a buyer's data finds log entries
 * only by their license, so it could not find the entry of a mail without a license. A mail about a license keeps the address, because the
 * erasure finds its entry.
 */
export function withoutAddress(delivery: DeliveryRecord): DeliveryRecord {
  const { url = '', history } = delivery;
  if (delivery.license_id !== null || delivery.status === 'pending') return delivery;
  const address = url.slice(MAILTO.length);
  const clean = (error: string | null): string | null => {
    const text = address === '' ? error : (error?.replaceAll(address, addressHash(address)) ?? null);
    // A mail server may repeat the address in another spelling.
    return text !== null && text.includes('@') ? ERASED_ERROR : text;
  };
  return { ...delivery, url: MAILTO, ...(history && { history: history.map((attempt) => ({ ...attempt, error: clean(attempt.error) })) }) };
}
