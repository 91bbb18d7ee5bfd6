import fc from 'fast-check';
import type { LicenseView, MemberView } from '../../lambdas/contract/resources';
import { deviceRefOf } from '../support/devices';
import type { CallResult } from '../support/harness';
import { chances } from '../support/intercept';
import { ownTable } from '../support/own-table';
import { newPortalToken, startPortalHarness } from '../support/portal';
import { MINUTE } from './license';
import { hold, type Runs } from './runs';
import { noLock, Turns, type Task } from './turns';

/**
 * Compares a license of named people with a model in memory (docs/spec/sign-in.md, Licenses of named people). Several requests run at the
 * same time, interleaved at every call to the table. There must be an order in which the model gives the same responses and ends with the
 * same members and devices.
 */

/** The first person is the buyer. Every device has one activation request in each burst. */
const PEOPLE = ['ada', 'bob', 'cay'] as const;
const DEVICES = ['device-0', 'device-1', 'device-2', 'device-3'] as const;
const DEVICES_PER_USER = 2;
type Person = (typeof PEOPLE)[number];
type Device = (typeof DEVICES)[number];

export type Act =
  | { readonly act: 'add'; readonly person: Person; readonly role: 'member' | 'manager' | undefined }
  | { readonly act: 'remove'; readonly person: Person }
  /** `old`: the person enters the code of a request that has expired. */
  | { readonly act: 'approve'; readonly person: Person; readonly device: Device; readonly replace?: Device; readonly old: boolean }
  | { readonly act: 'deny'; readonly person: Person; readonly device: Device }
  | { readonly act: 'activate' | 'free'; readonly device: Device }
  | { readonly act: 'reset' }
  | { readonly act: 'seats'; readonly max: number };

// ── Specification ───────────────────────────────────────────────────────────────────────────────

interface State {
  readonly max: number;
  readonly members: Readonly<Partial<Record<Person, 'member' | 'manager'>>>;
  /** The member who uses each device. */
  readonly devices: Readonly<Partial<Record<Device, Person>>>;
  /** The decision about each device's request: the person, and whether the person has approved it. */
  readonly decided: Readonly<Partial<Record<Device, readonly [Person, boolean]>>>;
}

interface Step {
  readonly state: State;
  readonly status: number;
  readonly code?: string;
  readonly body?: object;
}

const without = <Key extends string, Value>(of: Readonly<Partial<Record<Key, Value>>>, removed: (key: Key, value: Value) => boolean) =>
  Object.fromEntries(Object.entries(of).filter(([key, value]) => !removed(key as Key, value as Value))) as Partial<Record<Key, Value>>;

function approve(state: State, { person, device, replace, old }: Extract<Act, { act: 'approve' }>): Step {
  const { max, members, devices, decided } = state;
  const refused = (status: number, code: string): Step => ({ state, status, code });
  const decision = decided[device];
  if (old) return refused(404, 'not_found');
  if (decision) return decision[0] === person && decision[1] ? { state, status: 200 } : refused(404, 'not_found');
  const isMember = members[person] !== undefined;
  if (!isMember && person !== 'ada') return refused(404, 'not_found');
  if (!isMember && max !== 0 && Object.keys(members).length >= max) return refused(429, 'no_seats');
  const own = DEVICES.filter((one) => devices[one] === person);
  const needsPlace = !own.includes(device) && own.length >= DEVICES_PER_USER;
  const replaced = replace !== undefined && own.includes(replace) ? replace : undefined;
  if (needsPlace && replaced === undefined) return refused(429, 'too_many_user_devices');
  const kept = needsPlace ? without(devices, (one) => one === replaced) : devices;
  return {
    state: {
      max,
      members: isMember ? members : { ...members, [person]: 'member' },
      devices: { ...kept, [device]: person },
      decided: { ...decided, [device]: [person, true] },
    },
    status: 200,
  };
}

function perform(state: State, act: Act): Step {
  const { max, members, devices, decided } = state;
  switch (act.act) {
    case 'add': {
      const known = members[act.person];
      const role = act.role ?? known ?? 'member';
      if (known === undefined && max !== 0 && Object.keys(members).length >= max) return { state, status: 429, code: 'no_seats' };
      return {
        state: { ...state, members: { ...members, [act.person]: role } },
        status: known === undefined ? 201 : 200,
        body: { role },
      };
    }
    case 'remove': {
      const own = DEVICES.filter((device) => devices[device] === act.person);
      return {
        state: {
          ...state,
          members: without(members, (person) => person === act.person),
          devices: without(devices, (_, person) => person === act.person),
        },
        status: 200,
        body: { removed: members[act.person] !== undefined, freed: own.length },
      };
    }
    case 'approve':
      return approve(state, act);
    case 'deny': {
      const decision = decided[act.device];
      if (decision) return decision[0] === act.person && !decision[1] ? { state, status: 200 } : { state, status: 404 };
      return { state: { ...state, decided: { ...decided, [act.device]: [act.person, false] } }, status: 200 };
    }
    case 'activate':
      return devices[act.device] === undefined ? { state, status: 403, code: 'sign_in_required' } : { state, status: 200 };
    case 'free':
      return {
        state: { ...state, devices: without(devices, (device) => device === act.device) },
        status: 200,
        body: { freed: devices[act.device] !== undefined },
      };
    case 'reset':
      return { state: { ...state, devices: {} }, status: 200, body: { freed: Object.keys(devices).length } };
    case 'seats':
      return { state: { ...state, max: act.max }, status: 200 };
  }
}

// ── Plan ────────────────────────────────────────────────────────────────────────────────────────

const person = fc.constantFrom(...PEOPLE);
const device = fc.constantFrom(...DEVICES);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('add' as const), person, role: fc.constantFrom(undefined, 'member', 'manager') }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('remove' as const), person }) },
  {
    weight: 9,
    arbitrary: fc.record(
      { act: fc.constant('approve' as const), person, device, replace: device, old: fc.constantFrom(false, false, false, false, true) },
      { requiredKeys: ['act', 'person', 'device', 'old'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('deny' as const), person, device }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('activate' as const, 'free' as const), device }) },
  { weight: 1, arbitrary: fc.constant({ act: 'reset' as const }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('seats' as const), max: fc.nat(3) }) },
);
interface Plan {
  readonly seed: number;
  readonly bursts: readonly (readonly Act[])[];
}
const plan: fc.Arbitrary<Plan> = fc.record({
  seed: fc.noShrink(fc.nat()),
  // The same request is often sent twice simultaneously, because this finds most faults.
  bursts: fc.array(
    fc
      .array(fc.tuple(act, fc.constantFrom(1, 1, 2)), { minLength: 1, maxLength: 4, size: 'max' })
      .map((acts) => acts.flatMap(([one, times]) => Array<Act>(times).fill(one)).slice(0, 6)),
    { minLength: 1, maxLength: 5, size: 'max' },
  ),
});
const show = ({ bursts, seed }: Plan): string[] => [
  String(seed),
  ...bursts.map((acts) => acts.map((one) => JSON.stringify(one)).join(' ')),
];

// ── Service ─────────────────────────────────────────────────────────────────────────────────────

interface Operation {
  readonly act: Act;
  readonly task: Task;
  readonly response: CallResult;
}

const isResponse = ({ status, code, body = {} }: Step, { response }: Operation): boolean =>
  response.status === status &&
  (code === undefined || response.headers['X-Svc-Error-Code'] === code) &&
  Object.entries(body).every(([field, value]) => response.body[field] === value);

/** The states to which an order of the operations leads in which the model gives the same responses. */
function* explain(state: State, operations: readonly Operation[]): Generator<State> {
  if (operations.length === 0) yield state;
  for (const one of operations) {
    const others = operations.filter((other) => other !== one);
    if (others.some(({ task }) => task.end < one.task.begin)) continue;
    const step = perform(state, one.act);
    if (isResponse(step, one)) yield* explain(step.state, others);
  }
}

const addressOf = (of: Person): string => `${of}@example.com`;

async function play({ seed, bursts }: Plan): Promise<void> {
  const turns = new Turns(chances(seed), 0);
  const service = startPortalHarness(await ownTable(), undefined, { withLock: noLock, sleep: () => turns.take(() => Promise.resolve()) });
  try {
    const product = await service.newProduct();
    const type = await service.ok<{ id: number }>('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Team', kind: 'lifetime', binding: 'user', max_seats: 2, devices_per_user: DEVICES_PER_USER },
    });
    const { id, key } = await product.license({ license_type_id: type.id, customer_email: addressOf('ada') });
    await service.openPortal(product, { allow: ['free_devices', 'sign_in'], frees_per_30_days: 0 });
    const sessions: Partial<Record<Person, string>> = {};
    for (const one of PEOPLE) {
      // The portal knows the address by this license.
      await product.license({ customer_email: addressOf(one) });
      const { body } = await service.signIn(product, { token: await newPortalToken(service.ok, product.id, addressOf(one)) });
      sessions[one] = String(body['session']);
    }
    const ids: Partial<Record<Person, string>> = {};
    for (const one of PEOPLE) {
      const { id: member } = await service.ok<MemberView>('putMember', { params: { id }, body: { email: addressOf(one) } });
      await service.ok('removeMember', { params: { id, member_id: member } });
      ids[one] = member;
    }
    service.client.middlewareStack.add((next) => (args) => turns.take(() => next(args)), { step: 'initialize', name: 'turns' });

    let codes: Partial<Record<Device, string>> = {};
    const app = (name: string, body: object) => service.call(name, { params: { id: product.id }, apiKey: product.api_key, body });
    const send = (one: Act, old: typeof codes): Promise<CallResult> => {
      const decide = (by: Person, body: object) => service.as(product, sessions[by] ?? '', 'decideActivationRequest', { body });
      switch (one.act) {
        case 'add':
          return service.call('putMember', { params: { id }, body: { email: addressOf(one.person), ...(one.role && { role: one.role }) } });
        case 'remove':
          return service.call('removeMember', { params: { id, member_id: ids[one.person] ?? '' } });
        case 'approve':
          return decide(one.person, {
            user_code: one.old ? (old[one.device] ?? 'none') : codes[one.device],
            decision: 'approve',
            license_id: id,
            ...(one.replace !== undefined && { replace: deviceRefOf({ id }, one.replace) }),
          });
        case 'deny':
          return decide(one.person, { user_code: codes[one.device], decision: 'deny' });
        case 'activate':
          return app('activate', { key, fingerprint: one.device });
        case 'free':
          return service.call('deleteActivation', { params: { id, fingerprint: one.device } });
        case 'reset':
          return service.call('resetLicense', { params: { id }, body: {} });
        case 'seats':
          return service.call('updateLicense', { params: { id }, body: { max_seats: one.max } });
      }
    };

    /** The members and the devices of the license as the operator sees them. */
    const shown = async (): Promise<object> => {
      const { activations, members } = await service.ok<LicenseView>('getLicense', { params: { id } });
      const listed = await service.ok<MemberView[]>('listMembers', { params: { id } });
      expect(listed).toHaveLength(members ?? 0);
      return {
        devices: Object.fromEntries(activations.map(({ fingerprint, member }) => [fingerprint, member]).sort()),
        members: listed.map(({ email, role, devices }) => [email, role, devices]).sort(),
      };
    };
    const expected = ({ members, devices }: State): object => ({
      devices: Object.fromEntries(DEVICES.flatMap((one) => (devices[one] === undefined ? [] : [[one, addressOf(devices[one])]]))),
      members: PEOPLE.flatMap((one) =>
        members[one] === undefined ? [] : [[addressOf(one), members[one], DEVICES.filter((of) => devices[of] === one).length]],
      ),
    });

    let state: State = { max: 2, members: {}, devices: {}, decided: {} };
    for (const burst of bursts) {
      const old = codes;
      codes = {};
      service.advance(10 * MINUTE);
      state = { ...state, decided: {} };
      for (const fingerprint of DEVICES)
        codes[fingerprint] = String((await app('createActivationRequest', { fingerprint })).body['user_code']);
      const operations: Operation[] = [];
      await turns.run(
        burst.map(
          (one) =>
            async (task: Task): Promise<void> =>
              void operations.push({ act: one, task, response: await send(one, old) }),
        ),
      );
      const after = JSON.stringify(await shown());
      const found = [...explain(state, operations)].find((end) => JSON.stringify(expected(end)) === after);
      if (!found)
        throw new Error(
          [
            'No order of the requests explains the responses and the license:',
            ...operations.map(
              ({ act: one, task, response }) => `${task.begin}–${task.end} ${JSON.stringify(one)} → ${response.status} ${response.text}`,
            ),
            `Before: ${JSON.stringify(state)}`,
            `After: ${after}`,
          ].join('\n'),
        );
      state = found;
    }
  } finally {
    service.close();
  }
}

export const playMembers = (runs: Runs): Promise<void> => hold('model/members', runs, plan, show, play);
