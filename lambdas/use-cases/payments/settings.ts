import { fail, type Failure } from '../../contract/errors';
import { adapters } from '../../domain/payments';
import type { Connection, Plan } from '../../domain/payments/connection';
import { HOUR_MS } from '../../domain/time';
import type { App } from '../../runtime/app';
import { getLicenseTypes } from '../../store/license-types';
import { secretPlace } from './secrets';

/** The settings of a connection that an operator sends. Undefined fields stay unchanged. */
export interface ConnectionSettings {
  readonly mode?: Connection['mode'] | undefined;
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly signing_secret?: string | null | undefined;
  readonly overlap_hours?: number | undefined;
  readonly api_key?: string | null | undefined;
  readonly plans?: readonly Plan[] | undefined;
  readonly default_license_type_id?: number | null | undefined;
  readonly grace_days?: number | undefined;
  readonly on_payment_failed?: Connection['on_payment_failed'] | undefined;
  readonly on_dispute?: Connection['on_dispute'] | undefined;
  readonly on_partial_refund?: Connection['on_partial_refund'] | undefined;
}

const OVERLAP_HOURS = 24;

/**
 * A connection with new settings. If the adapter of the processor refuses a secret, the result is a refusal (422). If a license
 * type does not belong to the product, the result is a refusal (404).
 */
export async function withSettings(
  app: App,
  connection: Connection,
  settings: ConnectionSettings,
  now: number,
): Promise<Failure | Connection> {
  const { signing_secret, api_key, overlap_hours = OVERLAP_HOURS, ...plain } = settings;
  const refusal = signing_secret == null ? undefined : adapters[connection.processor].refusesSecret(signing_secret);
  if (refusal !== undefined) return fail('invalid_request', `signing_secret ${refusal}`);
  if (api_key != null && !adapters[connection.processor].hasApi)
    return fail('invalid_request', `api_key must be null, because a connection of ${connection.processor} has no API to read`);
  const named = [
    ...(settings.plans ?? []).map(({ license_type_id }) => license_type_id),
    ...(settings.default_license_type_id == null ? [] : [settings.default_license_type_id]),
  ];
  const types = await getLicenseTypes(app.table, connection.product_id, [...new Set(named)]);
  if (types.length < new Set(named).size) return fail('not_found', 'There is no such license type of this product');

  const seal = await app.secrets.sealer('payment_secret');
  const kept = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)) as Partial<Connection>;
  // Secrets that were replaced earlier end at the same time at the latest. So a change without an overlap leaves only the new secret.
  const overlapEnd = now + overlap_hours * HOUR_MS;
  const previous = connection.signing_secrets
    .map(({ sealed, until }) => ({ sealed, until: Math.min(until ?? overlapEnd, overlapEnd) }))
    .filter(({ until }) => until > now);
  return {
    ...connection,
    ...kept,
    ...(signing_secret === null && { signing_secrets: [] }),
    ...(signing_secret != null && {
      signing_secrets: [
        { sealed: seal('payment_secret', signing_secret, secretPlace(connection.id, 'signing_secret')), until: null },
        ...previous,
      ],
    }),
    ...(api_key !== undefined && {
      api_key: api_key === null ? null : seal('payment_secret', api_key, secretPlace(connection.id, 'api_key')),
    }),
    updated_at: Math.max(now, connection.updated_at + 1),
  };
}
