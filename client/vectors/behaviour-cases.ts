/** The inputs of the behaviour vectors' cases. `runCase` runs the client with each input and adds the results. */
import type { GivenCase, Json, ScriptedResponse } from './behaviour';
import {
  MINUTE,
  KEY,
  OTHER_KEY,
  RANDOM_ID,
  OTHER_DEVICE,
  token,
  cached,
  unbound,
  record,
  withRecord,
  afterVerdicts,
  license,
  deviceView,
  json,
  fault,
  granted,
  grantedKey,
  refused,
  proved,
  unboundBody,
  offline,
  onDevice,
  one,
  validated,
  activated,
} from './parts';
import { claims, DAY, FINGERPRINT, header, NOW, other, sha256, signed, signedVerdict, SKEW, without } from './signing';

/** The names that are never the status of a license that must not be used: `active`, and the names of other responses. */
const NO_STATUSES = ['active', 'unbound', 'no_seats', 'too_many_devices', 'unknown_key', 'no_trial', 'not_covered'] as const;

/** When the token of {@link record} expires. */
const END = NOW + 6 * DAY;
const LICENSE_END = Date.parse(claims.license_expires_at) / 1000;

const offlineFirst: readonly GivenCase[] = [
  one('check: the first start asks nobody', undefined, { call: 'check' }),
  one('check: a cached token is accepted with no request', withRecord(), { call: 'check' }),
  one('check: a license that ends in the year 9999', withRecord({ token: token({ license_expires_at: '9999-12-31T23:59:59.999Z' }) }), {
    call: 'check',
  }),
  one(
    'check: a cached token without what is only for information',
    { record: { v: 1, token: token({ features: [] }) } },
    { call: 'check' },
  ),
  one(
    'check: a token of an older service has no features',
    { record: { v: 1, key: KEY, token: signed(header, claims) } },
    { call: 'check' },
  ),
  {
    name: 'has: features of the state, offline too',
    stored: withRecord(),
    steps: [
      onDevice({ call: 'has', arguments: { feature: 'export' } }),
      onDevice({ call: 'check' }),
      onDevice({ call: 'has', arguments: { feature: 'export' } }),
      onDevice({ call: 'has', arguments: { feature: 'admin' } }),
    ],
  },
  one('check: just before half of its life a token is not refreshed', withRecord(), { now: NOW + 2.5 * DAY - 1, call: 'check' }),
  one('check: at half of its life a token is refreshed in the background', withRecord(), {
    now: NOW + 2.5 * DAY,
    call: 'check',
    responses: [granted(token({ iat: NOW + 2.5 * DAY }))],
  }),
  {
    name: 'check: a refresh that failed is tried again after five minutes',
    stored: withRecord(),
    steps: [
      onDevice({ now: NOW + 3 * DAY, call: 'check', responses: offline }),
      onDevice({ now: NOW + 3 * DAY + 299, call: 'check' }),
      onDevice({ now: NOW + 3 * DAY + 300, call: 'check', responses: ['unreachable', granted(token({ iat: NOW + 3 * DAY + 300 }))] }),
    ],
  },
  {
    name: 'check: Retry-After is waited for before the background asks again',
    stored: withRecord(),
    steps: [
      onDevice({ now: NOW + 3 * DAY, call: 'check', responses: [fault(503, 'internal', { 'Retry-After': '3600' })] }),
      onDevice({ now: NOW + 3 * DAY + 3599, call: 'check' }),
      onDevice({ now: NOW + 3 * DAY + 3600, call: 'check', responses: [granted(token({ iat: NOW + 3 * DAY + 3600 }))] }),
    ],
  },
  one('check: within the tolerance after its end a token counts', withRecord({ key: null }), { now: END + SKEW - 1, call: 'check' }),
  one('check: a token that has ended is validated once', withRecord(), {
    now: END + SKEW,
    call: 'check',
    responses: [granted(token({ iat: END + SKEW }))],
  }),
  one('check: a token that has ended, without a network', withRecord(), { now: END + SKEW, call: 'check', responses: offline }),
  one(
    'check: an imported token that has ended, and no key to ask about',
    { record: { v: 1, token: cached } },
    { now: END + SKEW, call: 'check' },
  ),
  one('check: a damaged token is replaced', withRecord({ token: cached.slice(3) }), {
    call: 'check',
    responses: [granted(token({ iat: NOW }))],
  }),
  one('check: the token of another device', withRecord(), {
    fingerprint: OTHER_DEVICE,
    call: 'check',
    responses: [json(200, unboundBody)],
  }),
  one('check: the token of another product', withRecord({ token: signed({ ...header, kid: other.jwk.kid }, claims, other), key: null }), {
    call: 'check',
  }),
  one('check: a token from the service that is not accepted', withRecord(), {
    now: END + SKEW,
    call: 'check',
    responses: [granted(signed(header, claims, other))],
  }),
];

const activation: readonly GivenCase[] = [
  one('activate: takes a seat', undefined, {
    call: 'activate',
    arguments: { key: ' 9m0rp tte3d 2hvx8 kq51n 4wz7z ', name: 'laptop', platform: 'linux' },
    responses: [granted(token({ iat: NOW }))],
  }),
  activated('an unknown key', [fault(404, 'not_found')]),
  activated('a revoked license', [fault(403, 'license_revoked', proved(signedVerdict()))]),
  activated('a suspended license', [fault(403, 'license_suspended')]),
  activated('an expired license', [fault(403, 'license_expired')]),
  activated('a license of a status that nobody knows yet', [fault(403, 'license_on_hold')]),
  activated('no seats: the numbers come from a validation', [
    fault(429, 'no_seats'),
    json(200, { ...unboundBody, seats: { used: 3, max: 3 } }),
  ]),
  activated('no seats, and the numbers are not to be had', [fault(429, 'no_seats'), ...offline]),
  activated('no seats: not tried again, even with Retry-After', [fault(429, 'no_seats', { 'Retry-After': '1' }), ...offline]),
  activated('too many new devices: not tried again, even with Retry-After', [fault(429, 'too_many_devices', { 'Retry-After': '1' })]),
  activated('without a network', offline),
  activated('a wrong API key', [fault(401, 'unauthorized')]),
  activated('white space around an error code is ignored', [fault(403, ' license_suspended\t')]),
  activated('an error without a code is not the service’s', [fault(401, '')]),
  activated('half of a character damages no other member of a response', [
    { ...json(200, `${JSON.stringify(granted(token({ iat: NOW })).body).slice(0, -1)},"note":"\\udc00\\ud800"}`) },
  ]),
  activated('byte order marks before a response are ignored', [
    json(200, `\ufeff\ufeff${JSON.stringify(granted(token({ iat: NOW })).body)}`),
  ]),
  validated(
    'a member that is there twice, of which the last counts',
    json(200, '{"status":"revoked","valid":true,"valid":false,"status":"suspended"}'),
  ),
  activated('a scope that is missing is no refusal', [fault(403, 'forbidden')]),
  activated(
    'a refusal with status 200 is not the service’s',
    [json(200, { status: 'expired', message: 'your session has expired' }), json(200, { status: 'expired' })].slice(0, 1),
  ),
  activated('another key is refused: the license that is held stays', [fault(403, 'license_expired')], withRecord(), OTHER_KEY),
  activated('another key without a network: the license that is held stays', offline, withRecord(), OTHER_KEY),
  activated(
    'another key replaces the one that is held, whose seat is freed',
    [granted(token({ iat: NOW, sub: '43' }), { license: { ...license, id: 43, key: OTHER_KEY } }), json(200, { freed: true })],
    withRecord(),
    OTHER_KEY,
  ),
  {
    name: 'activate: the seat of the key before is freed later, if it can not be freed at once',
    stored: withRecord(),
    steps: [
      onDevice({
        call: 'activate',
        arguments: { key: OTHER_KEY },
        responses: [granted(token({ iat: NOW, sub: '43' }), { license: { ...license, id: 43, key: OTHER_KEY } }), ...offline],
      }),
      onDevice({ now: NOW + 299, call: 'check' }),
      onDevice({ restart: true, now: NOW + 300, call: 'check', responses: [json(200, { freed: true })] }),
    ],
  },
  activated('a grant that names another key: the key that was sent counts', [grantedKey(OTHER_KEY)]),
  activated('the key that is held, and a grant that names another key frees no seat', [grantedKey(OTHER_KEY)], withRecord()),
  activated(
    'a typed key of another system, and a grant with its canonical form',
    [grantedKey('Legacy-2019-0042')],
    undefined,
    ' legacy 2019--00 42 ',
  ),
  activated(
    'a typed key with letters outside ASCII, and a grant with its canonical form',
    [grantedKey('STRASSE-2019')],
    undefined,
    'stra\u00dfe-2019',
  ),
  activated(
    'the key that is held, revoked with a verdict',
    [fault(403, 'license_revoked', proved(signedVerdict()))],
    withRecord(),
    KEY.toLowerCase(),
  ),
  activated('the key that is held, revoked without a verdict, and none was ever seen', [fault(403, 'license_revoked')], withRecord()),
  activated('the key that is held, revoked without a verdict, after one was seen', [fault(403, 'license_revoked')], afterVerdicts),
  activated('the key that is held is not known to another address', [fault(404, 'not_found')], withRecord()),
  activated(
    'the key that is held finds no seat: only a validation takes the license',
    [fault(429, 'no_seats'), json(200, { ...unboundBody, seats: { used: 3, max: 3 } })],
    withRecord(),
  ),
  ...[
    ['empty', ' '],
    ['with NUL', 'A\u0000B'],
    ['of 201 characters', 'A'.repeat(201)],
  ].map(([what = '', key = '']) =>
    one(`activate: a key that is ${what} is not sent`, withRecord(), { call: 'activate', arguments: { key } }),
  ),
  ...NO_STATUSES.map((name) =>
    activated(`the key that is held, and license_${name} is no code of the service`, [fault(403, `license_${name}`)], withRecord()),
  ),
  activated('license_no_seats is no code of the service', [fault(403, 'license_no_seats')]),
  one('trial: license_no_trial is no code of the service', undefined, { call: 'trial', responses: [fault(403, 'license_no_trial')] }),
  one('activate: a name of 201 characters is not sent', undefined, { call: 'activate', arguments: { key: KEY, name: 'é'.repeat(201) } }),
  one('activate: a platform with a line break is not sent', undefined, { call: 'activate', arguments: { key: KEY, platform: 'linux\nx' } }),
  one('trial: starts', undefined, {
    call: 'trial',
    arguments: { name: 'laptop', customer_email: 'ada@example.com' },
    responses: [
      {
        ...granted(token({ iat: NOW, kind: 'trial' }), { license: { ...license, license_type: { name: 'Trial', kind: 'trial' } } }),
        status: 201,
      },
    ],
  }),
  one('trial: an empty e-mail address is not sent', undefined, {
    call: 'trial',
    arguments: { customer_email: '' },
    responses: [granted(token({ iat: NOW, kind: 'trial' }))],
  }),
  one('trial: continues', undefined, { call: 'trial', responses: [granted(token({ iat: NOW, kind: 'trial' }))] }),
  one('trial: is over', undefined, { call: 'trial', responses: [fault(403, 'license_expired')] }),
  one('trial: none is offered', undefined, { call: 'trial', responses: [fault(404, 'not_found')] }),
  one('trial: a licensed device asks nobody', withRecord(), { call: 'trial' }),
  one('trial: without a network', undefined, { call: 'trial', responses: offline }),
];

const verdicts: readonly GivenCase[] = [
  validated('is confirmed', granted(token({ iat: NOW }))),
  validated('an exact refusal without a verdict counts while none was ever seen', refused('revoked')),
  validated('a signed refusal', refused('revoked', proved(signedVerdict()))),
  validated('a signed status that nobody knows yet', refused('on_hold', proved(signedVerdict({ status: 'on_hold' })))),
  validated('a status that nobody knows yet is a refusal', refused('on_hold')),
  validated('a status with the name of a built-in is a refusal like any other', refused('constructor')),
  validated('the signed status counts, not the one beside it', refused('revoked', proved(signedVerdict({ status: 'suspended' })))),
  validated('a refusal without a verdict, after one was seen', refused('revoked'), afterVerdicts),
  validated('an unknown status without a verdict, after one was seen', refused('on_hold'), afterVerdicts),
  validated('a verdict about another license', refused('revoked', proved(signedVerdict({ sub: '43' })))),
  validated('a verdict about another device', refused('revoked', proved(signedVerdict({ fingerprint: OTHER_DEVICE })))),
  validated('a verdict older than the token', refused('revoked', proved(signedVerdict({ iat: NOW - 2 * DAY, exp: NOW })))),
  validated("a verdict by another product's key", refused('revoked', proved(signedVerdict({}, {}, other)))),
  validated('a token in place of a verdict', refused('revoked', proved(cached))),
  validated(
    'a verdict ahead of the clock proves the clock wrong',
    refused('revoked', proved(signedVerdict({ iat: NOW + DAY, exp: NOW + DAY + 600 }))),
  ),
  ...[
    ['with a message', json(200, { valid: false, status: 'expired', message: 'your session has expired' })],
    ['that says nothing of valid', json(200, { status: 'expired', message: 'your session has expired' })],
    ['that says nothing of valid, and nothing else', json(200, { status: 'invalid' })],
    ['that is valid', json(200, { valid: true, status: 'revoked' })],
    ['with a valid that is a text', json(200, { valid: 'false', status: 'revoked' })],
    ['without a status', json(200, { valid: false })],
    ['with a status that is no name', json(200, { valid: false, status: 'Not today' })],
    ['with another status code', { ...refused('revoked'), status: 403 }],
  ].map(([what, response]) => validated(`a refusal ${what as string} is not the service’s`, response as ScriptedResponse)),
  ...NO_STATUSES.map((name) =>
    validated(
      `a refusal with the status ${name} is not the service’s, and takes nothing if the service signs`,
      refused(name),
      withRecord({ token: token({ verdicts: true }) }),
    ),
  ),
  ...NO_STATUSES.map((name) =>
    validated(`a refusal with the status ${name} is not the service’s, also without a license to protect`, refused(name), {
      record: { v: 1, key: KEY, device: 'machine' },
    }),
  ),
  validated('a refusal with the status unbound is not the service’s, and takes nothing if no verdict was ever seen', refused('unbound')),
  validated(
    'a refusal with the status no_seats is not the service’s, not even beside a verdict',
    refused('no_seats', proved(signedVerdict())),
  ),
  one('check: in the background a refusal with the status no_seats takes nothing', afterVerdicts, {
    now: NOW + 3 * DAY,
    call: 'check',
    responses: [refused('no_seats')],
  }),
  one('trial: the key that is held is validated, and a refusal with the status no_trial takes nothing', afterVerdicts, {
    now: END + SKEW,
    call: 'trial',
    responses: [refused('no_trial')],
  }),
  validated(
    'a refusal with more members, but with a verdict',
    json(200, { valid: false, status: 'revoked', since: 'today' }, proved(signedVerdict())),
  ),
  validated('an unknown key never drops a token that verifies', refused('invalid')),
  one('validate: an unknown key, when the token has ended', withRecord(), {
    now: END + SKEW,
    call: 'validate',
    responses: [refused('invalid')],
  }),
  one(
    'validate: an unknown key does not end a grace',
    withRecord(),
    { now: END + DAY, call: 'validate', responses: [refused('invalid')] },
    { grace_days: 3 },
  ),
  one('validate: a refusal without a verdict does not count after one was seen, even when the token has ended', afterVerdicts, {
    now: END + SKEW,
    call: 'validate',
    responses: [refused('revoked')],
  }),
  one(
    'validate: a refusal without a verdict does not end a grace, after one was seen',
    afterVerdicts,
    { now: END + DAY, call: 'validate', responses: [refused('revoked')] },
    { grace_days: 3 },
  ),
  validated('the seat was freed elsewhere', json(200, unboundBody)),
  validated('the seat was freed elsewhere, without a verdict, after one was seen', json(200, unboundBody), afterVerdicts),
  validated(
    'the seat was freed elsewhere, with a verdict',
    json(200, unboundBody, proved(signedVerdict({ status: 'unbound' }))),
    afterVerdicts,
  ),
  validated('a freed seat of another license', json(200, { ...unboundBody, license: { ...license, id: 43 } })),
  validated('a freed seat without seats is not the service’s', json(200, { valid: true, status: 'active', license })),
  validated('a grant that names another key: the key that is held stays', grantedKey(OTHER_KEY)),
  validated('a grant of a key that is empty is not the service’s', granted(token({ iat: NOW }), { license: { ...license, key: '' } })),
  validated('a freed seat with a device is not the service’s', json(200, { ...unboundBody, device: deviceView })),
  {
    name: 'validate: a refusal is remembered without a network, until the service says otherwise',
    stored: withRecord(),
    steps: [
      onDevice({ call: 'validate', responses: [refused('suspended', proved(signedVerdict({ status: 'suspended' })))] }),
      onDevice({ restart: true, now: NOW + MINUTE, call: 'check', responses: offline }),
      onDevice({ restart: true, now: NOW + DAY, call: 'check', responses: [granted(token({ iat: NOW + DAY }))] }),
    ],
  },
  one(
    'check: a refusal in the cache, asked again',
    { record: { v: 1, key: KEY, seen: NOW * 1000, device: 'machine', refused: 'revoked', verdicts: true } },
    { call: 'check', responses: [refused('revoked')] },
  ),
  one(
    'check: a refusal in the cache that nobody knows yet',
    { record: { v: 1, key: KEY, refused: 'on_hold' } },
    { call: 'check', responses: offline },
  ),
  one('check: a refusal beside a good token does not count', withRecord({ refused: 'revoked' }), { call: 'check' }),
];

const faults: readonly GivenCase[] = [
  ...(
    [
      ['unreachable twice', offline],
      ['unreachable once', ['unreachable', granted(token({ iat: NOW }))]],
      ['failing twice', [fault(500, 'internal'), fault(503, 'internal')]],
      ['throttled twice', [fault(429, 'rate_limited'), fault(429, 'rate_limited')]],
      ['refused with 429 and an unknown code: not tried again', [fault(429, 'too_many_users', { 'Retry-After': '1' })]],
      ['throttled by somebody else', [json(429, { message: 'Too Many Requests' }), json(429, {})]],
      ['busy for a long time: not tried again', [fault(503, 'internal', { 'Retry-After': '120' })]],
      ['busy for a long time, with white space around the value: not tried again', [fault(503, 'internal', { 'Retry-After': ' 120\t' })]],
      ['busy for centuries: a day is enough', [fault(503, 'internal', { 'Retry-After': '99999999999' })]],
      ['busy for longer than a number can say: a day is enough', [fault(503, 'internal', { 'Retry-After': '9'.repeat(400) })]],
      ...['0', '-5', '+5', '1.5', '1e3', '0x5', '5, 5', 'soon', '', 'Fri, 31 Dec 2100 23:59:59 GMT', 'Thu, 01 Jan 1970 00:00:00 GMT'].map(
        (wait): readonly [string, readonly ScriptedResponse[]] => [
          `busy, with no usable wait in "${wait}": tried a second time, not more`,
          [fault(503, 'internal', { 'Retry-After': wait }), fault(503, 'internal', { 'Retry-After': wait })],
        ],
      ),
      ['not knowing the API key', [fault(401, 'unauthorized')]],
      ['not knowing the route', [fault(404, 'not_found')]],
      ['refusing the request', [fault(422, 'invalid_request')]],
      ['an HTML page', [json(200, '<html>Welcome to the airport</html>'), json(200, '<html>Welcome to the airport</html>')]],
      ['an HTML page as 403', [json(403, '<html>'), json(403, '<html>')]],
      ['empty', [json(200, ''), json(200, '')]],
      ['a list', [json(200, []), json(200, [])]],
      ['other JSON', [json(200, { hello: 'world' })]],
      [
        'JSON that is nested too deeply',
        [
          json(200, `{"valid": false, "status": ${'['.repeat(40)}${']'.repeat(40)}}`),
          json(200, `{"a": ${'['.repeat(40)}${']'.repeat(40)}}`),
        ],
      ],
      ['larger than any response', [json(200, 'x'.repeat(65_537)), json(200, 'x'.repeat(65_537))]],
      ['valid without a proof', [json(200, { valid: true, status: 'active' })]],
      ['an error without a detail', [json(401, { message: 'Unauthorized' }, { 'X-Svc-Error-Code': 'unauthorized' })]],
    ] as readonly (readonly [string, readonly ScriptedResponse[]])[]
  ).map(([what, responses]) => validated(`a service that is ${what}`, responses)),
];

const clock: readonly GivenCase[] = [
  one('clock: set back behind the time seen, without a network', withRecord({ seen: NOW * 1000 }), {
    now: NOW - DAY - 1,
    call: 'check',
    responses: offline,
  }),
  one('clock: set back by the tolerance of a day', withRecord({ seen: NOW * 1000, token: token({ iat: NOW - 2 * DAY }) }), {
    now: NOW - DAY,
    call: 'check',
  }),
  one('clock: set back by less than a day lets no token last longer', withRecord({ seen: (END + SKEW) * 1000 }), {
    now: END - MINUTE,
    call: 'check',
    responses: offline,
  }),
  one('clock: set back, and the service confirms the license: the time seen stays ahead', withRecord({ seen: NOW * 1000 }), {
    now: NOW - 2 * DAY,
    call: 'check',
    responses: [granted(token({ iat: NOW }))],
  }),
  one('clock: was ahead, and a fresh token confirms that it is right now', withRecord({ seen: (NOW + 30 * DAY) * 1000 }), {
    call: 'check',
    responses: [granted(token({ iat: NOW }))],
  }),
  one('clock: behind the token', withRecord({ token: token({ iat: NOW + DAY }), seen: null }), { call: 'check', responses: offline }),
  one('clock: ahead, and the service’s token looks expired', withRecord(), {
    now: NOW + 30 * DAY,
    call: 'check',
    responses: [granted(token({ iat: NOW }))],
  }),
  one('clock: ahead within a token’s life', withRecord(), {
    now: END + DAY,
    call: 'check',
    responses: [granted(token({ iat: END - DAY }))],
  }),
  one(
    'clock: set back gets no grace',
    withRecord({ seen: (END + 2 * DAY) * 1000 }),
    { now: NOW, call: 'check', responses: offline },
    { grace_days: 30 },
  ),
  one('clock: set back, a refusal needs its verdict all the same', withRecord({ seen: NOW * 1000, verdicts: true }), {
    now: NOW - 2 * DAY,
    call: 'validate',
    responses: [refused('revoked')],
  }),
  one('clock: ahead, and the license is revoked: a verdict counts, regardless of the clock', withRecord(), {
    now: END - DAY,
    call: 'validate',
    responses: [refused('revoked', proved(signedVerdict()))],
  }),
  one(
    'clock: ahead of the token’s end, and the license is revoked: a verdict ends the grace',
    withRecord(),
    { now: END + DAY, call: 'check', responses: [refused('revoked', proved(signedVerdict()))] },
    { grace_days: 30 },
  ),
  one('clock: the time seen is stored once a minute', withRecord({ seen: (NOW - 59) * 1000 }), { call: 'check' }),
  one('clock: the time seen is stored after a minute', withRecord({ seen: (NOW - 60) * 1000 }), { call: 'check' }),
  one(
    'clock: an imported token, with the clock set back',
    { record: { v: 1, seen: NOW * 1000 } },
    { now: NOW - 2 * DAY, call: 'import_token', arguments: { token: cached } },
  ),
  {
    name: 'clock: two days ahead when the key is activated, then corrected without a network, until the service confirms the license',
    steps: [
      onDevice({ now: NOW + 2 * DAY, call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ restart: true, now: NOW + MINUTE, call: 'check', responses: offline }),
      onDevice({ now: NOW + 2 * MINUTE, call: 'check', responses: [granted(token({ iat: NOW + 2 * MINUTE }))] }),
      onDevice({ restart: true, now: NOW + 3 * MINUTE, call: 'check' }),
    ],
  },
  {
    name: 'clock: two days behind when the key is activated, so that the token is from the future, then corrected',
    steps: [
      onDevice({ now: NOW - 2 * DAY, call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ restart: true, now: NOW - 2 * DAY + MINUTE, call: 'check', responses: offline }),
      onDevice({ now: NOW - 2 * DAY + 2 * MINUTE, call: 'check', responses: [granted(token({ iat: NOW + 2 * MINUTE }))] }),
      onDevice({ now: NOW + 3 * MINUTE, call: 'check' }),
    ],
  },
  {
    name: 'clock: corrected by two days while the app runs',
    stored: withRecord(),
    steps: [
      onDevice({ now: NOW + 2 * DAY, call: 'check' }),
      onDevice({ call: 'check', responses: offline }),
      onDevice({ now: NOW + 5 * MINUTE, call: 'check', responses: [granted(token({ iat: NOW + 5 * MINUTE }))] }),
      onDevice({ restart: true, now: NOW + 6 * MINUTE, call: 'check' }),
    ],
  },
  {
    name: 'clock: a week of standby while the app runs, and no network afterwards',
    settings: { grace_days: 3 },
    stored: withRecord(),
    steps: [
      onDevice({ call: 'check' }),
      onDevice({ now: NOW + 7 * DAY, call: 'check', responses: offline }),
      onDevice({ now: NOW + 7 * DAY + 5 * MINUTE, call: 'check', responses: [granted(token({ iat: NOW + 7 * DAY + 5 * MINUTE }))] }),
    ],
  },
  {
    name: 'clock: a week of standby during a request, whose token has ended when the device is awake again',
    stored: withRecord(),
    steps: [
      onDevice({ call: 'validate', responses: [{ ...granted(token({ iat: NOW })), clock: NOW + 8 * DAY }] }),
      onDevice({ now: NOW + 8 * DAY + 5 * MINUTE, call: 'check', responses: [granted(token({ iat: NOW + 8 * DAY + 5 * MINUTE }))] }),
    ],
  },
  {
    name: 'clock: a time seen that no clock can show, until the service confirms the license',
    stored: withRecord({ seen: 1e300 }),
    steps: [
      onDevice({ call: 'check', responses: offline }),
      onDevice({ now: NOW + MINUTE, call: 'check', responses: [granted(token({ iat: NOW + MINUTE }))] }),
      onDevice({ restart: true, now: NOW + 2 * MINUTE, call: 'check' }),
    ],
  },
  one('clock: a time seen before all times', withRecord({ seen: -1e300 }), { call: 'check' }),
  one('clock: a token until the end of the year 9999', withRecord({ token: token({ exp: 253_402_300_799, license_expires_at: null }) }), {
    call: 'check',
  }),
  one('clock: a token that ends after all times is not accepted', withRecord({ token: token({ exp: 1e300 }) }), {
    call: 'check',
    responses: offline,
  }),
];

const grace: readonly GivenCase[] = [
  one('grace: from the token’s end', withRecord(), { now: END + SKEW, call: 'check', responses: offline }, { grace_days: 2 }),
  one('grace: until its last second', withRecord(), { now: END + 2 * DAY - 1, call: 'check', responses: offline }, { grace_days: 2 }),
  one('grace: over', withRecord(), { now: END + 2 * DAY, call: 'check', responses: offline }, { grace_days: 2 }),
  one(
    'grace: the service answers',
    withRecord(),
    { now: END + DAY, call: 'check', responses: [granted(token({ iat: END + DAY }))] },
    { grace_days: 2 },
  ),
  one(
    'grace: the service refuses',
    withRecord(),
    { now: END + DAY, call: 'check', responses: [refused('revoked', proved(signedVerdict({ iat: END + DAY, exp: END + DAY + 600 })))] },
    { grace_days: 2 },
  ),
  one(
    'grace: ends with the license',
    withRecord({ token: token({ license_expires_at: new Date((END + DAY) * 1000).toISOString() }) }),
    { now: END + SKEW, call: 'check', responses: offline },
    { grace_days: 30 },
  ),
  one(
    'grace: none past the end of the license',
    withRecord({ token: token({ exp: LICENSE_END, iat: LICENSE_END - 7 * DAY }) }),
    { now: LICENSE_END + SKEW, call: 'check', responses: offline },
    { grace_days: 30 },
  ),
];

const LEASE_END = NOW + 60 * MINUTE;
const leased = (end: number): { readonly [name: string]: Json } => ({
  device: { ...deviceView, lease_expires_at: new Date(end * 1000).toISOString() },
  license: { ...license, license_type: { name: 'Team', kind: 'floating' } },
});
const leaseToken = (iat: number, exp: number): string =>
  token({ iat, exp, kind: 'floating', lease_expires_at: new Date(exp * 1000).toISOString() });
const leases: readonly GivenCase[] = [
  {
    name: 'lease: renewed in time, although a request failed while the clock was ahead',
    stored: withRecord({ token: leaseToken(NOW - MINUTE, LEASE_END), seen: NOW * 1000 }),
    steps: [
      onDevice({ now: NOW + DAY / 2, call: 'check', responses: offline }),
      onDevice({ now: NOW + 5 * MINUTE, call: 'check', responses: [granted(leaseToken(NOW + 5 * MINUTE, LEASE_END), leased(LEASE_END))] }),
      onDevice({
        now: NOW + 40 * MINUTE,
        call: 'check',
        responses: [granted(leaseToken(NOW + 40 * MINUTE, LEASE_END + 40 * MINUTE), leased(LEASE_END + 40 * MINUTE))],
      }),
    ],
  },
  {
    name: 'lease: kept alive at half of it, and ended by its end',
    steps: [
      onDevice({ call: 'activate', arguments: { key: KEY }, responses: [granted(leaseToken(NOW, LEASE_END), leased(LEASE_END))] }),
      onDevice({
        now: NOW + 30 * MINUTE,
        call: 'check',
        responses: [granted(leaseToken(NOW + 30 * MINUTE, LEASE_END + 30 * MINUTE), leased(LEASE_END + 30 * MINUTE))],
      }),
      onDevice({ now: LEASE_END + 30 * MINUTE + SKEW, call: 'check', responses: offline }),
    ],
  },
  {
    name: 'lease: freed when the app ends, and taken again at the next start',
    stored: withRecord({
      token: leaseToken(NOW - MINUTE, LEASE_END),
      seen: NOW * 1000,
      lease_expires_at: new Date(LEASE_END * 1000).toISOString(),
    }),
    steps: [
      onDevice({ call: 'check' }),
      onDevice({ call: 'close', arguments: { release: true }, responses: [json(200, { freed: true })] }),
      onDevice({ restart: true, now: NOW + MINUTE, call: 'check', responses: offline }),
      onDevice({
        now: NOW + 2 * MINUTE,
        call: 'activate',
        arguments: { key: KEY },
        responses: [granted(leaseToken(NOW + 2 * MINUTE, LEASE_END), leased(LEASE_END))],
      }),
    ],
  },
  one(
    'lease: no grace when the lease has ended',
    withRecord({ token: leaseToken(NOW - MINUTE, LEASE_END) }),
    { now: LEASE_END + SKEW, call: 'check', responses: offline },
    { grace_days: 3 },
  ),
  one(
    'lease: within the tolerance after its end a leased token counts',
    withRecord({ token: leaseToken(NOW - MINUTE, LEASE_END) }),
    { now: LEASE_END + SKEW - 1, call: 'check', responses: offline },
    { grace_days: 3 },
  ),
  {
    name: 'lease: an imported leased token has no grace',
    settings: { grace_days: 3 },
    steps: [
      onDevice({ call: 'import_token', arguments: { token: leaseToken(NOW - MINUTE, LEASE_END) } }),
      onDevice({ now: LEASE_END + SKEW, call: 'check' }),
    ],
  },
  one(
    'lease: a floating license without a lease has grace',
    withRecord({ token: token({ kind: 'floating' }) }),
    { now: END + SKEW, call: 'check', responses: offline },
    { grace_days: 3 },
  ),
  one(
    'lease: a refusal without a verdict ends a leased license after its lease, also with grace',
    withRecord({ token: leaseToken(NOW - MINUTE, LEASE_END) }),
    { now: LEASE_END + SKEW, call: 'check', responses: [refused('revoked')] },
    { grace_days: 3 },
  ),
  one('close: without a network the license stays, and the lease ends on its own', withRecord(), {
    call: 'close',
    arguments: { release: true },
    responses: offline,
  }),
  one('close: without release nothing is asked', withRecord(), { call: 'close', arguments: { release: false } }),
];

const ends: readonly GivenCase[] = [
  one('deactivate: frees the seat', afterVerdicts, { call: 'deactivate', responses: [json(200, { freed: true })] }),
  one('deactivate: no seat was held', withRecord(), { call: 'deactivate', responses: [json(200, { freed: false })] }),
  one('deactivate: without a key nobody is asked', { record: { v: 1, token: unbound } }, { call: 'deactivate' }),
  one('deactivate: an unknown key (404) frees nothing, and the license stays', withRecord(), {
    call: 'deactivate',
    responses: [fault(404, 'not_found')],
  }),
  one('deactivate: without a network the license stays', withRecord(), { call: 'deactivate', responses: offline }),
  one(
    'forget: frees the seat and deletes everything',
    { ...withRecord(), device: RANDOM_ID },
    { call: 'forget', responses: [json(200, { freed: true })] },
  ),
  one('forget: deletes everything without a network too', withRecord(), { call: 'forget', responses: offline }),
  one('import_token: bound to this device', undefined, {
    call: 'import_token',
    arguments: { token: `${cached.slice(0, 50)}\r\n${cached.slice(50)}\n` },
  }),
  one('import_token: bound to another device', undefined, {
    fingerprint: OTHER_DEVICE,
    call: 'import_token',
    arguments: { token: cached },
  }),
  one(
    'import_token: bound to no device, which the app allows',
    undefined,
    { call: 'import_token', arguments: { token: unbound } },
    { allow_unbound_tokens: true },
  ),
  one('import_token: bound to no device, which the app does not allow', withRecord(), {
    call: 'import_token',
    arguments: { token: unbound },
  }),
  one('import_token: of the license that is held keeps the key', withRecord(), {
    call: 'import_token',
    arguments: { token: token({ iat: NOW }) },
  }),
  one('import_token: of another license frees the seat of the key before, at the next check', withRecord(), {
    call: 'import_token',
    arguments: { token: token({ iat: NOW, sub: '43' }) },
  }),
  one('import_token: garbage', withRecord(), { call: 'import_token', arguments: { token: 'garbage' } }),
  one('offline_request: key, device and labels', undefined, {
    call: 'offline_request',
    arguments: { key: ` ${KEY} `, name: 'Zoë’s laptop', platform: 'linux' },
  }),
  one('offline_request: an empty key', undefined, { call: 'offline_request', arguments: { key: '' } }),
  one('offline_request: on a device that can not be identified', withRecord(), {
    fingerprint: 'fails',
    call: 'offline_request',
    arguments: { key: KEY },
  }),
];

const devices: readonly GivenCase[] = [
  {
    name: 'device: a fingerprint that fails once costs neither license nor seat',
    stored: withRecord(),
    steps: [
      onDevice({ fingerprint: 'fails', call: 'check' }),
      onDevice({ now: NOW + MINUTE, fingerprint: 'fails', call: 'activate', arguments: { key: KEY } }),
      onDevice({ now: NOW + 2 * MINUTE, call: 'check' }),
    ],
  },
  one('device: a fingerprint that is there no more is the same', withRecord(), { fingerprint: null, call: 'check' }),
  one('device: deactivate without a fingerprint', withRecord(), { fingerprint: 'fails', call: 'deactivate' }),
  one(
    'device: after a deactivation the storage still knows that this machine has a fingerprint',
    { record: { v: 1, seen: NOW * 1000, device: 'machine' } },
    { fingerprint: 'fails', call: 'activate', arguments: { key: KEY } },
  ),
  one('device: a random id is made where there is no fingerprint', undefined, { fingerprint: null, call: 'fingerprint' }),
  one('device: a first fingerprint that fails is a fault: no random id stands in', undefined, {
    fingerprint: 'fails',
    call: 'activate',
    arguments: { key: KEY },
  }),
  one(
    'device: the random id that is stored is used',
    { device: RANDOM_ID },
    { fingerprint: null, call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW, fingerprint: RANDOM_ID }))] },
  ),
  one('device: a damaged random id is replaced', { device: 'x y' }, { fingerprint: null, call: 'fingerprint' }),
  one(
    'device: a seat that was taken with the random id stays with it when a fingerprint appears',
    { record: { ...record, device: 'random', token: token({ fingerprint: RANDOM_ID }) }, device: RANDOM_ID },
    { call: 'check' },
  ),
  one('device: without a key the fingerprint counts, regardless of the random id', { device: RANDOM_ID }, { call: 'fingerprint' }),
  one('device: hex is compared in lower case', withRecord(), { fingerprint: ` ${FINGERPRINT.toUpperCase()} `, call: 'check' }),
  one('device: a fingerprint that the service would not take', withRecord(), { fingerprint: 'short', call: 'check' }),
  one(
    'device: a random id that can not be read is not replaced',
    { device: RANDOM_ID },
    { fingerprint: null, storage: 'unreadable', call: 'fingerprint' },
  ),
];

const storage: readonly GivenCase[] = [
  ...(
    [
      ['empty', ''],
      ['no JSON', '{"v": 1, "key"'],
      ['of a version to come', { v: 2, key: KEY, token: cached }],
      ['without a version', { key: KEY, token: cached }],
    ] as readonly (readonly [string, Json])[]
  ).map(([what, stored]) => one(`storage: a record that is ${what} counts as none`, { record: stored }, { call: 'check' })),
  one(
    'storage: a field that is damaged counts as none',
    withRecord({
      seen: 'now',
      refused: 7,
      seats: { used: -1, max: 3 },
      type_name: null,
      release: 'x',
      verdicts: 'yes',
      lease_expires_at: 5,
    }),
    { call: 'check' },
  ),
  one('storage: a text that is empty counts as none', withRecord({ key: '', type_name: '', lease_expires_at: '' }), {
    now: NOW + 3 * DAY,
    call: 'check',
  }),
  one(
    'storage: half of a character damages no other field',
    { record: `${JSON.stringify(record).slice(0, -1)},"note":"\\ud800"}` },
    { call: 'check' },
  ),
  one('storage: a byte order mark before a record is ignored', { record: `\ufeff${JSON.stringify(record)}` }, { call: 'check' }),
  ...[`${cached.slice(0, 50)}\ufffd`, `${cached}\n`, cached.repeat(20)].map((damaged) =>
    one('storage: a token that no header can contain counts as none', withRecord({ token: damaged }), {
      call: 'check',
      responses: [granted(token({ iat: NOW }))],
    }),
  ),
  one(
    'storage: a field that is there twice, of which the last counts',
    { record: `{"v":2,"token":"x",${JSON.stringify(record).slice(1)}` },
    { call: 'check' },
  ),
  one('storage: fields that nobody knows are ignored', withRecord({ note: { a: 1 } }), { call: 'check' }),
  {
    name: 'storage: what it failed to take is written as soon as it can be',
    steps: [
      onDevice({ storage: 'unwritable', call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ now: NOW + MINUTE, call: 'check' }),
    ],
  },
  {
    name: 'storage: while it can not be read memory stands in',
    stored: withRecord(),
    steps: [onDevice({ call: 'check' }), onDevice({ storage: 'unreadable', now: NOW + 1, call: 'check' })],
  },
  one('storage: a late refusal does not overwrite what another process has activated', withRecord(), {
    call: 'validate',
    responses: [
      { ...refused('revoked'), meanwhile: { ...record, key: OTHER_KEY, token: token({ iat: NOW, sub: '43' }), seen: NOW * 1000 } },
    ],
  }),
  one('storage: a late confirmation does not overwrite what another process has given up', withRecord(), {
    call: 'validate',
    responses: [{ ...granted(token({ iat: NOW })), meanwhile: { v: 1, seen: NOW * 1000, device: 'machine' } }],
  }),
];

/** The record that another process stores when it activates another key during the step. */
const otherRecord = { ...record, key: OTHER_KEY, token: token({ iat: NOW, sub: '43' }), seen: NOW * 1000 };
const otherLicense = { ...license, id: 43, key: OTHER_KEY };
const freed = json(200, { freed: true });
const trialGrant = {
  ...granted(token({ iat: NOW, sub: '44', kind: 'trial' }), { license: { ...license, id: 44, key: 'TRIAL-KEY-00000000000000' } }),
  status: 201,
};
/** The record that a refresh of {@link record} stores during the step. */
const refreshed = { ...record, token: token({ iat: NOW - 10 }) };
/** A record whose token says that the service signs its refusals. */
const signing = withRecord({ token: token({ verdicts: true }) });
const FAR = Date.UTC(2099, 0, 1) / 1000;

/**
 * Sequences of events in which earlier versions of the clients lost a paid license or a seat. They contain several processes, faults of
 * the storage or the clock, and late responses.
 */
const orders: readonly GivenCase[] = [
  one('order: a trial validates the key that is held, and is not asked for', withRecord(), {
    now: END + SKEW,
    call: 'trial',
    responses: [granted(token({ iat: END + SKEW }))],
  }),
  one('order: a trial does not replace a key that is refused', withRecord(), {
    now: END + SKEW,
    call: 'trial',
    responses: [refused('expired')],
  }),
  one('order: a trial without a network does not replace the key that is held', withRecord(), {
    now: END + SKEW,
    call: 'trial',
    responses: offline,
  }),
  one('order: a late trial does not replace what was activated meanwhile, and its seat is freed', undefined, {
    call: 'trial',
    responses: [{ ...trialGrant, meanwhile: otherRecord }, freed],
  }),
  one('order: a trial that two processes start at once keeps its seat', undefined, {
    call: 'trial',
    responses: [
      {
        ...trialGrant,
        meanwhile: { ...otherRecord, key: 'TRIAL-KEY-00000000000000', token: token({ iat: NOW, sub: '44', kind: 'trial' }) },
      },
    ],
  }),
  one('order: a late deactivation erases only the activation that it was called for', withRecord(), {
    call: 'deactivate',
    responses: [{ ...freed, meanwhile: otherRecord }],
  }),
  one('order: a token that a refresh stores during a deactivation is removed too', withRecord(), {
    call: 'deactivate',
    responses: [{ ...freed, meanwhile: refreshed }],
  }),
  one('order: a late release at the end of the app erases only the activation that it was called for', withRecord(), {
    call: 'close',
    arguments: { release: true },
    responses: [{ ...freed, meanwhile: otherRecord }],
  }),
  one('order: forget deletes what was activated meanwhile too, and frees its seat', withRecord(), {
    call: 'forget',
    responses: [{ ...freed, meanwhile: otherRecord }, freed],
  }),
  one('order: the seat of an old key that is held again is not freed', withRecord({ release: [KEY, OTHER_KEY] }), {
    call: 'check',
    responses: [freed],
  }),
  one('order: the seat of an old key that is activated again while it is freed is taken again', withRecord({ release: [OTHER_KEY] }), {
    call: 'check',
    responses: [
      { ...freed, meanwhile: { ...otherRecord, release: [KEY] } },
      granted(token({ iat: NOW + 1, sub: '43' }), { license: otherLicense }),
      freed,
    ],
  }),
  one('order: a late activation does not replace what another process has activated meanwhile, and its seat is freed', undefined, {
    call: 'activate',
    arguments: { key: KEY },
    responses: [{ ...granted(token({ iat: NOW })), meanwhile: otherRecord }, freed],
  }),
  one('order: an activation replaces the key whose token was refreshed meanwhile', withRecord(), {
    call: 'activate',
    arguments: { key: OTHER_KEY },
    responses: [
      { ...granted(token({ iat: NOW, sub: '43' }), { license: otherLicense }), meanwhile: { ...record, token: token({ iat: NOW - 10 }) } },
      freed,
    ],
  }),
  one('order: an activation keeps the old keys that another process has noted meanwhile', withRecord(), {
    call: 'activate',
    arguments: { key: KEY },
    responses: [{ ...granted(token({ iat: NOW })), meanwhile: { ...record, release: [OTHER_KEY] } }, freed],
  }),
  one('order: a late refusal of an activation takes nothing that was activated meanwhile', withRecord(), {
    call: 'activate',
    arguments: { key: KEY },
    responses: [{ ...fault(403, 'license_revoked'), meanwhile: otherRecord }],
  }),
  ...(['validate', 'activate', 'trial', 'deactivate', 'offline_request', 'fingerprint'] as const).map((call) =>
    one(`order: ${call} on a storage that can not be read sends nothing`, withRecord(), {
      storage: 'unreadable',
      call,
      ...((call === 'activate' || call === 'offline_request') && { arguments: { key: OTHER_KEY } }),
    }),
  ),
  one('order: import_token on a storage that can not be read writes nothing', withRecord(), {
    storage: 'unreadable',
    call: 'import_token',
    arguments: { token: token({ iat: NOW }) },
  }),
  {
    name: 'order: a storage that can be read again has the license',
    stored: withRecord(),
    steps: [onDevice({ storage: 'unreadable', call: 'check' }), onDevice({ now: NOW + 1, call: 'check' })],
  },
  validated('an unbound that was signed once and is replayed without its verdict takes nothing', json(200, unboundBody), signing),
  validated('a refusal without a verdict takes nothing if the token says that the service signs', refused('revoked'), signing),
  validated(
    'a signed unbound counts if the token says that the service signs',
    json(200, unboundBody, proved(signedVerdict({ status: 'unbound' }))),
    signing,
  ),
  validated(
    'an unbound with a verdict about another device takes nothing',
    json(200, unboundBody, proved(signedVerdict({ status: 'unbound', fingerprint: OTHER_DEVICE }))),
    signing,
  ),
  validated(
    'an unbound with a verdict older than the token takes nothing',
    json(200, unboundBody, proved(signedVerdict({ status: 'unbound', iat: NOW - 2 * DAY }))),
    signing,
  ),
  one('order: a clock of 2099 and a refusal without a verdict take nothing', signing, {
    now: FAR,
    call: 'validate',
    responses: [refused('revoked')],
  }),
  one('order: a clock of 2099 and no seats take nothing', signing, {
    now: FAR,
    call: 'activate',
    arguments: { key: KEY },
    responses: [fault(429, 'no_seats'), json(200, { ...unboundBody, seats: { used: 3, max: 3 } })],
  }),
  {
    name: 'order: a random id that can not be stored takes no seat at every start',
    steps: [
      onDevice({ fingerprint: null, storage: 'unwritable', call: 'activate', arguments: { key: KEY } }),
      onDevice({ restart: true, fingerprint: null, storage: 'unwritable', call: 'check' }),
      onDevice({ now: NOW + 1, fingerprint: null, call: 'activate', arguments: { key: KEY }, responses: [fault(404, 'not_found')] }),
    ],
  },
  one('order: a fingerprint that fails is a fault, with no record', undefined, { fingerprint: 'fails', call: 'check' }),
  {
    name: 'order: a start with a clock of 2099 is undone by importing a fresh token',
    stored: { record: { v: 1, token: cached, seen: (NOW - DAY) * 1000, device: 'machine' } },
    steps: [
      onDevice({ now: FAR, call: 'check' }),
      onDevice({ restart: true, now: NOW, call: 'check' }),
      onDevice({ now: NOW + 1, call: 'import_token', arguments: { token: cached } }),
      onDevice({ now: NOW + 2, call: 'import_token', arguments: { token: token({ iat: NOW }) } }),
      onDevice({ restart: true, now: NOW + 3, call: 'check' }),
    ],
  },
  {
    name: 'order: a clock that is behind by less than a day can import a token, and use it',
    steps: [
      onDevice({ now: NOW - DAY, call: 'import_token', arguments: { token: token({ iat: NOW }) } }),
      onDevice({ restart: true, now: NOW - DAY, call: 'check' }),
    ],
  },
  one('order: a clock that is behind by more than a day can not', undefined, {
    now: NOW - DAY - 1,
    call: 'import_token',
    arguments: { token: token({ iat: NOW }) },
  }),
  {
    name: 'order: a 403 with an error code does not give up the old seat',
    stored: withRecord({ release: [OTHER_KEY] }),
    steps: [
      onDevice({ call: 'check', responses: [fault(403, 'forbidden')] }),
      onDevice({ now: NOW + 300, call: 'check', responses: [fault(404, 'not_found')] }),
      onDevice({ now: NOW + 600, call: 'check' }),
    ],
  },
  one('order: a late confirmation does not overwrite a newer token', withRecord(), {
    call: 'validate',
    responses: [{ ...granted(token({ iat: NOW - 20 })), meanwhile: { ...record, token: token({ iat: NOW }) } }],
  }),
  one('order: a confirmation keeps the old keys that another process has noted meanwhile', withRecord(), {
    call: 'validate',
    responses: [{ ...granted(token({ iat: NOW })), meanwhile: { ...record, release: [OTHER_KEY] } }, freed],
  }),
];

const listed = {
  ref: 'a-ref',
  name: 'old laptop',
  platform: 'linux',
  activated_at: '2026-11-20T13:54:00.000Z',
  last_seen_on: '2026-11-21',
  this: false,
};
const otherGrant = granted(token({ iat: NOW, sub: '43' }), { license: otherLicense });
const manyKeys = Array.from({ length: 10 }, (_, place) => `OLD-KEY-${place}`);

/** Events between the client's assessment of a response and its next write of the record. */
const betweens: readonly GivenCase[] = [
  one('between: a refresh during a deactivation does not take the seat again', withRecord(), {
    call: 'deactivate',
    responses: [{ ...freed, between: refreshed }],
  }),
  one('between: another activation during a deactivation stays', withRecord(), {
    call: 'deactivate',
    responses: [{ ...freed, between: otherRecord }],
  }),
  one(
    'between: a refresh of the lease while the app ends leaves no valid token',
    withRecord({ token: leaseToken(NOW - MINUTE, LEASE_END) }),
    {
      call: 'close',
      arguments: { release: true },
      responses: [{ ...freed, between: { ...record, token: leaseToken(NOW, LEASE_END + MINUTE) } }],
    },
  ),
  one('between: another activation while the app ends stays', withRecord(), {
    call: 'close',
    arguments: { release: true },
    responses: [{ ...freed, between: otherRecord }],
  }),
  one('between: forget deletes the token of a refresh, and frees the seat once', withRecord(), {
    call: 'forget',
    responses: [{ ...freed, between: refreshed }],
  }),
  one('between: forget deletes another activation and frees its seat', withRecord(), {
    call: 'forget',
    responses: [{ ...freed, between: otherRecord }, freed],
  }),
  activated('a refresh of the old key does not lose the new key', [{ ...otherGrant, between: refreshed }, freed], withRecord(), OTHER_KEY),
  activated(
    'a refresh of the same key between assessment and write',
    [{ ...granted(token({ iat: NOW })), between: refreshed }],
    withRecord(),
  ),
  activated(
    'another process activates a third key between assessment and write: the seat of the late key is freed',
    [
      { ...granted(token({ iat: NOW, sub: '44' }), { license: { ...license, id: 44, key: 'THIRD-KEY-2027' } }), between: otherRecord },
      freed,
    ],
    withRecord(),
    'THIRD-KEY-2027',
  ),
  activated(
    'another process activates the same license between assessment and write: no seat is freed',
    [{ ...granted(token({ iat: NOW, sub: '43' }), { license: { ...otherLicense, key: 'FORMER-KEY-2027' } }), between: otherRecord }],
    undefined,
    'FORMER-KEY-2027',
  ),
  activated(
    'a refusal of the held key, and a refresh between assessment and write: the new token stays',
    [{ ...fault(403, 'license_revoked', proved(signedVerdict())), between: { ...record, token: token({ iat: NOW + 1 }) } }],
    withRecord(),
  ),
  one('between: a trial, and another process activates a key', undefined, {
    call: 'trial',
    responses: [{ ...trialGrant, between: otherRecord }, freed],
  }),
  one('between: a confirmation does not overwrite a newer token', withRecord(), {
    call: 'validate',
    responses: [{ ...granted(token({ iat: NOW - 20 })), between: { ...record, token: token({ iat: NOW }) } }],
  }),
  one('between: a refusal does not overwrite another activation', withRecord(), {
    call: 'validate',
    responses: [{ ...refused('revoked'), between: otherRecord }],
  }),
  one('between: an activation keeps the old keys that another process has noted', withRecord(), {
    call: 'activate',
    arguments: { key: KEY },
    responses: [{ ...granted(token({ iat: NOW })), between: { ...record, release: [OTHER_KEY] } }, freed],
  }),
];

/** Attempts to replace the record's file that fail, for example because a virus scanner has the file open. */
const renames: readonly GivenCase[] = [
  ...[1, 4].map((times) =>
    one(`rename: an activation is stored although ${times === 1 ? 'one attempt fails' : 'four attempts fail'}`, undefined, {
      failing_renames: times,
      call: 'activate',
      arguments: { key: KEY },
      responses: [granted(token({ iat: NOW }))],
    }),
  ),
  {
    name: 'rename: an activation that could not be stored is reported, and is stored later',
    steps: [
      onDevice({ failing_renames: 5, call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ now: NOW + 10, call: 'check' }),
      onDevice({ restart: true, now: NOW + 20, call: 'check' }),
    ],
  },
  {
    name: 'rename: the seat of a replaced key is freed after the new record is stored',
    stored: withRecord(),
    steps: [
      onDevice({ storage: 'unwritable', call: 'activate', arguments: { key: OTHER_KEY }, responses: [otherGrant] }),
      onDevice({ storage: 'unwritable', now: NOW + 10, call: 'check' }),
      onDevice({ now: NOW + 20, call: 'check', responses: [freed] }),
    ],
  },
  {
    name: 'rename: after a crash before the new record is stored, the replaced key still has its seat',
    stored: withRecord(),
    steps: [
      onDevice({ storage: 'unwritable', call: 'activate', arguments: { key: OTHER_KEY }, responses: [otherGrant] }),
      onDevice({ restart: true, now: NOW + 10, call: 'check' }),
    ],
  },
  {
    name: 'rename: a deactivation that could not be stored is stored later',
    stored: withRecord(),
    steps: [onDevice({ storage: 'unwritable', call: 'deactivate', responses: [freed] }), onDevice({ now: NOW + 10, call: 'check' })],
  },
  one('rename: a random id is stored although four attempts fail', undefined, {
    fingerprint: null,
    failing_renames: 4,
    call: 'fingerprint',
  }),
];

/** Several clients with one record. */
const clients: readonly GivenCase[] = [
  {
    name: 'clients: the second one sees what the first one activates and deactivates',
    steps: [
      onDevice({ call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ client: 'second', now: NOW + 1, call: 'check' }),
      onDevice({ now: NOW + 2, call: 'deactivate', responses: [freed] }),
      onDevice({ client: 'second', now: NOW + 3, call: 'check' }),
    ],
  },
  {
    name: 'clients: the key of the second one replaces the key of the first one',
    steps: [
      onDevice({ call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ client: 'second', now: NOW + 1, call: 'activate', arguments: { key: OTHER_KEY }, responses: [otherGrant, freed] }),
      onDevice({ now: NOW + 2, call: 'check' }),
      onDevice({ now: NOW + 3, call: 'validate', responses: [granted(token({ iat: NOW + 3, sub: '43' }), { license: otherLicense })] }),
    ],
  },
  {
    name: 'clients: the operator frees the seat; the second one asks the service, and the first one agrees at its next check',
    stored: afterVerdicts,
    steps: [
      onDevice({ call: 'check' }),
      onDevice({ client: 'second', now: NOW + 1, call: 'check' }),
      onDevice({
        client: 'second',
        now: NOW + 2,
        call: 'validate',
        responses: [json(200, unboundBody, proved(signedVerdict({ status: 'unbound' })))],
      }),
      onDevice({ now: NOW + 3, call: 'check', responses: offline }),
      onDevice({
        client: 'second',
        now: NOW + 4,
        call: 'activate',
        arguments: { key: KEY },
        responses: [granted(token({ iat: NOW + 4 }))],
      }),
      onDevice({ now: NOW + 5, call: 'check' }),
    ],
  },
  {
    name: 'clients: the license is revoked while the first one is offline; it agrees with the second one at its next check',
    stored: afterVerdicts,
    steps: [
      onDevice({ now: NOW + 3 * DAY, call: 'check', responses: [fault(503, 'internal', { 'Retry-After': '86400' })] }),
      onDevice({ client: 'second', now: NOW + 3 * DAY + 1, call: 'validate', responses: [refused('revoked', proved(signedVerdict()))] }),
      onDevice({ now: NOW + 3 * DAY + 2, call: 'check', responses: offline }),
    ],
  },
  {
    name: 'clients: a key that the first one could not store before the second one stored another key is freed',
    steps: [
      onDevice({ storage: 'unwritable', call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ client: 'second', now: NOW + 1, call: 'activate', arguments: { key: OTHER_KEY }, responses: [otherGrant] }),
      onDevice({ now: NOW + 2, call: 'check', responses: [freed] }),
      onDevice({ client: 'second', now: NOW + 3, call: 'check' }),
    ],
  },
  {
    name: 'clients: the same key that the first one could not store is not freed',
    steps: [
      onDevice({ storage: 'unwritable', call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({
        client: 'second',
        now: NOW + 1,
        call: 'activate',
        arguments: { key: KEY },
        responses: [granted(token({ iat: NOW + 1 }))],
      }),
      onDevice({ now: NOW + 2, call: 'check' }),
    ],
  },
];

const imported = (key: string): GivenCase['stored'] => withRecord({ key });
/** Keys that the service compares as equal (docs/spec/licenses.md, How keys are compared). */
const keys: readonly GivenCase[] = [
  ...(
    [
      ['a dotless i', 'LISANS-2019-42', 'l\u0131sans-2019-42'],
      ['a long s', 'LISANS-2019-42', 'li\u017fans-2019-42'],
      ['a sharp s', 'STRASSE-2019', 'stra\u00dfe-2019'],
      ['ligatures', 'OFFICE-FIRST-STAFF', 'o\ufb03ce-\ufb01r\ufb05-\ufb06a\ufb00'],
    ] as const
  ).map(([what, held, typed]) =>
    activated(
      `the held key, typed with ${what}, frees no seat`,
      [granted(token({ iat: NOW }), { license: { ...license, key: held } })],
      imported(held),
      typed,
    ),
  ),
  activated(
    'another key of the license that is held frees no seat',
    [granted(token({ iat: NOW }), { license: { ...license, key: OTHER_KEY } })],
    withRecord(),
    OTHER_KEY,
  ),
  one(
    'release: an old key that is the held key in another spelling is not freed',
    withRecord({ key: 'STRASSE-2019', release: ['stra\u00dfe-2019'] }),
    { call: 'check' },
  ),
  activated(
    'of eleven keys to release, the oldest is dropped',
    [otherGrant, ...manyKeys.map(() => fault(503, 'internal', { 'Retry-After': '120' }))],
    withRecord({ release: manyKeys }),
    OTHER_KEY,
  ),
];

/** Refusals that only a verdict can prove. */
const proofs: readonly GivenCase[] = [
  validated('a reissued key of another license', refused('revoked', proved(signedVerdict({ status: 'reissued', sub: '43' }))), signing),
  activated('a reissued key on a new device', [fault(403, 'license_revoked', proved(signedVerdict({ status: 'reissued' })))]),
  activated(
    'a reissued key, while another license is held',
    [fault(403, 'license_revoked', proved(signedVerdict({ status: 'reissued', sub: '43' })))],
    withRecord(),
    OTHER_KEY,
  ),
  activated(
    'a refusal of another key whose verdict is not accepted',
    [fault(403, 'license_revoked', proved(signedVerdict({}, {}, other)))],
    withRecord(),
    OTHER_KEY,
  ),
  {
    name: 'validate: a reissued key, and then the new key of the license',
    stored: signing,
    steps: [
      onDevice({ call: 'validate', responses: [refused('revoked', proved(signedVerdict({ status: 'reissued' })))] }),
      onDevice({ restart: true, now: NOW + 1, call: 'check', responses: offline }),
      onDevice({
        now: NOW + 2,
        call: 'activate',
        arguments: { key: OTHER_KEY },
        responses: [granted(token({ iat: NOW + 2 }), { license: { ...license, key: OTHER_KEY } }), json(200, { freed: false })],
      }),
    ],
  },
  validated('a license that no longer exists', refused('invalid', proved(signedVerdict({ status: 'unknown' }))), signing),
  validated(
    'a verdict that another license no longer exists',
    refused('invalid', proved(signedVerdict({ status: 'unknown', sub: '43' }))),
    signing,
  ),
  validated(
    'a license that no longer exists, for a client that has not seen a verdict',
    refused('invalid', proved(signedVerdict({ status: 'unknown' }))),
  ),
  validated('a verdict with white space around it', refused('revoked', proved(` ${signedVerdict()}\t `)), signing),
];

/** JSON with nested lists in an unknown member. The outermost object is level 1. */
const nestedIn = (body: object, levels: number): string =>
  `${JSON.stringify(body).slice(0, -1)},"more":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
/** Inputs about which the clients once disagreed. */
const sameRules: readonly GivenCase[] = [
  one('devices: an empty key is not sent', withRecord(), { call: 'devices', arguments: { key: ' ' } }),
  one('free: an empty key is not sent', withRecord(), { call: 'free', arguments: { ref: 'a-ref', key: '' } }),
  one('free: an empty ref is not sent', withRecord(), { call: 'free', arguments: { ref: ' ' } }),
  one('free: a ref of 101 characters is not sent', withRecord(), { call: 'free', arguments: { ref: 'r'.repeat(101) } }),
  one('activate: empty texts are left out, others are trimmed', undefined, {
    call: 'activate',
    arguments: { key: KEY, name: ' laptop ', platform: ' ', replace: '' },
    responses: [granted(token({ iat: NOW }))],
  }),
  one('trial: empty texts are left out', undefined, {
    call: 'trial',
    arguments: { name: '', platform: ' ', customer_email: ' ' },
    responses: [trialGrant],
  }),
  one('offline_request: empty texts are left out', undefined, {
    call: 'offline_request',
    arguments: { key: KEY, name: ' ', platform: '' },
  }),
  one('latest: empty texts are left out', withRecord(), {
    call: 'latest',
    arguments: { platform: '', arch: ' ', channel: '', version: '' },
    responses: [json(200, { update: null, newest: null })],
  }),
  validated('a response of 32 levels', json(200, nestedIn(granted(token({ iat: NOW })).body as object, 32))),
  validated('a response of 33 levels', [
    json(200, nestedIn(granted(token({ iat: NOW })).body as object, 33)),
    json(200, nestedIn(granted(token({ iat: NOW })).body as object, 33)),
  ]),
  one('devices: a list of 32 levels', withRecord(), { call: 'devices', responses: [json(200, `[${nestedIn(listed, 31)}]`)] }),
  one('devices: a list of 33 levels', withRecord(), {
    call: 'devices',
    responses: [json(200, `[${nestedIn(listed, 32)}]`), json(200, `[${nestedIn(listed, 32)}]`)],
  }),
  one('devices: more than a list', withRecord(), { call: 'devices', responses: [json(200, '[],"more":[]'), json(200, '[],"more":[]')] }),
  one('storage: a record of 32 levels', { record: nestedIn(record, 32) }, { call: 'check' }),
  one('storage: a record of 33 levels counts as none', { record: nestedIn(record, 33) }, { call: 'check' }),
];

const limited = token({ updates_until: '2027-11-20T13:54:00.000Z', max_major: 3 });
const listing = [{ ...listed, ref: 'this-ref', name: 'laptop', last_seen_on: null, this: true }, listed];
const ofApp = { release: { version: '4.0.0', released_at: '2027-12-01T00:00:00.000Z' } };

const artifact = {
  filename: 'app-4.1.0-x64.zip',
  platform: 'windows',
  arch: 'x64',
  size: 52428800,
  sha256: sha256('the bytes of an app').toString('hex'),
  sha512: 'ab'.repeat(64),
  signature: null,
  url: 'https://licenses.example.com/v1/products/7/releases/4.1.0/artifacts/app-4.1.0-x64.zip',
};
const update = { version: '4.1.0', channel: 'stable', released_at: '2027-01-10T09:00:00.000Z', notes: null, artifacts: [artifact] };
const newest = { version: '5.0.0', released_at: '2027-01-14T09:00:00.000Z', covered: false };
const found = { update, newest };
const offerOf = (name: string, body: Json): GivenCase =>
  one(`latest: ${name}`, withRecord(), {
    call: 'latest',
    responses: [json(200, body), json(200, body)].slice(0, typeof body === 'string' ? 2 : 1),
  });

/** Cases with releases that the license doesn't cover, and with the list of devices. */
const updatesAndDevices: readonly GivenCase[] = [
  {
    name: 'covers: by the token, without a network',
    stored: withRecord({ token: limited }),
    settings: ofApp,
    steps: [
      onDevice({ call: 'covers' }),
      onDevice({ call: 'check' }),
      onDevice({ call: 'covers' }),
      onDevice({ call: 'covers', arguments: { version: '3.9.0' } }),
      onDevice({ call: 'covers', arguments: { version: '4.0.0', released_at: '2027-11-20T13:54:00.000Z' } }),
    ],
  },
  one('release: the token covers older ones only, and stays', withRecord({ token: limited }), { call: 'check' }, ofApp),
  one(
    'release: the service confirms a license of older ones',
    withRecord({ token: limited }),
    { call: 'validate', responses: [granted(limited, { covered: false })] },
    ofApp,
  ),
  one(
    'release: a license that was extended covers it',
    withRecord({ token: limited }),
    { call: 'validate', responses: [granted(token({ iat: NOW, max_major: 4 }), { covered: true })] },
    ofApp,
  ),
  one(
    'release: the token decides, and not the response',
    withRecord({ token: limited }),
    { call: 'validate', responses: [granted(token({ iat: NOW, max_major: 4 }), { covered: false })] },
    ofApp,
  ),
  one(
    'release: of a device without a seat',
    withRecord(),
    { call: 'validate', responses: [json(200, { ...unboundBody, covered: true })] },
    ofApp,
  ),
  {
    name: 'release: a version is sent without white space at its ends, and its other characters are kept',
    settings: { release: { version: ' v4.0.0-rc.1+7 & \u00e9 ' } },
    steps: [
      onDevice({ call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ call: 'validate', responses: [granted(token({ iat: NOW }), { covered: true })] }),
    ],
  },
  {
    name: 'release: an empty version is not sent',
    settings: { release: { version: ' ', released_at: ofApp.release.released_at } },
    steps: [
      onDevice({ call: 'activate', arguments: { key: KEY }, responses: [granted(token({ iat: NOW }))] }),
      onDevice({ call: 'validate', responses: [granted(token({ iat: NOW }))] }),
    ],
  },
  one(
    'activate: no seats, and the version is not sent again to get the numbers',
    undefined,
    { call: 'activate', arguments: { key: KEY }, responses: [fault(429, 'no_seats'), json(200, unboundBody)] },
    ofApp,
  ),
  one('release: an imported token covers older ones only', undefined, { call: 'import_token', arguments: { token: limited } }, ofApp),
  {
    name: 'covers: everything without a limit',
    stored: withRecord(),
    steps: [onDevice({ call: 'check' }), onDevice({ call: 'covers', arguments: { version: '99.0.0' } })],
  },
  one(
    'activate: a release that the license does not cover',
    undefined,
    { call: 'activate', arguments: { key: KEY }, responses: [fault(403, 'release_not_covered')] },
    ofApp,
  ),
  one(
    'activate: a release that the license does not cover takes nothing',
    withRecord(),
    { call: 'activate', arguments: { key: KEY }, responses: [fault(403, 'release_not_covered')] },
    ofApp,
  ),
  one('activate: in the place of another device', undefined, {
    call: 'activate',
    arguments: { key: KEY, replace: 'a-ref' },
    responses: [granted(token({ iat: NOW }))],
  }),
  one('activate: a ref of 101 characters is not sent', undefined, { call: 'activate', arguments: { key: KEY, replace: 'r'.repeat(101) } }),
  one('devices: of the key that is held', withRecord(), { call: 'devices', responses: [json(200, listing)] }),
  one('devices: of another key', undefined, { call: 'devices', arguments: { key: ` ${KEY} ` }, responses: [json(200, [])] }),
  one('devices: without a key nobody is asked', undefined, { call: 'devices' }),
  one('devices: the list is disabled', withRecord(), { call: 'devices', responses: [fault(404, 'not_found')] }),
  one('devices: without a network', withRecord(), { call: 'devices', responses: offline }),
  one('devices: an object is no list of the service', withRecord(), { call: 'devices', responses: [json(200, {})] }),
  one('devices: an entry without a ref is not of the service', withRecord(), {
    call: 'devices',
    responses: [json(200, [{ ...listed, ref: '' }])],
  }),
  one('devices: a day that is no text is not of the service', withRecord(), {
    call: 'devices',
    responses: [json(200, [{ ...listed, last_seen_on: false }])],
  }),
  one('devices: text is no list', withRecord(), { call: 'devices', responses: [json(200, '<html>'), json(200, '<html>')] }),
  one('free: the seat of another device', withRecord(), { call: 'free', arguments: { ref: 'a-ref' }, responses: [freed] }),
  one('free: of another key', undefined, { call: 'free', arguments: { ref: 'a-ref', key: KEY }, responses: [json(200, { freed: false })] }),
  one('free: without a key nobody is asked', undefined, { call: 'free', arguments: { ref: 'a-ref' } }),
  one('free: without a key, on a device that is not identified', undefined, {
    fingerprint: 'fails',
    call: 'free',
    arguments: { ref: 'a-ref' },
  }),
  one('free: without a network', withRecord(), { call: 'free', arguments: { ref: 'a-ref' }, responses: offline }),
  one('latest: by the key that is held', withRecord(), {
    call: 'latest',
    arguments: { platform: 'windows', arch: 'x64', channel: 'beta', version: '4.0.0' },
    responses: [json(200, found)],
  }),
  one(
    'latest: newer than the release of the app, by default',
    withRecord(),
    { call: 'latest', responses: [json(200, { update: null, newest: { ...newest, covered: true } })] },
    ofApp,
  ),
  one(
    'latest: by an imported token, where no key is held',
    { record: { ...without(record, 'key'), token: cached } },
    { call: 'latest', responses: [json(200, found)] },
  ),
  one('latest: without a license, of public downloads', undefined, {
    call: 'latest',
    responses: [json(200, { update: { ...update, notes: '# New', artifacts: [{ ...artifact, signature: 'c2ln' }] }, newest: null })],
  }),
  one('latest: without a license', undefined, { call: 'latest', responses: [fault(401, 'unauthorized')] }),
  one('latest: of a license that has expired takes nothing', withRecord(), { call: 'latest', responses: [fault(403, 'license_expired')] }),
  one('latest: without a network', withRecord(), { call: 'latest', responses: offline }),
  one('latest: without a fingerprint', withRecord(), { fingerprint: 'fails', call: 'latest', responses: [json(200, found)] }),
  one('latest: on a storage that can not be read', withRecord(), { storage: 'unreadable', call: 'latest' }),
  offerOf('an empty object is no response of the service', {}),
  offerOf('a file without its hash is not of the service', {
    update: { ...update, artifacts: [without(artifact, 'sha256')] },
    newest: null,
  }),
  offerOf('a file without its address is not of the service', {
    update: { ...update, artifacts: [{ ...artifact, url: '' }] },
    newest: null,
  }),
  offerOf('a size that is no count is not of the service', {
    update: { ...update, artifacts: [{ ...artifact, size: 1.5 }] },
    newest: null,
  }),
  offerOf('a release after the year 9999 is not of the service', {
    update: { ...update, released_at: '9999-12-31T23:59:59-00:01' },
    newest,
  }),
  offerOf('a release in the year 0 is not of the service', { update: { ...update, released_at: '0000-02-29T00:00:00Z' }, newest }),
  offerOf('a release without its date is not of the service', { update: without(update, 'released_at'), newest }),
  offerOf('notes that are no text are not of the service', { update: { ...update, notes: false }, newest }),
  offerOf('a newest release without its coverage is not of the service', { update, newest: without(newest, 'covered') }),
  offerOf('text is no release', '<html>'),
];

export const behaviourCases: readonly GivenCase[] = [
  ...offlineFirst,
  ...activation,
  ...verdicts,
  ...faults,
  ...clock,
  ...grace,
  ...leases,
  ...ends,
  ...devices,
  ...storage,
  ...orders,
  ...betweens,
  ...renames,
  ...clients,
  ...keys,
  ...proofs,
  ...sameRules,
  ...updatesAndDevices,
];
