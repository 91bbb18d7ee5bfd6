/** What the cases of the behaviour vectors consist of: stored data, responses and steps. */
import type { GivenCase, GivenStep, Json, ScriptedResponse, Settings } from './behaviour';
import { AUDIENCE, claims, DAY, FINGERPRINT, header, NOW, ours, sha256, signed, without } from './signing';

export const settings: Settings = {
  base_url: 'https://licenses.example.com',
  product_id: 7,
  api_key: 'pk_test',
  public_key: ours.pem,
  audience: AUDIENCE,
  grace_days: 0,
  allow_unbound_tokens: false,
};

export const MINUTE = 60;
export const KEY = '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z';
export const OTHER_KEY = '7B2QX-0JN8K-VM4RD-H6C1T-E9W3Y';
export const RANDOM_ID = sha256('a random id').toString('hex');
export const OTHER_DEVICE = sha256('another device').toString('hex');

type Claims = Partial<Omit<typeof claims, 'license_expires_at'>> & {
  readonly license_expires_at?: string | null;
  readonly features?: readonly string[];
  readonly limits?: Json;
  readonly verdicts?: boolean;
  readonly lease_expires_at?: string;
  readonly updates_until?: string;
  readonly max_major?: number;
};

/** A token that is valid for a week after its issue. By default it was issued a day ago. */
export function token({ iat = NOW - DAY, ...changes }: Claims = {}): string {
  return signed(header, { ...claims, features: ['export', 'sync'], iat, exp: iat + 7 * DAY, ...changes });
}
export const cached = token();
export const unbound = signed(header, { ...without(claims, 'fingerprint'), features: ['export'], exp: NOW + 30 * DAY });

/** The record that an activation stored yesterday. */
export const record = {
  v: 1,
  key: KEY,
  token: cached,
  seen: (NOW - DAY) * 1000,
  device: 'machine',
  type_name: 'Pro',
  seats: { used: 1, max: 3 },
};
export const withRecord = (changes: { readonly [name: string]: Json } = {}): GivenCase['stored'] => ({ record: { ...record, ...changes } });
export const afterVerdicts = withRecord({ verdicts: true });

export const license = {
  id: 42,
  key: KEY,
  status: 'active',
  expires_at: claims.license_expires_at,
  license_type: { name: 'Pro', kind: 'subscription' },
};
export const deviceView = {
  fingerprint: FINGERPRINT,
  platform: 'linux',
  name: 'laptop',
  activated_at: '2027-01-14T08:00:00.000Z',
  lease_expires_at: null,
};
export const json = (status: number, body: Json, headers: { readonly [name: string]: string } = {}): Exclude<ScriptedResponse, string> => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});
export const fault = (status: number, code: string, headers: { readonly [name: string]: string } = {}): Exclude<ScriptedResponse, string> =>
  json(status, { detail: 'Something to read.' }, { 'X-Svc-Error-Code': code, ...headers });

/** The response to an activation or a validation that grants the license. */
export const granted = (fresh: string, changes: { readonly [name: string]: Json } = {}): Exclude<ScriptedResponse, string> =>
  json(200, {
    valid: true,
    status: 'active',
    license,
    device: deviceView,
    seats: { used: 2, max: 3 },
    features: ['export', 'sync'],
    offline_token: fresh,
    ...changes,
  });
/** The same response with another license key. A server that pretends to be the service may send it. */
export const grantedKey = (key: string): Exclude<ScriptedResponse, string> =>
  granted(token({ iat: NOW }), { license: { ...license, key } });
export const refused = (status: string, headers: { readonly [name: string]: string } = {}): Exclude<ScriptedResponse, string> =>
  json(200, { valid: false, status }, headers);
export const proved = (verdict: string): { readonly [name: string]: string } => ({ 'X-Svc-Verdict': verdict });
export const unboundBody = { valid: true, status: 'active', license, seats: { used: 0, max: 3 } };
export const offline: readonly ScriptedResponse[] = ['unreachable', 'unreachable'];

export const onDevice = (step: Omit<GivenStep, 'now'> & { readonly now?: number }): GivenStep => ({
  now: NOW,
  fingerprint: FINGERPRINT,
  ...step,
});
/** A case with a single call on this device. */
export const one = (
  name: string,
  stored: GivenCase['stored'],
  step: Omit<GivenStep, 'now'> & { readonly now?: number },
  changed?: Partial<Settings>,
): GivenCase => ({
  name,
  ...(stored && { stored }),
  ...(changed && { settings: changed }),
  steps: [onDevice(step)],
});
export const validated = (
  name: string,
  response: ScriptedResponse | readonly ScriptedResponse[],
  stored: GivenCase['stored'] = withRecord(),
): GivenCase =>
  one(`validate: ${name}`, stored, {
    call: 'validate',
    responses: Array.isArray(response) ? (response as readonly ScriptedResponse[]) : [response as ScriptedResponse],
  });
export const activated = (
  name: string,
  responses: readonly ScriptedResponse[],
  stored?: GivenCase['stored'],
  key: string = KEY,
): GivenCase => one(`activate: ${name}`, stored, { call: 'activate', arguments: { key }, responses });
