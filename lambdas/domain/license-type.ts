import { fail, type Failure } from '../contract/errors';
import { isTimed, type LicenseKind } from '../contract/license-kinds';
import type { LicenseTerms } from './license';

/** License types: the terms under which licenses are sold (docs/spec/licenses.md, License types). */

/** A license type as it is stored. */
export interface LicenseType extends LicenseTerms {
  readonly product_id: number;
  readonly created_at: number;
  /** Whether client apps may start a trial of this type without a key. */
  readonly self_service: boolean;
  /** True if no new licenses of this type are issued. */
  readonly archived: boolean;
}

/**
 * The terms with which a license of this type is sold. The fields have a fixed order, so that equal terms have equal JSON when they are
 * compared.
 */
export const termsOf = ({
  id,
  name,
  kind,
  max_seats,
  duration_days,
  features,
  limits,
  meters,
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
  limits,
  meters,
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
    | 'limits'
    | 'meters'
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

/** The changes of an edit; an undefined field stays unchanged. */
export type LicenseTypeEdit = { readonly [Field in keyof Terms]?: Terms[Field] | undefined };

/** Functions that decide whether a field applies to a kind of license. A field without a function applies to all kinds. */
const applies: { readonly [Field in keyof Terms]?: (kind: LicenseKind) => boolean } = {
  duration_days: isTimed,
  lease_minutes: (kind) => kind === 'floating',
  self_service: (kind) => kind === 'trial',
  starts: isTimed,
};

/** The license type after an edit. The result is a failure (422) if a field of the edit does not apply to the type's kind. */
export function editLicenseType(type: LicenseType, edit: LicenseTypeEdit): Failure | LicenseType {
  const named = Object.entries(edit).filter(([, value]) => value !== undefined);
  const odd = named.find(
    ([field, value]) => value !== null && value !== false && value !== 'creation' && applies[field as keyof Terms]?.(type.kind) === false,
  );
  if (odd) return fail('invalid_request', `${odd[0]} does not apply to the kind ${type.kind}`);
  return { ...type, ...Object.fromEntries(named) };
}
