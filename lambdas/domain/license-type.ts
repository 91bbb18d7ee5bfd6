import { fail, type Failure } from '../contract/errors';
import { isTimed, type LicenseKind } from '../contract/resources';
import type { LicenseTerms } from './license';

/** License types: what is sold (docs/spec/licenses.md, License types). */

/** A license type as it is recorded. */
export interface LicenseType extends LicenseTerms {
  readonly product_id: number;
  readonly created_at: number;
  /** Client apps may issue themselves a license of it: a trial without a key. */
  readonly self_service: boolean;
  /** No new licenses of it. */
  readonly archived: boolean;
}

/**
 * The terms that a license of this type is sold with; their fields in one order, so that those read from the table compare equal to others.
 */
export const termsOf = ({
  id,
  name,
  kind,
  max_seats,
  duration_days,
  features,
  lease_minutes,
  new_devices_per_week,
  updates_days,
  max_major,
  starts,
  downloads_when_expired,
}: LicenseTerms): LicenseTerms => ({
  id,
  name,
  kind,
  max_seats,
  duration_days,
  features,
  lease_minutes,
  new_devices_per_week,
  updates_days,
  max_major,
  starts,
  downloads_when_expired,
});

type Terms = Partial<
  Pick<
    LicenseType,
    | 'name'
    | 'max_seats'
    | 'duration_days'
    | 'features'
    | 'lease_minutes'
    | 'new_devices_per_week'
    | 'updates_days'
    | 'max_major'
    | 'starts'
    | 'downloads_when_expired'
    | 'self_service'
    | 'archived'
  >
>;

/** What an edit names; undefined stays as it is. */
export type LicenseTypeEdit = { readonly [Field in keyof Terms]?: Terms[Field] | undefined };

/** The fields that only some kinds have. */
const applies: { readonly [Field in keyof Terms]?: (kind: LicenseKind) => boolean } = {
  duration_days: isTimed,
  lease_minutes: (kind) => kind === 'floating',
  self_service: (kind) => kind === 'trial',
  starts: isTimed,
};

/** The type after an edit; a failure (422) when a field does not apply to its kind. */
export function editLicenseType(type: LicenseType, edit: LicenseTypeEdit): Failure | LicenseType {
  const named = Object.entries(edit).filter(([, value]) => value !== undefined);
  const odd = named.find(
    ([field, value]) => value !== null && value !== false && value !== 'creation' && applies[field as keyof Terms]?.(type.kind) === false,
  );
  if (odd) return fail('invalid_request', `${odd[0]} does not apply to the kind ${type.kind}`);
  return { ...type, ...Object.fromEntries(named) };
}
