/** The inputs of the vectors for activation by signing in. They have the format of the behaviour vectors. */
import type { GivenCase, GivenStep, ScriptedResponse } from './behaviour';
import {
  activated,
  fault,
  granted,
  json,
  KEY,
  license,
  offline,
  onDevice,
  one,
  OTHER_KEY,
  proved,
  record,
  refused,
  token,
  validated,
  withRecord,
} from './parts';
import { DAY, NOW, other, signedVerdict, without } from './signing';

/** A key of one device has six groups. */
const DEVICE_KEY = '4QV8N-0TR2K-9MW5X-HC7J1-E3ZPB-6DYS0';
const asked = {
  request: 'c2VjcmV0IG9mIDMyIGJ5dGVzLCBpbiB0aGUgdmVjdG9y',
  user_code: '7KQ2-9MXB',
  url: 'https://licenses.example.com/portal/aurora-notes#activate=7KQ2-9MXB',
  interval: 5,
  expires_at: '2027-01-15T08:10:00.000Z',
};
const created = json(201, asked);
const pending = (interval = 5): Exclude<ScriptedResponse, string> => json(200, { status: 'pending', interval });
/** A number of seconds that no timer can count. */
const FOREVER = Number.MAX_SAFE_INTEGER;
const denied = json(200, { status: 'denied' });
const expired = json(200, { status: 'expired' });
/** The response after somebody has approved the request with a license. */
const approved = (changes: Parameters<typeof token>[0] = {}, key = DEVICE_KEY): ScriptedResponse => {
  const { body } = granted(token({ iat: NOW + 5, ...changes }), { license: { ...license, id: Number(changes.sub ?? 42), key } });
  return json(200, { status: 'approved', activation: body });
};
const freed = json(200, { freed: true });

type Step = Omit<GivenStep, 'now' | 'call'> & { readonly now?: number };
const signIn = (step: Step): GivenStep => onDevice({ call: 'activate_in_browser', responses: [created], ...step });
const signedIn = (name: string, polls: readonly ScriptedResponse[], stored?: GivenCase['stored'], step: Step = {}): GivenCase => ({
  name: `sign-in: ${name}`,
  ...(stored && { stored }),
  steps: [signIn({ polls, ...step })],
});
const notAsked = (name: string, responses: readonly ScriptedResponse[], step: Step = {}): GivenCase =>
  signedIn(name, [], undefined, { responses, ...step });
/** A record whose key is one of a device, and whose service signs. */
const withDeviceKey = withRecord({ key: DEVICE_KEY, verdicts: true });
const mustSignIn = proved(signedVerdict({ status: 'sign_in_required' }));

const decisions: readonly GivenCase[] = [
  signedIn('approved: the key of the device is stored', [pending(), pending(), approved()]),
  {
    name: 'sign-in: the key of the device is used like a key',
    steps: [
      signIn({ polls: [approved()] }),
      onDevice({ restart: true, now: NOW + 6, call: 'check' }),
      onDevice({
        now: NOW + 7,
        call: 'validate',
        responses: [granted(token({ iat: NOW + 7 }), { license: { ...license, key: DEVICE_KEY } })],
      }),
      onDevice({ now: NOW + 8, call: 'deactivate', responses: [freed] }),
    ],
  },
  {
    name: 'sign-in: name, platform and release are sent',
    settings: { release: { version: '4.0.0', released_at: '2027-01-01T00:00:00.000Z' } },
    steps: [signIn({ arguments: { name: ' Ada\u2019s laptop ', platform: 'linux' }, polls: [approved()] })],
  },
  signedIn('characters that change the direction of text are removed from the labels', [approved()], undefined, {
    arguments: { name: '\u202eA\u202ad\u200ea\u2066\u2069\u061c\u200f', platform: '\u202b\u202c\u202d\u2067\u2068' },
  }),
  signedIn('the labels are cut to 200 characters', [approved()], undefined, {
    arguments: { name: '\u{1f4bb}'.repeat(201), platform: `${'x'.repeat(199)}  y` },
  }),
  signedIn('denied', [pending(), denied]),
  signedIn('denied: a licensed device keeps its license', [denied], withRecord()),
  signedIn('nobody approves it in time', [pending(), expired]),
  signedIn('nobody approves it in time: a licensed device keeps its license', [expired], withRecord()),
  {
    name: 'sign-in: after a restart there is a new request',
    steps: [signIn({ polls: [expired] }), signIn({ restart: true, now: NOW + 60, polls: [approved({ iat: NOW + 65 })] })],
  },
  signedIn('the service lengthens the pause', [pending(5), pending(10), pending(10), approved({ iat: NOW + 30 })]),
  signedIn('throttled: every further pause is 5 s longer', [
    fault(429, 'rate_limited'),
    pending(5),
    pending(10),
    approved({ iat: NOW + 40 }),
  ]),
  signedIn('throttled with Retry-After: the next pause is at least that long', [
    fault(429, 'rate_limited', { 'Retry-After': '30' }),
    pending(5),
    approved({ iat: NOW + 45 }),
  ]),
  signedIn('a network that fails in between: every further pause is 5 s longer, and no request is repeated at once', [
    'unreachable',
    fault(503, 'internal'),
    json(200, '<html>'),
    approved({ iat: NOW + 50 }),
  ]),
  signedIn(
    'a network that fails for ten minutes',
    Array.from({ length: 15 }, () => 'unreachable' as const),
  ),
  signedIn('nobody decides, and the service never says that it is over: it ends after ten minutes', [
    pending(300),
    pending(300),
    pending(),
  ]),
  signedIn('the service lengthens the pause to millions of years: it ends after ten minutes', [
    pending(FOREVER),
    approved({ iat: NOW + 600 }),
  ]),
  signedIn('throttled with a Retry-After of centuries: it ends after ten minutes', [
    fault(429, 'rate_limited', { 'Retry-After': '99999999999' }),
    fault(429, 'rate_limited'),
  ]),
  signedIn('the first pause is millions of years: it ends after ten minutes', [expired], undefined, {
    responses: [json(201, { ...asked, interval: FOREVER })],
  }),
  signedIn('a pause of 0 is a second', [pending(0), approved({ iat: NOW + 2 })], undefined, {
    responses: [json(201, { ...asked, interval: 0 })],
  }),
  signedIn('the clock is set forward by two days: the sign-in continues', [
    { ...pending(), clock: NOW + 2 * DAY },
    'unreachable',
    approved({ iat: NOW + 2 * DAY + 15 }),
  ]),
  signedIn('the clock is set back by two days: it ends after ten minutes all the same', [
    { ...pending(300), clock: NOW - 2 * DAY },
    pending(300),
    'unreachable',
  ]),
  signedIn('a wrong API key ends it', [fault(401, 'unauthorized')]),
  signedIn('a vendor who has switched it off meanwhile', [fault(404, 'not_found')]),
  signedIn('a pause without its length is not of the service', [json(200, { status: 'pending' }), approved({ iat: NOW + 15 })]),
  signedIn('a decision without its activation is not of the service', [json(200, { status: 'approved' }), approved({ iat: NOW + 15 })]),
  signedIn('the activation without its key is not of the service', [
    json(200, { status: 'approved', activation: { valid: true, offline_token: token({ iat: NOW + 5 }) } }),
    approved({ iat: NOW + 15 }),
  ]),
  signedIn('an activation whose token is not accepted', [
    json(200, { status: 'approved', activation: granted(token({ iat: NOW + 5, fingerprint: 'another device' })).body }),
  ]),
  signedIn('the license was revoked after the approval', [fault(403, 'license_revoked', proved(signedVerdict()))]),
  signedIn('the license was suspended after the approval', [fault(403, 'license_suspended')]),
  signedIn(
    'the license was revoked after the approval: a licensed device keeps its license',
    [fault(403, 'license_revoked')],
    withRecord(),
  ),
  signedIn('the license does not cover the release', [fault(403, 'release_not_covered')]),
  signedIn('another license replaces the one that is held, whose seat is freed', [approved({ sub: '43' })], withRecord(), {
    responses: [created, freed],
  }),
  signedIn('the license that is held: its key is replaced, and its seat is not freed', [approved()], withRecord()),
  signedIn('a key without a token: it may be of the same license, so its seat is not freed', [approved()], {
    record: { ...without(record, 'token', 'refused'), refused: 'unbound' },
  }),
  signedIn(
    'a process that activates another license meanwhile keeps it',
    [
      {
        ...(approved({ sub: '43' }) as Exclude<ScriptedResponse, string>),
        between: { ...record, key: OTHER_KEY, token: token({ iat: NOW, sub: '44' }) },
      },
    ],
    withRecord(),
    { responses: [created, freed] },
  ),
];

const creation: readonly GivenCase[] = [
  notAsked('the vendor does not allow it', [fault(404, 'not_found')]),
  notAsked('without a network', offline),
  notAsked('throttled at the start', [fault(429, 'rate_limited', { 'Retry-After': '60' })]),
  signedIn('the second attempt creates the request', [approved()], undefined, { responses: ['unreachable', created] }),
  notAsked('a wrong API key', [fault(401, 'unauthorized')]),
  notAsked('on a device that is not identified', [], { fingerprint: 'fails' }),
  notAsked('on a storage that can not be read', [], { storage: 'unreadable' }),
  notAsked('a name with a line break is not sent', [], { arguments: { name: 'a\nb' } }),
  ...['request', 'user_code', 'url', 'interval'].map((name) =>
    notAsked(`a request without ${name} is not of the service`, [json(201, without(asked, name))]),
  ),
  ...[-5, 1.5, '5', 2 ** 53, 1e300].map((interval) =>
    notAsked(`a pause of ${interval} is not of the service`, [json(201, { ...asked, interval })]),
  ),
  ...(
    [
      ['a file', 'file:///usr/bin/calculator'],
      ['a program', 'ms-calculator:'],
      ['a script', 'javascript:alert(1)'],
      ['an address with white space', 'https://licenses.example.com/ x'],
    ] as const
  ).map(([what, url]) => notAsked(`${what} is never opened`, [json(201, { ...asked, url })])),
  notAsked('a status other than 201 is not of the service', [json(200, asked)]),
];

/** Responses that say that a device must sign in. */
const required: readonly GivenCase[] = [
  validated('sign_in_required: without a verdict, from a service that signs', refused('sign_in_required'), withDeviceKey),
  activated('sign_in_required: a license of named people', [fault(403, 'sign_in_required', mustSignIn)]),
  activated('sign_in_required: without a verdict', [fault(403, 'sign_in_required')]),
  activated('sign_in_required: the key that is held', [fault(403, 'sign_in_required', mustSignIn)], withDeviceKey, DEVICE_KEY),
  activated(
    'sign_in_required: another key, while a license is held',
    [fault(403, 'sign_in_required', mustSignIn)],
    withRecord(),
    OTHER_KEY,
  ),
  {
    name: 'sign_in_required: the state stays after a restart without a network, until the device signs in again',
    stored: withDeviceKey,
    steps: [
      onDevice({ call: 'validate', responses: [refused('sign_in_required', mustSignIn)] }),
      onDevice({ restart: true, now: NOW + 1, call: 'check', responses: offline }),
      signIn({ now: NOW + 2, polls: [approved({ iat: NOW + 7 }, KEY)] }),
    ],
  },
  validated(
    'sign_in_required: a verdict of another product',
    refused('sign_in_required', proved(signedVerdict({ status: 'sign_in_required' }, {}, other))),
    withDeviceKey,
  ),
  one('sign_in_required: the list of devices', withDeviceKey, { call: 'devices', responses: [fault(403, 'sign_in_required')] }),
  one('sign_in_required: downloads', withDeviceKey, { call: 'latest', responses: [fault(403, 'sign_in_required')] }),
  one('sign_in_required: deactivate', withDeviceKey, { now: NOW + DAY, call: 'deactivate', responses: [json(200, { freed: false })] }),
];

export const signInCases: readonly GivenCase[] = [...decisions, ...creation, ...required];
