import type { Column } from './endpoint';
import type { LicenseView } from './resources';

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
  'created_at',
  'status',
  'order',
  'language',
] as const;
export type ImportedColumn = (typeof importedColumns)[number];

/** The value of the column `expires_at` for a license that never expires, although its type has a duration. */
export const NEVER = 'never';

/** The value of the column `max_major` for a license without a limit of major versions, although its type has one. */
export const NO_LIMIT = '(none)';

/** The value of the column `features` for a license without features, although its type has some. */
export const NO_FEATURES = '(none)';

const imported: Readonly<Record<ImportedColumn, Omit<Column<LicenseView>, 'name'>>> = {
  key: { description: 'The license key.', value: ({ key }) => key },
  license_type: { description: "The name of the license's type.", value: ({ license_type: { name } }) => name },
  customer_email: { description: "The buyer's address.", value: ({ customer_email }) => customer_email },
  metadata: { description: 'A JSON object.', value: ({ metadata }) => JSON.stringify(metadata) },
  expires_at: {
    description: `When it expires; empty if it never does or its term waits for the first activation, or \`${NEVER}\` if it never does although its type has a duration.`,
    value: ({ expires_at, term, license_type: { duration_days } }) => expires_at ?? (duration_days === null || term ? null : NEVER),
  },
  updates_until: {
    description: `Releases up to then are covered; empty if there is no such limit, or \`${NEVER}\` if there is none although its type has \`updates_days\`.`,
    value: ({ updates, term, license_type: { updates_days } }) => updates.until ?? (updates_days === null || term ? null : NEVER),
  },
  max_major: {
    description: `Releases up to this major version are covered; empty if there is no such limit, or \`${NO_LIMIT}\` if there is none although its type has one.`,
    value: ({ updates: { max_major }, license_type }) => max_major ?? (license_type.max_major === null ? null : NO_LIMIT),
  },
  max_seats: { description: 'Maximum number of devices at a time; 0 means unlimited.', value: ({ seats }) => seats.max },
  features: {
    description: `What the buyer may use, separated by spaces; \`${NO_FEATURES}\` if the license has no features although its type has some.`,
    value: ({ features, license_type }) => (features.length === 0 && license_type.features.length > 0 ? NO_FEATURES : features.join(' ')),
  },
  created_at: { description: 'When it was issued.', value: ({ created_at }) => created_at },
  status: { description: 'The stored status.', value: ({ status }) => status },
  order: { description: "The payment processor's order that it was issued for.", value: ({ order }) => order?.order_id ?? null },
  language: { description: "The language of its mails; empty: the product's.", value: ({ language }) => language },
};

/** The columns of an export. The columns that an import reads come first, so that an export can be imported. */
export const licenseColumns: readonly Column<LicenseView>[] = [
  ...importedColumns.map((name) => ({ name, ...imported[name] })),
  { name: 'id', description: "The license's id.", value: ({ id }) => id },
  { name: 'seats_used', description: 'Devices bound now.', value: ({ seats }) => seats.used },
];

/** The columns of an export that an import ignores, because they are meaningful only in the service that wrote the export. */
export const exportOnlyColumns: readonly string[] = licenseColumns
  .map(({ name }) => name)
  .filter((name) => !(importedColumns as readonly string[]).includes(name));
