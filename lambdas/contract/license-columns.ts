import type { Column } from './endpoint';
import type { LicenseView, MeterView } from './resources';
// This module has no schema, so that the admin page, which imports the columns, does not contain the contract.
import { limitsText } from './resources/limits-text';

/** The CSV columns of licenses, for exports and imports. (docs/spec/operator.md, Export and import) */

/** The columns that an import reads. */
export const importedColumns = [
  'key',
  'license_type',
  'customer_email',
  'metadata',
  'expires_at',
  'updates_until',
  'max_major',
  'max_seats',
  'features',
  'limits',
  'created_at',
  'status',
  'order',
  'language',
  'devices',
  'member_list',
] as const;
export type ImportedColumn = (typeof importedColumns)[number];

/** The value of the column `expires_at` for a license that never expires, although its type has a duration. */
export const NEVER = 'never';

/** The value of the column `max_major` for a license without a limit of major versions, although its type has such a limit. */
export const NO_LIMIT = '(none)';

/** The value of the column `features` or `limits` for a license without features or limits, although its type has some. */
export const NONE = '(none)';

/** A license in a list with `include=members`. */
export type LicenseWithMembers = LicenseView & {
  /** The addresses of the members, separated by spaces; that of a manager ends in {@link MANAGER}. */
  readonly member_list?: string;
};

/** The last character of a manager's address in the column `member_list`. No e-mail address ends in it. */
export const MANAGER = '*';

const imported: Readonly<Record<ImportedColumn, Omit<Column<LicenseWithMembers>, 'name'>>> = {
  key: { description: 'The license key.', value: ({ key }) => key },
  license_type: { description: "The name of the license's type.", value: ({ license_type: { name } }) => name },
  customer_email: { description: "The buyer's e-mail address.", value: ({ customer_email }) => customer_email },
  metadata: { description: 'The metadata as a JSON object.', value: ({ metadata }) => JSON.stringify(metadata) },
  expires_at: {
    description: `When the license expires. \`${NEVER}\`: the license never expires, although its type has a duration. Empty: the license never expires and its type has no duration, or the term of the license starts with the first activation and has not started yet.`,
    value: ({ expires_at, term, license_type: { duration_days } }) => expires_at ?? (duration_days === null || term ? null : NEVER),
  },
  updates_until: {
    description: `The end of updates. \`${NEVER}\`: there is no limit by date, although the type has \`updates_days\`. Empty: there is no limit by date and the type has no \`updates_days\`, or the term of the license starts with the first activation and has not started yet.`,
    value: ({ updates, term, license_type: { updates_days } }) => updates.until ?? (updates_days === null || term ? null : NEVER),
  },
  max_major: {
    description: `The newest major version that the license covers. \`${NO_LIMIT}\`: the license has no limit by version, although its type has such a limit. Empty: neither the license nor its type has such a limit.`,
    value: ({ updates: { max_major }, license_type }) => max_major ?? (license_type.max_major === null ? null : NO_LIMIT),
  },
  max_seats: {
    description: 'Maximum number of seats that can be taken at the same time; 0 means unlimited.',
    value: ({ seats }) => seats.max,
  },
  features: {
    description: `The features that the buyer may use, separated by spaces. \`${NONE}\`: the license has no features, although its type has features.`,
    value: ({ features, license_type }) => (features.length === 0 && license_type.features.length > 0 ? NONE : features.join(' ')),
  },
  limits: {
    description: `The limits as \`name=number\`, separated by spaces. \`${NONE}\`: the license has no limits, although its type has limits.`,
    value: ({ limits, license_type }) => limitsText(limits) || (Object.keys(license_type.limits).length > 0 ? NONE : ''),
  },
  created_at: { description: 'When the license was issued.', value: ({ created_at }) => created_at },
  status: { description: 'The stored status of the license.', value: ({ status }) => status },
  order: {
    description: "The id of the payment processor's order for which the license was issued.",
    value: ({ order }) => order?.order_id ?? null,
  },
  language: {
    description: 'The language of mails about the license; empty: the language of the product.',
    value: ({ language }) => language,
  },
  devices: {
    description:
      'The devices that have a seat, as a JSON array of objects with `fingerprint`, `name`, `platform` and `activated_at`; empty: no devices.',
    value: ({ activations }) =>
      activations.length === 0
        ? null
        : JSON.stringify(
            activations.map(({ fingerprint, name, platform, activated_at }) => ({ fingerprint, name, platform, activated_at })),
          ),
  },
  member_list: {
    description: `Only with \`include=members\`: the e-mail addresses of the members, separated by spaces. The address of a manager ends in \`${MANAGER}\`.`,
    value: ({ member_list = null }) => member_list,
    include: 'members',
    inNdjson: true,
  },
};

/** The columns of an export. The columns that an import reads come first, so that an export can be imported. */
export const licenseColumns: readonly Column<LicenseWithMembers>[] = [
  ...importedColumns.map((name) => ({ name, ...imported[name] })),
  { name: 'id', description: 'The id of the license.', value: ({ id }) => id },
  {
    name: 'seats_used',
    description: 'The number of devices that are bound now, or of members for the binding `user`.',
    value: ({ seats }) => seats.used,
  },
];

/** The column of an export with `include=meters`. */
export const metersColumn: Column<LicenseView & { readonly meters: readonly MeterView[] }> = {
  name: 'meters',
  description: 'Only with `include=meters`: what was consumed of what is included, as `name=used/included`, by name, separated by spaces.',
  value: ({ meters }) => meters.map(({ meter, used, included }) => `${meter}=${used}/${included}`).join(' '),
  include: 'meters',
};

/** The columns of an export that an import ignores, because they are meaningful only in the service that wrote the export. */
export const exportOnlyColumns: readonly string[] = [...licenseColumns, metersColumn]
  .map(({ name }) => name)
  .filter((name) => !(importedColumns as readonly string[]).includes(name));
