/** The inputs of the vectors for limits and meters. They have the format of the behaviour vectors. */
import type { GivenCase, GivenStep, Json, ScriptedResponse } from './behaviour';
import { fault, granted, json, KEY, offline, onDevice, one, OTHER_KEY, record, token, withRecord } from './parts';
import { DAY, NOW, without } from './signing';

const limits = { projects: 50, cores: 8, none: 0, most: 9_007_199_254_740_991 };
const withLimits = withRecord({ token: token({ limits }) });
const tokenWith = (value: Json): Json => token({ limits: value });

const limitCases: readonly GivenCase[] = [
  {
    name: 'limit: limits of the state, offline too',
    stored: withLimits,
    steps: [
      onDevice({ call: 'limit', arguments: { limit: 'projects' } }),
      onDevice({ call: 'check' }),
      ...['projects', 'none', 'most', 'users', 'constructor'].map((limit) => onDevice({ call: 'limit', arguments: { limit } })),
    ],
  },
  {
    name: 'limit: none in a state that is not licensed',
    stored: withLimits,
    steps: [
      onDevice({ now: NOW + 7 * DAY, call: 'check', responses: offline }),
      onDevice({ now: NOW + 7 * DAY, call: 'limit', arguments: { limit: 'projects' } }),
    ],
  },
  {
    name: 'limit: limits that the service has changed',
    stored: withLimits,
    steps: [
      onDevice({ call: 'validate', responses: [granted(token({ iat: NOW, limits: { projects: 100 } }))] }),
      onDevice({ call: 'limit', arguments: { limit: 'projects' } }),
      onDevice({ call: 'limit', arguments: { limit: 'cores' } }),
    ],
  },
  ...(
    [
      ['an empty object', {}],
      ['a list', [50]],
      ['null', null],
      ['a text', { projects: '50' }],
      ['a fraction', { projects: 0.5 }],
      ['negative', { projects: -1 }],
      ['over 2^53 - 1', { projects: 9_007_199_254_740_992 }],
      ['a nested object', { projects: { max: 50 } }],
    ] as readonly (readonly [string, Json])[]
  ).map(([what, value]) =>
    one(`limit: a token whose limits are ${what}`, undefined, { call: 'import_token', arguments: { token: tokenWith(value) } }),
  ),
];

const ID = 'export-0001';
const exports = { meter: 'exports', used: 37, included: 100, remaining: 63, period: 'month', resets_at: '2027-02-01T09:30:00.000Z' };
const counted = json(200, exports);
const use = { meter: 'exports', amount: 1, id: ID };
const used = (name: string, responses: readonly ScriptedResponse[], changes: { readonly [name: string]: Json } = {}): GivenCase =>
  one(`consume: ${name}`, withRecord(), { call: 'consume', arguments: { ...use, ...changes }, responses });
const notSent = (name: string, changes: { readonly [name: string]: Json }): GivenCase => used(`${name} is not sent`, [], changes);

const consumption: readonly GivenCase[] = [
  used('an amount', [counted]),
  used('a meter that is never reset', [json(200, { ...exports, period: 'none', resets_at: null })]),
  used('more than is included', [json(200, { ...exports, used: 130, remaining: 0 })]),
  used('gives back', [counted], { amount: -3 }),
  one('consume: without an id, a random one', withRecord(), { call: 'consume', arguments: without(use, 'id'), responses: [counted] }),
  used('white space at the ends of the meter is removed', [counted], { meter: ' exports ' }),
  used('the second attempt has the same id', ['unreachable', counted]),
  used('without a network', offline),
  used('a meter that is exhausted is not tried again', [fault(429, 'meter_exhausted', { 'Retry-After': '1' })]),
  used('throttled', [fault(429, 'rate_limited', { 'Retry-After': '60' })]),
  used('an unknown meter', [fault(404, 'unknown_meter')]),
  used('an unknown key', [fault(404, 'not_found')]),
  used('a device without a seat', [fault(403, 'not_activated')]),
  used('a device that must sign in again', [fault(403, 'sign_in_required')]),
  used('an id that was used for another amount', [fault(409, 'idempotency_mismatch')]),
  used('an amount that the meter does not accept', [fault(422, 'invalid_request')]),
  used('a revoked license: the state stays', [fault(403, 'license_revoked')]),
  used('a license of a status that nobody knows yet', [fault(403, 'license_on_hold')]),
  used('license_active is no code of the service', [fault(403, 'license_active')]),
  used('a wrong API key', [fault(401, 'unauthorized')]),
  used('a page of another server', [json(200, '<html>'), json(200, '<html>')]),
  used('an object of another server', [json(200, { ok: true })]),
  ...['meter', 'used', 'included', 'remaining', 'period', 'resets_at'].map((name) =>
    used(`a response without ${name} is not of the service`, [json(200, without(exports, name))]),
  ),
  notSent('an amount of 0', { amount: 0 }),
  notSent('an amount over a billion', { amount: 1_000_000_001 }),
  notSent('an amount below minus a billion', { amount: -1_000_000_001 }),
  notSent('an empty meter', { meter: ' ' }),
  notSent('a meter of 65 characters', { meter: 'm'.repeat(65) }),
  notSent('an id of 7 characters', { id: '1234567' }),
  notSent('an id of 65 characters', { id: '1'.repeat(65) }),
  notSent('an id with white space at its end', { id: '12345678 ' }),
  notSent('an id with a line break', { id: '1234\n5678' }),
  one('consume: without a key nobody is asked', undefined, { call: 'consume', arguments: use }),
  one('consume: an imported token without a key', { record: { ...without(record, 'key') } }, { call: 'consume', arguments: use }),
  one('consume: on a device that is not identified', withRecord(), { fingerprint: 'fails', call: 'consume', arguments: use }),
  one('consume: on a storage that can not be read', withRecord(), { storage: 'unreadable', call: 'consume', arguments: use }),
  one('meters: of the license', withRecord(), { call: 'meters', responses: [json(200, [exports, { ...exports, meter: 'renders' }])] }),
  one('meters: none', withRecord(), { call: 'meters', responses: [json(200, [])] }),
  one('meters: without a key nobody is asked', undefined, { call: 'meters' }),
  one('meters: without a network', withRecord(), { call: 'meters', responses: offline }),
  one('meters: a device without a seat', withRecord(), { call: 'meters', responses: [fault(403, 'not_activated')] }),
  one('meters: an object is no list of the service', withRecord(), { call: 'meters', responses: [json(200, {})] }),
  one('meters: an entry without its period is not of the service', withRecord(), {
    call: 'meters',
    responses: [json(200, [without(exports, 'period')])],
  }),
  one('meters: text is no list', withRecord(), { call: 'meters', responses: [json(200, '<html>'), json(200, '<html>')] }),
];

const queueing = { offline: 'queue' } as const;
const entry = (id: string, at: number, changes: { readonly [name: string]: Json } = {}): { readonly [name: string]: Json } => ({
  id,
  meter: 'exports',
  amount: 1,
  at: at * 1000,
  key: KEY,
  license: '42',
  ...changes,
});
const queue = (entries: readonly Json[], dropped: readonly Json[] = []): Json => ({ v: 1, entries, dropped });
const waiting = (entries: readonly Json[], changes: { readonly [name: string]: Json } = {}): NonNullable<GivenCase['stored']> => ({
  ...withRecord(changes),
  queue: queue(entries),
});
const consume = (id: string, step: Omit<GivenStep, 'now' | 'call'> & { readonly now?: number } = {}): GivenStep =>
  onDevice({ call: 'consume', arguments: { ...use, id }, ...step });
const pending = (step: { readonly now?: number } = {}): GivenStep => onDevice({ call: 'pending', ...step });
const queued = (name: string, stored: GivenCase['stored'], steps: readonly GivenStep[]): GivenCase => ({
  name: `queue: ${name}`,
  settings: queueing,
  ...(stored && { stored }),
  steps,
});
const thousand = Array.from({ length: 1000 }, (_, place) => ({ id: String(place), meter: 'm', amount: 1, at: 1, key: 'k' }));

const queueCases: readonly GivenCase[] = [
  queued('an amount that is sent at once does not stay in it', withRecord(), [consume('amount-1', { responses: [counted] }), pending()]),
  queued('an amount that can not be sent waits, and later ones wait behind it without a request', withRecord(), [
    consume('amount-1', { responses: offline }),
    consume('amount-2', { now: NOW + 1 }),
    pending({ now: NOW + 2 }),
    onDevice({ now: NOW + 299, call: 'check' }),
    onDevice({ now: NOW + 300, call: 'check', responses: [counted, counted] }),
    pending({ now: NOW + 301 }),
  ]),
  queued('the app starts, and what waits is sent, the oldest first', waiting([entry('amount-1', NOW - 60), entry('amount-2', NOW - 50)]), [
    onDevice({ call: 'check', responses: [counted, counted] }),
  ]),
  queued('an amount that finds older ones waiting is sent after them', waiting([entry('amount-1', NOW - 60)]), [
    consume('amount-2', { responses: [counted, counted] }),
    pending(),
  ]),
  queued('after the pause, an amount has the older ones sent', withRecord(), [
    consume('amount-1', { responses: offline }),
    consume('amount-2', { now: NOW + 300, responses: [counted, counted] }),
  ]),
  queued('Retry-After is waited for', withRecord(), [
    consume('amount-1', { responses: [fault(503, 'internal', { 'Retry-After': '3600' })] }),
    onDevice({ now: NOW + 3599, call: 'check' }),
    onDevice({ now: NOW + 3600, call: 'check', responses: [counted] }),
  ]),
  queued('a validation that reaches the service has the amounts sent', withRecord(), [
    consume('amount-1', { responses: offline }),
    onDevice({ now: NOW + 1, call: 'validate', responses: [granted(token({ iat: NOW + 1 })), counted] }),
  ]),
  queued('the process ends after a request, before the amount is removed: it is sent again with its id', withRecord(), [
    consume('amount-1', { responses: [{ ...counted, storage: 'unwritable' }] }),
    onDevice({ restart: true, now: NOW + 1, call: 'check', responses: [counted] }),
    pending({ now: NOW + 2 }),
  ]),
  queued('a disk that is full: the amount is sent', withRecord(), [consume('amount-1', { storage: 'unwritable', responses: [counted] })]),
  queued('a disk that is full, without a network: the app hears that the amount is neither sent nor stored', withRecord(), [
    consume('amount-1', { storage: 'unwritable', responses: offline }),
    pending(),
  ]),
  queued('a disk that is full after the request: this process does not send the amount again', withRecord(), [
    consume('amount-1', { responses: [{ ...counted, storage: 'unwritable' }] }),
    onDevice({ now: NOW + 1, storage: 'unwritable', call: 'check' }),
    pending({ now: NOW + 2 }),
    consume('amount-2', { now: NOW + 3, responses: [counted] }),
  ]),
  queued('an amount that is refused at once is the result, and is not reported', withRecord(), [
    consume('amount-1', { responses: [fault(429, 'meter_exhausted')] }),
    pending(),
  ]),
  queued(
    'an amount that is refused later is dropped and reported, and the next ones are sent',
    waiting([entry('amount-1', NOW - 60), entry('amount-2', NOW - 50, { meter: 'renders' }), entry('amount-3', NOW - 40)]),
    [onDevice({ call: 'check', responses: [fault(429, 'meter_exhausted'), fault(404, 'unknown_meter'), counted] }), pending()],
  ),
  queued('a wrong API key is a fault, and nothing waits', withRecord(), [
    consume('amount-1', { responses: [fault(401, 'unauthorized')] }),
    pending(),
  ]),
  queued('a wrong API key drops nothing that waits', waiting([entry('amount-1', NOW - 60)]), [
    onDevice({ call: 'check', responses: [fault(401, 'unauthorized')] }),
    pending(),
  ]),
  queued('a page of another server counts nothing', withRecord(), [
    consume('amount-1', { responses: [json(200, { ok: true })] }),
    pending(),
  ]),
  queued('the id of an amount that waits: the same amount', withRecord(), [
    consume('amount-1', { responses: offline }),
    consume('amount-1', { now: NOW + 300, responses: [counted] }),
    pending({ now: NOW + 301 }),
  ]),
  queued('the id of an amount that waits, with another amount', withRecord(), [
    consume('amount-1', { responses: offline }),
    onDevice({ call: 'consume', arguments: { ...use, id: 'amount-1', amount: 2 } }),
  ]),
  queued('a full queue', { ...withRecord(), queue: queue(thousand) }, [onDevice({ call: 'consume', arguments: use })]),
  queued('a device that is not identified now', withRecord(), [
    consume('amount-1', { fingerprint: 'fails' }),
    onDevice({ now: NOW + 300, call: 'check', responses: [counted] }),
  ]),
  queued(
    'of 29 days, by a clock that the service confirms, is dropped',
    waiting([entry('amount-1', NOW - 29 * DAY), entry('amount-2', NOW - 60)]),
    [onDevice({ call: 'check', responses: [granted(token({ iat: NOW })), counted] }), pending()],
  ),
  {
    ...queued('of 29 days: the request for the time has the version of the app', waiting([entry('amount-1', NOW - 29 * DAY)]), [
      onDevice({ call: 'check', responses: [granted(token({ iat: NOW }), { covered: true })] }),
    ]),
    settings: { ...queueing, release: { version: '4.0.0' } },
  },
  queued('of 29 days, without a network, waits', waiting([entry('amount-1', NOW - 29 * DAY)]), [
    onDevice({ call: 'check', responses: offline }),
    pending(),
  ]),
  queued('of almost 29 days is sent', waiting([entry('amount-1', NOW - 29 * DAY + 1)]), [
    onDevice({ call: 'check', responses: [counted] }),
  ]),
  queued(
    'a clock that is a month ahead drops nothing',
    waiting([entry('amount-1', NOW - 60)], { token: token({ exp: NOW + 100 * DAY }) }),
    [
      onDevice({ now: NOW + 30 * DAY, call: 'check', responses: [granted(token({ iat: NOW })), counted] }),
      pending({ now: NOW + 30 * DAY }),
    ],
  ),
  queued('a clock that was ahead when the amount was consumed: its age counts from now', waiting([entry('amount-1', NOW + 365 * DAY)]), [
    onDevice({ call: 'check', responses: offline }),
  ]),
  queued('a clock that is years behind: the age counts from the latest time that the client knows', withRecord(), [
    consume('amount-1', { now: NOW - 3650 * DAY, responses: offline }),
  ]),
  queued('of an earlier key of the license is sent with the key that is held', waiting([entry('amount-1', NOW - 60)], { key: OTHER_KEY }), [
    onDevice({ call: 'check', responses: [counted] }),
  ]),
  queued('of another license is sent with its own key', waiting([entry('amount-1', NOW - 60, { key: OTHER_KEY, license: '43' })]), [
    onDevice({ call: 'check', responses: [fault(403, 'not_activated')] }),
    pending(),
  ]),
  queued('deactivate: what waits is sent before the seat is freed', waiting([entry('amount-1', NOW - 60)]), [
    onDevice({ call: 'deactivate', responses: [counted, json(200, { freed: true })] }),
  ]),
  queued('close with release: what waits is sent before the seat is freed', waiting([entry('amount-1', NOW - 60)]), [
    onDevice({ call: 'close', arguments: { release: true }, responses: [counted, json(200, { freed: true })] }),
  ]),
  queued('forget deletes what waits', waiting([entry('amount-1', NOW - 60)]), [
    onDevice({ call: 'forget', responses: [...offline, ...offline] }),
  ]),
  queued('two clients: what the first one could not send, the second one sends once', withRecord(), [
    consume('amount-1', { responses: offline }),
    onDevice({ client: 'second', now: NOW + 1, call: 'check', responses: [counted] }),
    onDevice({ now: NOW + 300, call: 'check' }),
    pending({ now: NOW + 301 }),
  ]),
  queued('two clients: an amount of the second one waits behind one of the first one', withRecord(), [
    consume('amount-1', { responses: offline }),
    consume('amount-2', { client: 'second', now: NOW + 1, responses: [counted, counted] }),
  ]),
  queued('a damaged queue counts as empty', { ...withRecord(), queue: '{"v":1,' }, [consume('amount-1', { responses: [counted] })]),
  queued(
    'what is damaged in it is left out',
    { ...withRecord(), queue: queue([entry('amount-1', NOW - 60, { amount: 'one' }), 1, entry('amount-2', NOW - 60)], [{}]) },
    [onDevice({ call: 'check', responses: [counted] }), pending()],
  ),
  queued(
    'a queue of a later version counts as empty',
    { ...withRecord(), queue: { v: 2, entries: [entry('amount-1', NOW - 60)], dropped: [] } },
    [onDevice({ call: 'check' }), pending()],
  ),
  queued(
    'reports the 100 amounts that were dropped last',
    {
      ...withRecord(),
      queue: queue(
        [entry('amount-1', NOW - 60)],
        Array.from({ length: 100 }, (_, place) => ({
          ...without(entry(`dropped-${place}`, NOW - 60), 'key', 'license'),
          reason: 'unknown_meter',
        })),
      ),
    },
    [onDevice({ call: 'check', responses: [fault(429, 'meter_exhausted')] })],
  ),
  queued('a storage that can not be read', withRecord(), [onDevice({ storage: 'unreadable', call: 'pending' })]),
  {
    name: 'queue: without the option, an amount that can not be sent is not stored, and nothing that waits is sent',
    stored: waiting([entry('amount-1', NOW - 60)]),
    steps: [consume('amount-2', { responses: offline }), onDevice({ call: 'check' }), pending()],
  },
];

export const metersCases: readonly GivenCase[] = [...limitCases, ...consumption, ...queueCases];
