import * as z from 'zod/mini';
import { describeProblems, wording } from '../../contract/problems';
import { email as emailAddress } from '../../contract/resources';
import { checked } from '../../contract/schema';
import { hasNulOrLoneSurrogate, timestampInput } from '../../contract/text';
import { currency, email, parseObject, sha256 } from './fields';
import type { Action, Adapter, Line, Money, Notification, Refund } from './model';
import { actionsOf, idsOf, NO_LINKS, NO_MONEY, notification } from './notification';
import { isStandardWebhook, TOLERANCE_SECONDS } from './signature';

/**
 * The vendor's own shop, or any shop that can send a webhook in the service's own format (docs/spec/processors.md, Custom). The
 * vendor writes what is sent, so an invalid field is refused with its name, and never read as a default.
 */

const SECRET_PREFIX = 'whsec_';
/** Minimum length of a decoded secret, in bytes. */
const MIN_KEY_BYTES = 24;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

const encodedKey = (secret: string): string => (secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
const keyOf = (secret: string): Buffer => Buffer.from(encodedKey(secret), 'base64');

// The schema converts nothing, so that its result, which has only the known fields in the order of the schema, can be compared.
const id = checked(
  z.string(),
  z.minLength(1),
  z.maxLength(255),
  z.refine((value) => !hasNulOrLoneSurrogate(value), { error: 'must not contain NUL or lone surrogates' }),
);
const isTime = (value: string): boolean => timestampInput.safeParse(value).success;
const time = checked(z.string(), z.refine(isTime, { error: 'must be an RFC 3339 timestamp such as 2027-01-31T00:00:00Z' }));
const ms = (value: string): number => timestampInput.parse(value);
const amount = checked(z.int(), z.minimum(0));
const uniqueIds = <Entry>(idOf: (entry: Entry) => string) =>
  z.refine<readonly Entry[]>((entries) => new Set(entries.map(idOf)).size === entries.length, { error: 'must name each id once' });

const fields = {
  id,
  at: time,
  order: id,
  subscription: z.optional(id),
  buyer: z.optional(
    z.object({
      email: checked(
        z.string(),
        z.refine((value) => emailAddress.safeParse(value).success, { error: 'must be a valid e-mail address' }),
      ),
      name: z.optional(z.string()),
    }),
  ),
  lines: z.optional(
    checked(
      z.array(z.object({ id, ref: id, quantity: checked(z.int(), z.minimum(0), z.maximum(100_000)) })),
      z.minLength(1),
      z.maxLength(100),
      uniqueIds((line) => line.id),
    ),
  ),
  period: z.optional(
    checked(
      z.object({ from: time, until: time }),
      z.refine(({ from, until }) => !isTime(from) || !isTime(until) || ms(until) > ms(from), {
        path: ['until'],
        error: 'must be after `from`',
      }),
    ),
  ),
  trial: z.optional(z.boolean()),
  payment: z.optional(
    z.object({
      id,
      amount: z.optional(amount),
      currency: z.optional(checked(z.string(), z.regex(/^[A-Za-z]{3}$/, { error: 'must be an ISO 4217 code such as EUR' }))),
    }),
  ),
  refund: z.optional(
    z.object({
      id,
      payment: z.optional(id),
      amount: z.optional(amount),
      lines: z.optional(checked(z.array(id), z.minLength(1), z.maxLength(100))),
    }),
  ),
  dispute: z.optional(z.object({ id, state: z.enum(['open', 'won', 'lost']) })),
  subscription_state: z.optional(z.enum(['active', 'past_due', 'paused', 'canceled', 'ended'])),
  ends_at: z.optional(time),
};

/** The body of a notification. Each type has required fields; a field that its type does not need is checked all the same. */
const body = z.discriminatedUnion('type', [
  z.object({ ...fields, type: z.literal('sale'), buyer: fields.buyer.def.innerType, lines: fields.lines.def.innerType }),
  z.object({ ...fields, type: z.literal('renewal'), period: fields.period.def.innerType }),
  z.object({ ...fields, type: z.literal('refund'), refund: fields.refund.def.innerType }),
  z.object({ ...fields, type: z.literal('dispute'), dispute: fields.dispute.def.innerType }),
  checked(
    z.object({ ...fields, type: z.literal('subscription') }),
    z.refine((value) => value.subscription_state !== undefined || value.lines !== undefined, {
      path: ['subscription_state'],
      error: 'is required, or `lines`',
    }),
  ),
]);
type Body = z.output<typeof body>;

const TYPES = ['sale', 'renewal', 'refund', 'dispute', 'subscription'];

/** The body in a text, or a sentence with its errors. */
function parse(text: string): Body | string {
  const value = parseObject(text);
  if (!value) return 'body must be a JSON object';
  const { type } = value;
  if (type === undefined) return 'type is required';
  if (typeof type !== 'string' || !TYPES.includes(type)) return `type must be ${TYPES.slice(0, -1).join(', ')} or ${TYPES.at(-1)}`;
  const parsed = body.safeParse(value, { error: wording });
  return parsed.success ? parsed.data : describeProblems(parsed.error.issues, 'body');
}

const linesOf = (lines: Body['lines']): readonly Line[] =>
  (lines ?? []).map((line) => ({ id: line.id, refs: [line.ref], quantity: line.quantity, oneOff: false }));

function refundOf({ refund }: Body & { readonly type: 'refund' }): Action {
  const { amount: sum = null, lines } = refund;
  // Lines are refunded in full, so an amount beside them says nothing about the rest of the payment.
  const fact: Refund = lines
    ? { id: refund.id, amount: null, items: [...new Set(lines)].map((line) => ({ id: line, inFull: true, amount: null })) }
    : { id: refund.id, amount: sum };
  return { kind: !lines && sum === null ? 'refunded' : 'refunded_in_part', refund: fact };
}

function stateOf({ subscription_state: state, ends_at, period }: Body): readonly Action[] {
  const endsAt = ends_at === undefined ? null : ms(ends_at);
  const announced: readonly Action[] = endsAt === null ? [] : [{ kind: 'cancellation_announced', endsAt }];
  switch (state) {
    case 'active':
      return [{ kind: 'paid_again' }, { kind: 'resumed' }, ...announced];
    case 'past_due':
      return [{ kind: 'payment_failed' }, ...announced];
    case 'paused':
      return [{ kind: 'paused' }, ...announced];
    case 'canceled':
      return [{ kind: 'cancellation_announced', endsAt: endsAt ?? (period ? ms(period.until) : null) }];
    case 'ended':
      return [{ kind: 'ended', endedAt: endsAt }];
    case undefined:
      return announced;
  }
}

function actionsIn(known: Body): Notification['actions'] {
  const { period, trial = false } = known;
  const paid = {
    lines: linesOf(known.lines),
    paidUntil: period ? ms(period.until) : null,
    ...(period && { paidFrom: ms(period.from) }),
    ...(trial && { isTrial: true as const }),
  };
  switch (known.type) {
    case 'sale':
      return [{ kind: 'sale', ...paid }];
    case 'renewal':
      return [{ kind: 'renewal', ...paid }];
    case 'refund':
      return [refundOf(known)];
    case 'dispute': {
      const { id: of, state } = known.dispute;
      return [{ kind: state === 'open' ? 'dispute_opened' : state === 'won' ? 'dispute_won' : 'dispute_lost', id: of }];
    }
    case 'subscription': {
      const changed: Action = { kind: 'changed', lines: paid.lines, complete: true };
      const isExtended = trial && period !== undefined;
      return actionsOf(
        [
          ...stateOf(known),
          ...(known.lines ? [changed] : []),
          ...(isExtended ? [{ kind: 'renewal' as const, ...paid, lines: [], isTrial: true as const }] : []),
        ],
        changed,
      );
    }
  }
}

function moneyOf({ type, payment, ...known }: Body): Money {
  const [source, sum] = type === 'refund' ? [known.refund, known.refund?.amount] : [payment, payment?.amount];
  if (!source || (type !== 'sale' && type !== 'renewal' && type !== 'refund')) return NO_MONEY;
  return { ...NO_MONEY, transactionId: source.id, amount: sum ?? null, currency: currency(payment?.currency) };
}

/** The payment that a notification is about. Shops may number payments per order, so no order is found by the id of a payment. */
function paymentOf(known: Body): Notification['payment'] {
  const paid = known.type === 'sale' || known.type === 'renewal' ? known.payment : undefined;
  const of = paid?.id ?? (known.type === 'refund' ? known.refund.payment : undefined);
  return of === undefined ? null : { ids: [{ kind: 'payment', id: of }], ...(paid && { amount: paid.amount ?? null }) };
}

export const custom: Adapter = {
  processor: 'custom',
  signs: true,
  refusesSecret: (secret) =>
    !BASE64.test(encodedKey(secret)) || keyOf(secret).length < MIN_KEY_BYTES
      ? `must be base64 of at least ${MIN_KEY_BYTES} bytes, with or without \`${SECRET_PREFIX}\``
      : undefined,
  hasApi: false,
  apiBase: { live: '', test: '' },
  shownKinds: ['order'],
  purchaseKinds: [],
  idKinds: ['order', 'subscription'],
  respondsWithLicenses: true,

  verify: (bytes, headers, secrets, now) => isStandardWebhook(bytes, headers, secrets.map(keyOf), now),

  refusal(text, now) {
    const known = parse(text);
    if (typeof known === 'string') return known;
    return ms(known.at) > now + TOLERANCE_SECONDS * 1000 ? 'at must be at most 5 minutes ahead' : undefined;
  },

  read(text) {
    const known = parse(text);
    if (typeof known === 'string') return undefined;
    const leadingId = { kind: 'order', id: known.order };
    return notification({
      eventId: known.id,
      type: known.type,
      occurredAt: ms(known.at),
      ids: idsOf({ order: known.order, subscription: known.subscription ?? null }),
      leadingId,
      subscriptionId: known.subscription ?? null,
      payment: paymentOf(known),
      customerEmail: email(known.buyer?.email),
      money: moneyOf(known),
      actions: actionsIn(known),
      content: sha256(JSON.stringify(known)),
    });
  },

  links: () => NO_LINKS,
  apiHeaders: () => ({}),
  listings: () => [],
  page: () => undefined,
};
