import * as z from 'zod/mini';
import { fail, type Failure } from '../contract/errors';
import { isTimed, type Binding, type LicenseKind } from '../contract/license-kinds';
import { termsSchema, type LicenseTerms } from './license';
import { flag, number, type Stored } from './stored';

/** License types: the terms under which licenses are sold (docs/spec/licenses.md, License types). */

/** A license type as it is stored. */
export const licenseTypeSchema = z.extend(termsSchema, {
  product_id: number,
  created_at: number,
  /** Whether client apps may start a trial of this type without a key. */
  self_service: flag,
  /** True if no new licenses of this type are issued. */
  archived: flag,
});
export interface LicenseType extends Stored<typeof licenseTypeSchema> {}

/** The terms with which a license of this type is sold. */
export const termsOf = ({
  product_id: _product,
  created_at: _created,
  self_service: _trial,
  archived: _archived,
  ...terms
}: LicenseType): LicenseTerms => terms;

type Terms = Partial<Omit<LicenseType, 'id' | 'product_id' | 'kind' | 'binding' | 'created_at'>>;

/** The changes of an edit; an undefined field stays unchanged. */
export type LicenseTypeEdit = { readonly [Field in keyof Terms]?: Terms[Field] | undefined };

/** Functions that decide whether a field applies to a kind of license. A field without a function applies to all kinds. */
const appliesToKind: { readonly [Field in keyof Terms]?: (kind: LicenseKind) => boolean } = {
  duration_days: isTimed,
  lease_minutes: (kind) => kind === 'floating',
  self_service: (kind) => kind === 'trial',
  starts: isTimed,
};

/** Functions that decide whether a field applies to a binding. A field without a function applies to both. */
const appliesToBinding: { readonly [Field in keyof Terms]?: (binding: Binding) => boolean } = {
  devices_per_user: (binding) => binding === 'user',
  lease_minutes: (binding) => binding === 'device',
  self_service: (binding) => binding === 'device',
};

/** The license type after an edit. The result is a failure (422) if a field of the edit does not apply to the type's kind or binding. */
export function editLicenseType(type: LicenseType, edit: LicenseTypeEdit): Failure | LicenseType {
  const named = Object.entries(edit).filter(([, value]) => value !== undefined);
  for (const [field, value] of named) {
    const name = field as keyof Terms;
    if (value === null || value === false || value === 'creation') continue;
    if (appliesToKind[name]?.(type.kind) === false) return fail('invalid_request', `${name} does not apply to the kind ${type.kind}`);
    if (appliesToBinding[name]?.(type.binding) === false)
      return fail('invalid_request', `${name} does not apply to the binding ${type.binding}`);
  }
  return { ...type, ...Object.fromEntries(named) };
}
