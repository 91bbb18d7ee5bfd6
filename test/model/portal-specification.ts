import { isDeepStrictEqual } from 'node:util';
import type { PortalLicenseView } from '../../lambdas/contract/portal';
import type { PortalAction } from '../../lambdas/contract/portal-actions';
import type { LicenseStatus } from '../../lambdas/contract/statuses';
import { deviceRefOf } from '../support/devices';
import type { CallResult } from '../support/harness';
import type { CodeMail } from '../support/portal';
import { DAY, MINUTE } from './license';

/**
 * The specification of portals as pure functions. A rule takes a state and a response, and returns the next state, or undefined if the
 * response is wrong (docs/spec/portal.md). E-mail addresses are in lower case, and products are numbered from 0.
 */

export interface Portal {
  readonly open: boolean;
  /** A number that rises when the portal is closed. Codes, links and sessions with an earlier number are invalid. */
  readonly epoch: number;
  readonly allow: readonly PortalAction[];
  readonly freesPer30Days: number;
}

export interface License {
  readonly id: number;
  readonly product: number;
  readonly key: string;
  /** The buyer's e-mail address; null after the buyer was erased. */
  readonly address: string | null;
  readonly status: LicenseStatus;
  readonly devices: readonly string[];
  readonly frees: { readonly since: number; readonly count: number };
}

interface Code {
  readonly code: string;
  readonly until: number;
  readonly tries: number;
}

export interface Session {
  readonly token: string;
  readonly product: number;
  readonly epoch: number;
  readonly address: string;
  readonly created: number;
  readonly used: number;
  readonly ended: boolean;
  /**
   * The new e-mail address that the session's buyer has requested, with the mailed code that confirms it; null if there is no such code.
   */
  readonly change: (Code & { readonly address: string }) | null;
}

/** A mailed code with which a buyer signs in, and the link in the same mail. */
interface SignInCode extends Code {
  readonly product: number;
  readonly epoch: number;
  readonly address: string;
  /** The token of the link in the same mail as the code. */
  readonly link: string;
}
interface Link {
  readonly token: string;
  readonly product: number;
  readonly epoch: number;
  readonly address: string;
  readonly until: number;
}

/** A mail that is recorded and not sent yet. */
interface Waiting {
  readonly kind: 'code' | 'address code' | 'notice' | 'key';
  readonly product: number;
  readonly to: string;
  readonly at: number;
  readonly session?: string;
  readonly license?: number;
  /** Whether the buyer of the license was erased after the request. In that case the mail may be missing. */
  readonly erased?: boolean;
}

export interface State {
  readonly now: number;
  readonly portals: readonly Portal[];
  readonly licenses: readonly License[];
  readonly sessions: readonly Session[];
  readonly codes: readonly SignInCode[];
  readonly links: readonly Link[];
  /** The times of actions that a limit counts, such as mails with a code. */
  readonly uses: readonly { readonly limit: string; readonly at: number }[];
  readonly waiting: readonly Waiting[];
}

export type Response = Pick<CallResult, 'status' | 'body'> & { readonly code: string | undefined };
export type Rule = (state: State, response: Response) => State | undefined;

const IDLE = 60 * MINUTE;
const LONGEST = 12 * 60 * MINUTE;
const CODE_VALID = 10 * MINUTE;
const CODE_MAIL_TRIED = 5 * MINUTE;
const ATTEMPTS = 5;
const FREES_WINDOW = 30 * DAY;

const is = (response: Response, status: number, body?: object): boolean =>
  response.status === status && (body === undefined || isDeepStrictEqual(response.body, body));
const refused = (state: State, response: Response, status: number, code?: string): State | undefined =>
  response.status === status && (code === undefined || response.code === code) ? state : undefined;

/** Replaces the given fields in all items that match. */
const change = <Item>(items: readonly Item[], matches: (item: Item) => boolean, patch: Partial<Item>): readonly Item[] =>
  items.map((item) => (matches(item) ? { ...item, ...patch } : item));
const withLicense = (state: State, id: number, patch: Partial<License>): State => ({
  ...state,
  licenses: change(state.licenses, (license) => license.id === id, patch),
});
const withSession = (state: State, token: string, patch: Partial<Session>): State => ({
  ...state,
  sessions: change(state.sessions, (session) => session.token === token, patch),
});

/** The state after one more action that a limit counts. It is undefined if `uses` such actions have already happened within the period. */
function count(state: State, limit: string, uses: number, period: number): State | undefined {
  const recent = state.uses.filter((use) => use.limit === limit && use.at > state.now - period);
  return recent.length < uses ? { ...state, uses: [...state.uses, { limit, at: state.now }] } : undefined;
}

// ── Signing in ──────────────────────────────────────────────────────────────────────────────────

const toVisitors =
  (product: number, rule: (state: State, portal: Portal, response: Response) => State | undefined): Rule =>
  (state, response) => {
    const portal = state.portals[product];
    return portal?.open ? rule(state, portal, response) : refused(state, response, 404, 'not_found');
  };

export const requestCode = (product: number, address: string): Rule =>
  toVisitors(product, (state, _portal, response) =>
    is(response, 202, {}) ? { ...state, waiting: [...state.waiting, { kind: 'code', product, to: address, at: state.now }] } : undefined,
  );

/** The state after a new session has been added. The response contains the session's token. */
function begin(state: State, { epoch }: Portal, product: number, address: string, { status, body }: Response): State | undefined {
  const { session: token, expires_at } = body as unknown as { readonly session: string; readonly expires_at: string };
  if (status !== 201 || state.sessions.some((session) => session.token === token)) return undefined;
  if (Date.parse(expires_at) !== state.now + IDLE) return undefined;
  const session: Session = { token, product, epoch, address, created: state.now, used: state.now, ended: false, change: null };
  return { ...state, sessions: [...state.sessions, session] };
}

const isLive = ({ until, tries }: Code, now: number): boolean => now < until && tries < ATTEMPTS;

export const signInByCode = (product: number, address: string, typed: string): Rule =>
  toVisitors(product, (state, portal, response) => {
    const code = state.codes.find((one) => one.product === product && one.address === address && one.epoch === portal.epoch);
    if (!code || !isLive(code, state.now)) return refused(state, response, 401, 'unauthorized');
    if (code.code !== typed) {
      const tried = change(state.codes, (one) => one === code, { tries: code.tries + 1 });
      return refused({ ...state, codes: tried }, response, 401, 'unauthorized');
    }
    const codes = state.codes.filter((one) => one !== code);
    const links = state.links.filter(({ token }) => token !== code.link);
    return begin({ ...state, codes, links }, portal, product, address, response);
  });

export const signInByLink = (product: number, token: string): Rule =>
  toVisitors(product, (state, portal, response) => {
    const link = state.links.find((one) => one.token === token && one.product === product && one.epoch === portal.epoch);
    if (!link || state.now >= link.until) return refused(state, response, 401, 'unauthorized');
    const links = state.links.filter((one) => one !== link);
    const codes = state.codes.filter((one) => one.link !== token);
    return begin({ ...state, codes, links }, portal, product, link.address, response);
  });

/** The valid session with the given token at a product; undefined if the session has ended or does not exist. */
export function sessionOf({ sessions, portals, now }: State, product: number, token: string): Session | undefined {
  const epoch = portals[product]?.epoch;
  const session = sessions.find((one) => one.token === token && one.product === product && one.epoch === epoch && !one.ended);
  return session && now < Math.min(session.used + IDLE, session.created + LONGEST) ? session : undefined;
}

export const signOut = (product: number, token: string): Rule =>
  toVisitors(product, (state, _portal, response) => {
    const session = sessionOf(state, product, token);
    if (!is(response, 200, { ended: session !== undefined })) return undefined;
    return session ? withSession(state, token, { ended: true }) : state;
  });

/** The vendor creates a link with which a buyer signs in. */
export const makeLink =
  (product: number, address: string, minutes: number): Rule =>
  (state, response) => {
    const portal = state.portals[product];
    if (!portal?.open) return refused(state, response, 422);
    if (!state.licenses.some((license) => license.product === product && license.address === address)) return refused(state, response, 404);
    const token = tokenOf(String(response.body['url']));
    const link: Link = { token, product, epoch: portal.epoch, address, until: state.now + minutes * MINUTE };
    return is(response, 201) ? { ...state, links: [...state.links, link] } : undefined;
  };

export const tokenOf = (url: string): string => url.split('#t=')[1] ?? '';

// ── With a session ──────────────────────────────────────────────────────────────────────────────

interface Buying {
  readonly state: State;
  readonly portal: Portal;
  readonly session: Session;
  readonly response: Response;
}

const toBuyers = (product: number, token: string, allow: PortalAction | undefined, rule: (buying: Buying) => State | undefined): Rule =>
  toVisitors(product, (state, portal, response) => {
    const session = sessionOf(state, product, token);
    if (!session) return refused(state, response, 401, 'unauthorized');
    if (allow && !portal.allow.includes(allow)) return refused(state, response, 403, 'forbidden');
    // The time of the last use is updated at most once per minute.
    const used = state.now - session.used >= MINUTE ? withSession(state, token, { used: state.now }) : state;
    return rule({ state: used, portal, session, response });
  });

/** A rule for a route about one license. If the license does not belong to the buyer, the response is 404. */
const onOwn = (
  product: number,
  token: string,
  allow: PortalAction | undefined,
  id: number,
  rule: (license: License, buying: Buying) => State | undefined,
): Rule =>
  toBuyers(product, token, allow, (buying) => {
    const own = ownLicenses(buying.state, buying.session).find((license) => license.id === id);
    return own ? rule(own, buying) : refused(buying.state, buying.response, 404, 'not_found');
  });

const ownLicenses = ({ licenses }: State, { product, address }: Session): License[] =>
  licenses.filter((license) => license.product === product && license.address === address).sort((a, b) => b.id - a.id);

const freesOf = ({ frees }: License, now: number): License['frees'] =>
  frees.count > 0 && now - frees.since < FREES_WINDOW ? frees : { since: now, count: 0 };
const freesLeft = (license: License, { freesPer30Days }: Portal, now: number): number | null =>
  freesPer30Days === 0 ? null : Math.max(0, freesPer30Days - freesOf(license, now).count);

const shown = (license: License, portal: Portal, now: number): object => ({
  id: license.id,
  key: license.key,
  status: license.status,
  used: license.devices.length,
  devices: license.devices.map((fingerprint) => deviceRefOf(license, fingerprint)).sort(),
  frees_left: freesLeft(license, portal, now),
});
const view = ({ id, key, status, seats, devices, frees_left }: PortalLicenseView): object => ({
  id,
  key,
  status,
  used: seats.used,
  devices: devices.map(({ ref }) => ref).sort(),
  frees_left,
});

/** The list of licenses contains exactly the licenses of the session's product and e-mail address. */
export const look = (product: number, token: string): Rule =>
  toBuyers(product, token, undefined, ({ state, portal, session, response }) => {
    const wanted = ownLicenses(state, session).map((license) => shown(license, portal, state.now));
    const listed = response.status === 200 ? (response.body as unknown as PortalLicenseView[]).map(view) : undefined;
    return isDeepStrictEqual(listed, wanted) ? state : undefined;
  });

export const free = (product: number, token: string, id: number, device: string): Rule =>
  onOwn(product, token, 'free_devices', id, (license, { state, portal, response }) => {
    if (!license.devices.includes(device)) return is(response, 200, { freed: false }) ? state : undefined;
    if (freesLeft(license, portal, state.now) === 0) return refused(state, response, 429, 'too_many_frees');
    const { since, count: freed } = freesOf(license, state.now);
    const devices = license.devices.filter((one) => one !== device);
    return is(response, 200, { freed: true }) ? withLicense(state, id, { devices, frees: { since, count: freed + 1 } }) : undefined;
  });

export const reissue = (product: number, token: string, id: number): Rule =>
  onOwn(product, token, 'reissue', id, (license, { state, portal, response }) => {
    if (license.status !== 'active') return refused(state, response, 403, `license_${license.status}`);
    const counted = count(state, `reissue ${id}`, 3, DAY);
    if (!counted) return refused(state, response, 429, 'rate_limited');
    const key = String(response.body['key']);
    if (response.status !== 200 || state.licenses.some((one) => one.key === key)) return undefined;
    const after: License = { ...license, key, devices: [] };
    const isShown = isDeepStrictEqual(view(response.body as unknown as PortalLicenseView), shown(after, portal, state.now));
    return isShown ? withLicense(counted, id, after) : undefined;
  });

export const mailKey = (product: number, token: string, id: number): Rule =>
  onOwn(product, token, undefined, id, (license, { state, session, response }) => {
    if (license.status === 'revoked') return refused(state, response, 403, 'license_revoked');
    const counted = count(state, `key ${id}`, 3, DAY);
    if (!counted) return refused(state, response, 429, 'rate_limited');
    const mail: Waiting = { kind: 'key', product, to: session.address, at: state.now, license: id };
    return is(response, 202, {}) ? { ...counted, waiting: [...state.waiting, mail] } : undefined;
  });

/** @param key the key in the request of the device */
export const mint = (product: number, token: string, id: number, key: string, device: string): Rule =>
  onOwn(product, token, 'offline', id, (license, { state, response }) => {
    if (license.key !== key) return refused(state, response, 422, 'invalid_request');
    if (license.status !== 'active') return refused(state, response, 403, `license_${license.status}`);
    return is(response, 200) ? withLicense(state, id, { devices: [...new Set([...license.devices, device])] }) : undefined;
  });

export const changeAddress = (product: number, token: string, address: string): Rule =>
  toBuyers(product, token, 'change_email', ({ state, session, response }) => {
    if (!is(response, 202, {})) return undefined;
    const counted = address === session.address ? undefined : count(state, `change ${product} ${session.address}`, 5, DAY);
    if (!counted) return state;
    const mail = { product, at: state.now };
    const waiting: Waiting[] = [
      { ...mail, kind: 'address code', to: address, session: token },
      { ...mail, kind: 'notice', to: session.address },
    ];
    return { ...counted, waiting: [...state.waiting, ...waiting] };
  });

export const confirm = (product: number, token: string, address: string, typed: string): Rule =>
  toBuyers(product, token, 'change_email', ({ state, session, response }) => {
    const { change: asked, address: before } = session;
    if (!asked || !isLive(asked, state.now)) return refused(state, response, 401, 'unauthorized');
    if (asked.code !== typed || asked.address !== address)
      return refused(withSession(state, token, { change: { ...asked, tries: asked.tries + 1 } }), response, 401, 'unauthorized');
    const isOld = (one: { readonly product: number; readonly address: string | null }): boolean =>
      one.product === product && one.address === before;
    const moved: State = {
      ...ended(state, product, before, token),
      licenses: change(state.licenses, isOld, { address }),
    };
    return is(response, 200, { email: address }) ? withSession(moved, token, { address, change: null }) : undefined;
  });

/** The state in which all sessions, codes and links of an e-mail address have ended, except one session. */
function ended(state: State, product: number, address: string, except?: string): State {
  const isTheirs = (one: { readonly product: number; readonly address: string }): boolean =>
    one.product === product && one.address === address;
  return {
    ...state,
    sessions: change(state.sessions, (session) => isTheirs(session) && session.token !== except, { ended: true }),
    codes: state.codes.filter((code) => !isTheirs(code)),
    links: state.links.filter((link) => !isTheirs(link)),
  };
}

// ── The vendor and apps ─────────────────────────────────────────────────────────────────────────

export const sell =
  (product: number, address: string): Rule =>
  (state, response) => {
    const { id, key } = response.body as unknown as { readonly id: number; readonly key: string };
    const license: License = { id, key, product, address, status: 'active', devices: [], frees: { since: 0, count: 0 } };
    return is(response, 201) ? { ...state, licenses: [...state.licenses, license] } : undefined;
  };

const onAny =
  (id: number, rule: (license: License, state: State, response: Response) => State | undefined): Rule =>
  (state, response) => {
    const license = state.licenses.find((one) => one.id === id);
    return license && rule(license, state, response);
  };

export const move = (id: number, address: string): Rule =>
  onAny(id, (_license, state, response) => (is(response, 200) ? withLicense(state, id, { address }) : undefined));

export const setStatus = (id: number, to: 'suspended' | 'active' | 'revoked'): Rule =>
  onAny(id, ({ status }, state, response) => {
    if (status === 'revoked' && to !== 'revoked') return refused(state, response, 403, 'license_revoked');
    return is(response, 200) ? withLicense(state, id, { status: to }) : undefined;
  });

export const activate = (id: number, key: string, device: string): Rule =>
  onAny(id, (license, state, response) => {
    if (license.key !== key) return refused(state, response, 403, 'license_revoked');
    if (license.status !== 'active') return refused(state, response, 403, `license_${license.status}`);
    return is(response, 200) ? withLicense(state, id, { devices: [...new Set([...license.devices, device])] }) : undefined;
  });

/** An operator frees a device. This does not count towards the limit on devices that buyers free. */
export const freeByOperator = (id: number, device: string): Rule =>
  onAny(id, ({ devices }, state, response) =>
    is(response, 200, { freed: devices.includes(device) })
      ? withLicense(state, id, { devices: devices.filter((one) => one !== device) })
      : undefined,
  );

/** @param product the product in which the buyer is erased; null means all products */
export const erase =
  (product: number | null, address: string): Rule =>
  (state, response) => {
    if (!is(response, 200)) return undefined;
    const products = product === null ? state.portals.map((_portal, place) => place) : [product];
    const without = products.reduce((next, place) => ended(next, place, address), state);
    const erased = state.licenses.filter((one) => products.includes(one.product) && one.address === address);
    return {
      ...without,
      licenses: change(state.licenses, (license) => erased.includes(license), { address: null }),
      waiting: change(state.waiting, (mail) => erased.some(({ id }) => id === mail.license), { erased: true }),
    };
  };

export interface Settings {
  readonly enabled?: boolean;
  readonly allow?: readonly PortalAction[];
  readonly frees_per_30_days?: number;
}

export const set =
  (product: number, { enabled, allow, frees_per_30_days }: Settings): Rule =>
  (state, response) => {
    const before = state.portals[product];
    if (!before || !is(response, 200)) return undefined;
    const after: Portal = {
      open: enabled ?? before.open,
      epoch: before.epoch + (before.open && enabled === false ? 1 : 0),
      allow: allow ?? before.allow,
      freesPer30Days: frees_per_30_days ?? before.freesPer30Days,
    };
    return { ...state, portals: state.portals.map((portal, place) => (place === product ? after : portal)) };
  };

// ── Mails ───────────────────────────────────────────────────────────────────────────────────────

const KEY = /[0-9A-Z]{5}(?:-[0-9A-Z]{5}){4}/;

/** The state after the waiting mails were sent; undefined if the sent mails are not the mails that are due. */
export function sendMails(state: State, sent: readonly CodeMail[]): State | undefined {
  const left = [...sent];
  /** Removes the first sent mail of a given kind and recipient from the list, and returns it. */
  const take = ({ kind, to }: Waiting, key = ''): CodeMail | undefined => {
    const place = left.findIndex(
      (mail) =>
        mail.to.toLowerCase() === to &&
        (mail.code !== '') === (kind === 'code' || kind === 'address code') &&
        (mail.token !== '') === (kind === 'code') &&
        (KEY.exec(mail.text)?.[0] ?? '') === key,
    );
    return place < 0 ? undefined : left.splice(place, 1)[0];
  };
  let next: State | undefined = { ...state, waiting: [] };
  for (const mail of state.waiting) next = next && sendMail(next, mail, (key) => take(mail, key));
  return left.length === 0 ? next : undefined;
}

function sendMail(state: State, mail: Waiting, take: (key?: string) => CodeMail | undefined): State | undefined {
  const portal = state.portals[mail.product];
  const isLate = state.now - mail.at >= CODE_MAIL_TRIED;
  if (!portal?.open) return state;
  if (mail.kind === 'notice') return take() && state;
  if (mail.kind === 'key') {
    const license = state.licenses.find(({ id }) => id === mail.license);
    // If the license has got another buyer since the request, its key is not mailed.
    if (license?.address !== mail.to) return state;
    return take(license.key) || mail.erased ? state : undefined;
  }
  if (isLate) return state;
  const isOwner = state.licenses.some(({ product, address }) => product === mail.product && address === mail.to);
  const session = state.sessions.find(({ token }) => token === mail.session);
  if (mail.kind === 'code' ? !isOwner : !session || session.ended) return state;
  const counted = count(state, `codes ${mail.product} ${mail.to}`, 3, 10 * MINUTE);
  if (!counted) return state;
  const sent = take();
  if (!sent) return undefined;
  const code: Code = { code: sent.code, until: state.now + CODE_VALID, tries: 0 };
  if (session) return withSession(counted, session.token, { change: { ...code, address: mail.to } });
  const { product, to: address } = mail;
  const { epoch } = portal;
  const before = state.codes.find((one) => one.product === product && one.address === address);
  const link: Link = { token: sent.token, product, epoch, address, until: code.until };
  return {
    ...counted,
    codes: [...state.codes.filter((one) => one !== before), { ...code, product, epoch, address, link: sent.token }],
    links: [...state.links.filter(({ token }) => token !== before?.link), link],
  };
}
