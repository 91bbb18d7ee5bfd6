import type { InvitationReason } from '../contract/members';
import { EVENT_RANDOM_BYTES, type Event } from '../domain/event';
import type { License } from '../domain/license';
import { languageOfMail } from '../domain/mail-content';
import type { Member } from '../domain/member';
import { invitationMail } from '../domain/portal/mail';
import type { App } from '../runtime/app';
import { mailFrom } from '../runtime/mail/from';
import { recordEvent } from '../store/events/record';
import { countInvitation } from '../store/limits';
import { getOpenPortal } from '../store/portal/settings';
import { getProduct } from '../store/products';
import type { Action } from '../store/transaction';

/** The mail with which a new member is invited, and the actions that record it; or why it is not sent. */
interface Planned {
  readonly mail?: Event;
  readonly reason: InvitationReason | null;
  readonly actions: readonly Action[];
}

const notSent = (reason: InvitationReason): Planned => ({ reason, actions: [] });

/** Plans the invitation of a member, for the transaction that adds the member (docs/spec/sign-in.md, Invitations). */
export async function planInvitation(app: App, license: License, { email }: Member, now: number): Promise<Planned> {
  const { table } = app;
  if (mailFrom(app) === null) return notSent('mail_not_configured');
  const [product, portal] = await Promise.all([getProduct(table, license.product_id), getOpenPortal(table, license.product_slug)]);
  if (!product || !portal) return notSent('portal_off');
  const counted = await countInvitation(table, license, email, now);
  if (typeof counted === 'string') return notSent(counted);
  const request = { product, to: email, language: languageOfMail(product, [license]), at: now, random: app.random(EVENT_RANDOM_BYTES) };
  const mail = invitationMail(request, license);
  return { mail, reason: null, actions: [recordEvent(mail), ...counted] };
}
