import type { CallRequest } from '../support/harness';
import { deviceRefOf } from '../support/devices';
import type { EventRow } from '../support/table';
import { edit, reissue, renew, renewUpdates, reset, reinstate, revoke, suspend, type Edit } from './changes';
import { activate, deactivate, mint, underDeadKey, validate, type Instant } from './checks';
import type { ActOnLicense, Patch } from './interleaving-plan';
import { adminView, isRefusal, rfc3339, type License, type LicenseType, type Step } from './license';
import type { Operation, State } from './linearizable';

/** A request about a license, and its result according to the specification. */
export interface LicenseRequest extends Pick<Operation, 'rule' | 'shows'> {
  readonly endpoint: string;
  readonly request: CallRequest;
}

/** The common settings of a burst of requests. */
export interface Setting {
  readonly at: Instant;
  /** The number of the burst, which makes its idempotency keys unique. */
  readonly burst: number;
  readonly productId: number;
  readonly apiKey: string;
  readonly types: Readonly<Record<'first' | 'second', LicenseType>>;
}

export const fingerprintOf = (device: number): string => `device-${device}`;

/** A repeated request with the same idempotency key and body within 24 h returns the first result without a second effect or event. */
const idempotent =
  (key: string, rule: Operation['rule']): Operation['rule'] =>
  (state, next) => {
    const first = state.stored.get(key);
    if (first) return { license: state.license, response: first, events: [] };
    const step = rule(state, next);
    return isRefusal(step.response) ? step : { ...step, stored: new Map([...state.stored, [key, step.response]]) };
  };

const simply =
  (rule: (license: License) => Step<object>): Operation['rule'] =>
  ({ license }) =>
    rule(license);

/** The new key of a reissue, as its event reports it. */
const drawnKey = (event: EventRow | undefined): string => (event?.payload.data.license as { readonly key?: string } | undefined)?.key ?? '';

const bodyOf = ({ type, expires_in, updates_in, ...fields }: Patch, { at, types }: Setting): Edit => ({
  ...fields,
  ...(type && { license_type_id: types[type].id }),
  ...(updates_in !== undefined && { updates_until: updates_in === null ? null : rfc3339(at.now + updates_in) }),
  ...(expires_in !== undefined && { expires_at: expires_in === null ? null : rfc3339(at.now + expires_in) }),
});

/**
 * A change whose response is the admin view of the license. With an `Idempotency-Key`, the view shows the license as the change wrote it.
 * Without one, the view is read after the change.
 */
const change = (
  endpoint: string,
  params: CallRequest['params'],
  body: object | undefined,
  key: string | undefined,
  rule: Operation['rule'],
): LicenseRequest => ({
  endpoint,
  request: { params: params ?? {}, ...(body && { body }), ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) },
  rule: key === undefined ? rule : idempotent(`${endpoint} ${key}`, rule),
  shows: key === undefined ? 'later seats' : 'earlier leases',
});

export function requestOf(one: ActOnLicense, { license }: State, setting: Setting): LicenseRequest {
  const { at, burst } = setting;
  const params = { id: license.id };
  const keyed = (once: boolean, what: string): string | undefined => (once ? `${what}-${burst}` : undefined);
  switch (one.act) {
    case 'activate':
    case 'validate':
    case 'deactivate': {
      const named = { fingerprint: fingerprintOf(one.device), ...(one.act === 'activate' && one.name !== undefined && { name: one.name }) };
      const { replace, major } = one.act === 'activate' ? one : {};
      const claim = {
        ...named,
        ...(replace !== undefined && { replace: fingerprintOf(replace) }),
        ...(major !== undefined && { release: { major, appVersion: `${major}.1.0` } }),
      };
      const key = (one.old ? license.deadKeys.at(-1) : undefined) ?? license.key;
      const rules = { activate, validate, deactivate };
      const typed = { ...named, key };
      const refs = {
        ...(replace !== undefined && { replace: deviceRefOf(license, fingerprintOf(replace)) }),
        ...(major !== undefined && { release: { version: `${major}.1.0` } }),
      };
      return {
        endpoint: one.act,
        request: {
          params: { id: setting.productId },
          apiKey: setting.apiKey,
          ...(one.act === 'validate' ? { query: typed } : { body: { ...typed, ...refs } }),
        },
        rule: simply((found) => (found.key === key ? rules[one.act](found, claim, at) : underDeadKey[one.act](found))),
      };
    }
    case 'freeByRef': {
      const fingerprint = fingerprintOf(one.device);
      const key = (one.old ? license.deadKeys.at(-1) : undefined) ?? license.key;
      return {
        endpoint: 'deactivate',
        request: {
          params: { id: setting.productId },
          apiKey: setting.apiKey,
          body: { key, device: deviceRefOf(license, fingerprint) },
        },
        rule: simply((found) => (found.key === key ? deactivate(found, { fingerprint }) : underDeadKey.deactivate(found))),
      };
    }
    case 'free': {
      const fingerprint = fingerprintOf(one.device);
      return {
        endpoint: 'deleteActivation',
        request: { params: { ...params, fingerprint } },
        rule: simply((found) => deactivate(found, { fingerprint })),
      };
    }
    case 'mint':
      return { endpoint: 'mintOfflineToken', request: { params }, rule: simply((found) => mint(found, {}, at)) };
    case 'mintFor': {
      const claim = { fingerprint: fingerprintOf(one.device) };
      return { endpoint: 'mintOfflineToken', request: { params, body: claim }, rule: simply((found) => mint(found, { claim }, at)) };
    }
    case 'get':
      return {
        endpoint: 'getLicense',
        request: { params },
        rule: simply((found) => ({ license: found, response: adminView(found), events: [] })),
      };
    case 'reset':
      return {
        endpoint: 'resetLicense',
        request: { params, body: { new_devices: one.newDevices } },
        rule: simply((found) => reset(found, one)),
      };
    case 'revoke':
      return change(
        'revokeLicense',
        params,
        undefined,
        undefined,
        simply((found) => revoke(found, at)),
      );
    case 'suspend':
      return change(
        'suspendLicense',
        params,
        { reason: 'chargeback' },
        undefined,
        simply((found) => suspend(found, { reason: 'chargeback' }, at)),
      );
    case 'reinstate':
      return change('reinstateLicense', params, undefined, undefined, simply(reinstate));
    case 'renew': {
      const body = one.days === undefined ? {} : { days: one.days };
      return change(
        'renewLicense',
        params,
        body,
        keyed(one.once, `renewal-${one.days}`),
        simply((found) => renew(found, body, at)),
      );
    }
    case 'renewUpdates': {
      const body = one.days === undefined ? {} : { days: one.days };
      return change(
        'renewUpdates',
        params,
        body,
        keyed(one.once, `updates-${one.days}`),
        simply((found) => renewUpdates(found, body, at)),
      );
    }
    case 'patch': {
      const body = bodyOf(one.patch, setting);
      const type = one.patch.type && setting.types[one.patch.type];
      return change(
        'updateLicense',
        params,
        body,
        keyed(one.once, JSON.stringify(one.patch).replace(/\s/g, '')),
        simply((found) => edit(found, body, type, setting.at.now)),
      );
    }
    case 'reissue':
      return change('reissueLicense', params, undefined, keyed(one.once, 'reissue'), (state, next) =>
        reissue(state.license, drawnKey(next)),
      );
  }
}
