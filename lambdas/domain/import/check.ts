import { exportOnlyColumns, importedColumns, MANAGER, NEVER, NO_LIMIT, NONE, type ImportedColumn } from '../../contract/license-columns';
import { createActivation, type AddedDevice } from '../../contract/license-operations';
import { createLicense, type CreateLicenseBody } from '../../contract/licenses';
import { putMember } from '../../contract/members';
import { fieldName, wording } from '../../contract/problems';
import { limitsIn, limitsText, type LicenseTypeView, type MemberRole } from '../../contract/resources';
import { unguarded, type CsvRecord } from '../csv';
import { comparableEmail } from '../email';
import { inexactNumber } from '../exact-numbers';
import { lookupKey } from '../license-key';
import { DAY_MS } from '../time';
import { isObject, jsonOf } from './json';
import { comparableName, sourceNames, sources, type Fields, type Get, type SourceFields, type SourceName } from './sources';

/**
 * Reads the rows of a file as licenses to import. Before any license is written, the check finds the rows that the service would refuse:
 * fields that break the schema of the request, and conflicts between rows. (docs/spec/operator.md, Export and import)
 */

export interface ImportSettings {
  readonly source: SourceName;
  /**
   * Maps fields of the import to names of columns in the file. Each of these columns is read instead of the columns that the source defines
   * for the field.
   */
  readonly columns: Fields;
  /** The license type of rows that name no type. */
  readonly defaultType?: string | undefined;
  /**
   * Maps names of license types in the file to names or ids of the product's license types. The key `*` applies to every name that is
   * neither a key of this object nor a license type of the product.
   */
  readonly types: Readonly<Record<string, string>>;
  /** Whether unknown columns are ignored. If not, an unknown column in a file of this service's own format is a problem. */
  readonly ignoreUnknown: boolean;
}

/** A license in the file, and the state that it must have after the import. */
export interface ImportedLicense {
  readonly line: number;
  /**
   * Identifies the license if the import is repeated. A license with a key is identified by its key, in the form of `lookupKey`. A license
   * without a key is identified by its order, and by its place among all rows of this order that have no key.
   */
  readonly identity: { readonly key: string } | { readonly order: string; readonly place: number };
  /** The body of the request that creates the license. */
  readonly body: CreateLicenseBody;
  /** The devices that have a seat, in the order of their activation. */
  readonly devices: readonly AddedDevice[];
  readonly members: readonly ImportedMember[];
  /** The status of the license after the import. */
  readonly status: 'active' | 'suspended' | 'revoked';
  /** Whether the expiry must be removed after the license was created: the license never expires, but its type has a duration. */
  readonly neverExpires: boolean;
}

export interface ImportedMember {
  readonly email: string;
  readonly role: MemberRole;
}

export type CheckedRow = { readonly line: number; readonly cells: readonly string[] } & (
  | { readonly kind: 'license'; readonly license: ImportedLicense }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** A row that is skipped, because it describes no license, or because an earlier row already describes the same license. */
  | { readonly kind: 'passed over'; readonly reason: string }
);

/** The result of checking a file's first line. */
export interface CheckedHeader {
  readonly problems: readonly string[];
  /** Columns that are not imported. */
  readonly unread: readonly string[];
}

/**
 * The columns that a report of refused rows adds to the columns of the file. An import of the corrected report ignores these added columns.
 */
export const REPORT_COLUMNS = ['line', 'problem'] as const;

const NOT_UTF8 = 'contains bytes that are not UTF-8: save the file in UTF-8';

const DEVICE_FIELDS = ['fingerprint', 'name', 'platform', 'activated_at'] as const;

/**
 * A timestamp in the format of spreadsheets or other systems, converted to RFC 3339 if possible. A timestamp without a time zone is read as
 * UTC.
 */
function timestampOf(cell: string): string {
  const text = cell.trim();
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  const [, date, time, zone] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?) ?(UTC|Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  if (date === undefined || time === undefined) return text;
  const offset = zone === undefined || zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  return `${date}T${time}${offset}`;
}

/** Checks a file from its first line to its last line. Only the keys and the orders of the rows are kept in memory. */
export class ImportCheck {
  private readonly places = new Map<string, number>();
  /** The number of columns in the first line. */
  private width = 0;
  private readonly lineOfKey = new Map<string, number>();
  private readonly rowsOfOrder = new Map<string, number>();
  /** The names of license types in the file that are not license types of the product, including names that the settings map to a type. */
  readonly foreignTypes = new Set<string>();

  /** @param now epoch ms */
  constructor(
    private readonly settings: ImportSettings,
    private readonly licenseTypes: readonly LicenseTypeView[],
    private readonly now: number,
  ) {}

  /** Checks the first line, which names the columns. */
  header({ cells, problem }: CsvRecord): CheckedHeader {
    // Otherwise the names of a file in UTF-16 would be recognized, because characters that are no letters don't count, and each row refused.
    if (/[\uFFFD\0]/.test(cells.join())) return { unread: [], problems: [NOT_UTF8] };
    const names = cells.map((cell) => unguarded(cell).trim());
    this.width = names.length;
    for (const [place, name] of names.entries()) if (!this.places.has(comparableName(name))) this.places.set(comparableName(name), place);
    const { source, columns, ignoreUnknown, defaultType } = this.settings;
    const read = new Set([...this.columnsRead(), ...Object.values(columns)].map(comparableName));
    const known = new Set([
      ...read,
      ...(source === 'own' ? [...exportOnlyColumns, ...REPORT_COLUMNS] : [...REPORT_COLUMNS]).map(comparableName),
    ]);
    const repeated = names.filter(
      (name, place) =>
        sources[source].hasCustomColumns !== true &&
        name !== '' &&
        read.has(comparableName(name)) &&
        this.places.get(comparableName(name)) !== place,
    );
    const unread = names.filter((name) => name !== '' && !read.has(comparableName(name)));
    const unknown = source === 'own' && !ignoreUnknown ? unread.filter((name) => !known.has(comparableName(name))) : [];
    const missing = Object.values(columns).filter((name) => !this.places.has(comparableName(name)));
    const { key, order, license_type: type } = this.columnsOf();
    return {
      unread: unread.filter((name) => !unknown.includes(name)),
      problems: [
        ...(problem === undefined ? [] : [problem]),
        ...repeated.map((name) => `the column ${name} occurs twice`),
        ...missing.map((name) => `there is no column ${name}`),
        ...unknown.map((name) => `the column ${name} is unknown: the columns are ${this.columnsRead().join(', ')}`),
        ...(key || order ? [] : ['there is neither a column key nor a column order: without one of them a row could be imported twice']),
        ...(type || defaultType !== undefined ? [] : ['there is no column license_type: set the license type of all rows']),
      ],
    };
  }

  /** For each field of the import, whether the file has a column for it. */
  private columnsOf(): { readonly [column in ImportedColumn]?: boolean } {
    const found: { [column in ImportedColumn]?: boolean } = {};
    for (const column of importedColumns) {
      const given = this.settings.columns[column];
      found[column] = given === undefined ? this.namesOf(column).some((name) => this.places.has(comparableName(name))) : true;
    }
    return found;
  }

  /**
   * The names of the columns from which a source computes one field of the import. To find these names, the method fills one column at a
   * time, and checks whether the field changes.
   */
  private namesOf(column: ImportedColumn): readonly string[] {
    const { fields } = sources[this.settings.source];
    const without = fields(() => '')[column] ?? '';
    return this.columnsRead().filter((name) => (fields((...names) => (names.includes(name) ? '1' : ''))[column] ?? '') !== without);
  }

  private columnsRead(): readonly string[] {
    const names = new Set<string>();
    const { fields, passOver } = sources[this.settings.source];
    const record: Get = (...asked) => {
      for (const name of asked) names.add(name);
      return '';
    };
    fields(record);
    passOver?.(record, () => false);
    return [...names];
  }

  /** Checks a row after the first line. */
  row({ line, cells: raw, problem }: CsvRecord): CheckedRow {
    const cells = raw.map(unguarded);
    if (problem !== undefined) return { kind: 'refused', line, cells, problems: [problem] };
    // Spreadsheets save cleared rows as lines of separators.
    if (cells.every((value) => value.trim() === '')) return { kind: 'passed over', line, cells, reason: 'a line without a value' };
    const cell = (name: string): string => cells[this.places.get(comparableName(name)) ?? -1]?.trim() ?? '';
    const get: Get = (...names) => names.map(cell).find((value) => value !== '') ?? '';
    const { source, columns } = this.settings;
    const { fields, passOver } = sources[source];
    const reason = passOver?.(get, (key) => this.lineOfKey.has(lookupKey(key) ?? key));
    if (reason !== undefined) return { kind: 'passed over', line, cells, reason };

    const replaced = Object.fromEntries(Object.entries(columns).map(([column, name]) => [column, cell(name)]));
    const problems: string[] =
      cells.length > this.width && cells.slice(this.width).some((value) => value.trim() !== '')
        ? ['has more cells than the first line']
        : [];
    const license = this.licenseOf(line, { ...fields(get), ...replaced }, problems);
    return problems.length > 0 || !license ? { kind: 'refused', line, cells, problems } : { kind: 'license', line, cells, license };
  }

  /** The license that the fields describe. Adds the errors in the fields to `problems`. */
  private licenseOf(line: number, fields: SourceFields, problems: string[]): ImportedLicense | undefined {
    const { key = '', customer_email = '', order = '', features = '', limits = '', status: statusCell = '' } = fields;
    const problemsBefore = problems.length;
    const type = this.typeOf(fields.license_type ?? '', problems);
    const seats = fields.max_seats || seatsOf(fields.quantity ?? '', type);
    const metadata = metadataOf(fields.metadata ?? '', order, problems);
    const [createdAt, expiry] = [timestampOf(fields.created_at ?? ''), timestampOf(fields.expires_at ?? '')];
    const neverExpires = expiry.toLowerCase() === NEVER;
    const updates = timestampOf(fields.updates_until ?? '');
    const major = fields.max_major ?? '';
    const language = fields.language ?? '';
    if (major !== '' && major !== NO_LIMIT && !/^\d{1,7}$/.test(major)) problems.push('max_major: must be an integer from 0 to 1000000');
    if (seats !== '' && !/^\d{1,15}$/.test(seats)) problems.push('max_seats: must be an integer from 0');
    const ownFeatures = features === NONE ? [] : features === '' ? undefined : [...new Set(features.split(/\s+/).filter(Boolean))].sort();

    const ownLimits = limits === '' ? undefined : limits === NONE ? {} : limitsIn(limits);
    if (limits !== '' && !ownLimits) problems.push('limits: must be name=number, separated by spaces, with distinct names');

    const body: CreateLicenseBody = {
      license_type_id: type?.id ?? 1,
      mail: false,
      ...(key !== '' && { key }),
      ...(customer_email !== '' && { customer_email }),
      ...(metadata && { metadata }),
      ...(expiry !== '' && !neverExpires && { expires_at: expiry }),
      ...(updates !== '' && { updates_until: updates.toLowerCase() === NEVER ? null : updates }),
      ...(major === NO_LIMIT && { max_major: null }),
      ...(/^\d{1,7}$/.test(major) && { max_major: Number(major) }),
      ...(createdAt !== '' && { created_at: createdAt }),
      ...(language !== '' && { language: language as CreateLicenseBody['language'] }),
      // If the seats, features or limits equal those of the license type, the request omits them, so that a later change of the type
      // applies to the license.
      ...(/^\d{1,15}$/.test(seats) && Number(seats) !== type?.max_seats && { max_seats: Number(seats) }),
      ...(ownFeatures && ownFeatures.join(' ') !== type?.features.join(' ') && { features: ownFeatures }),
      ...(ownLimits && limitsText(ownLimits) !== limitsText(type?.limits ?? {}) && { limits: ownLimits }),
    };
    const parsed = createLicense.body.safeParse(body, { error: wording });
    for (const { path, message } of parsed.error?.issues ?? []) problems.push(`${fieldName(path)}: ${message}`);
    // The service refuses U+FFFD, which replaces each byte that is not UTF-8.
    if (JSON.stringify(body).includes('\uFFFD')) problems.push(NOT_UTF8);
    const created = parsed.data?.created_at ?? this.now;
    if (created > this.now) problems.push('created_at: must not be in the future');

    const days = type?.duration_days ?? null;
    const computed = days === null || type?.starts === 'activation' ? null : created + days * DAY_MS;
    const expiresAt = neverExpires ? null : (parsed.data?.expires_at ?? computed);
    const status = this.statusOf(statusCell, expiresAt, problems);
    if (
      this.settings.source !== 'own' &&
      statusCell === 'active' &&
      body.expires_at === undefined &&
      expiresAt !== null &&
      expiresAt <= this.now
    ) {
      problems.push('expires_at: is required: the expiry computed from created_at is in the past, but the status is active');
    }
    const maxSeats = body.max_seats ?? type?.max_seats ?? 0;
    const isOfPeople = type?.binding === 'user';
    // The devices of named people are activated only by signing in.
    const devices = isOfPeople ? [] : this.devicesOf(fields.devices ?? '', maxSeats, problems);
    const members = membersOf(fields.member_list ?? '', isOfPeople, maxSeats, problems);
    const identity = this.identityOf(line, key, order, problems);
    if (problems.length > problemsBefore || !identity) return undefined;
    return { line, identity, body, devices, members, status, neverExpires: neverExpires && days !== null };
  }

  /**
   * The devices in a cell with a JSON array. A device is an object with the fields of the source, or a resource of JSON:API, which has these
   * fields in `attributes`.
   */
  private devicesOf(cell: string, maxSeats: number, problems: string[]): AddedDevice[] {
    if (cell === '') return [];
    const list = jsonOf(cell);
    if (!Array.isArray(list)) {
      problems.push('devices: must be a JSON array of objects with a fingerprint');
      return [];
    }
    const { device: names = {} } = sources[this.settings.source];
    const seen = new Set<string>();
    const devices = list.flatMap((entry: unknown, place): (AddedDevice & { readonly at: number })[] => {
      const { attributes = entry } = (isObject(entry) ? entry : {}) as { attributes?: unknown };
      const given = isObject(attributes) ? attributes : {};
      const fields = Object.fromEntries(
        DEVICE_FIELDS.map((field) => {
          const value = (names[field] ?? [field]).map((name) => given[name]).find((one) => one != null && one !== '');
          return [field, field === 'activated_at' && typeof value === 'string' ? timestampOf(value) : value];
        }),
      );
      const { data, error } = createActivation.body.safeParse(fields, { error: wording });
      for (const { path, message } of error?.issues ?? []) problems.push(`${fieldName(['devices', place, ...path])}: ${message}`);
      if (!data) return [];
      const { fingerprint, activated_at: at } = data;
      if (at != null && at > this.now) problems.push(`devices[${place}].activated_at: must not be in the future`);
      if (seen.has(fingerprint)) problems.push(`devices[${place}].fingerprint: occurs twice`);
      seen.add(fingerprint);
      return [{ ...(fields as AddedDevice), fingerprint, at: at ?? this.now }];
    });
    if (maxSeats > 0 && devices.length > maxSeats)
      problems.push(`devices: there are ${devices.length}, but the license has ${maxSeats} seats`);
    // The first activation can start the term of the license.
    return devices.sort((a, b) => a.at - b.at).map(({ at: _, ...device }) => device);
  }

  private typeOf(cell: string, problems: string[]): LicenseTypeView | undefined {
    const { types, defaultType, source } = this.settings;
    const byName = (wanted: string): LicenseTypeView | undefined => this.licenseTypes.find((candidate) => candidate.name === wanted);
    const find = (wanted: string): LicenseTypeView | undefined =>
      byName(wanted) ?? this.licenseTypes.find(({ id }) => String(id) === wanted);
    // A number in a file of another system is not the id of a license type of this service.
    const findCell = source === 'own' ? find : byName;
    if (cell !== '' && !findCell(cell.normalize('NFC'))) this.foreignTypes.add(cell);
    const isOwnName = cell === '' || Object.hasOwn(types, cell);
    const name = (Object.hasOwn(types, cell) ? types[cell] : cell || defaultType)?.normalize('NFC').trim() ?? '';
    const type = (isOwnName ? find(name) : findCell(name)) ?? (name === '' || types['*'] === undefined ? undefined : find(types['*']));
    if (name === '') problems.push('license_type: is missing');
    else if (!type) problems.push(`license_type: the product has no license type "${name}"`);
    else if (type.archived) problems.push(`license_type: "${name}" is archived`);
    return type;
  }

  /**
   * The status of the license after the import. It is `active` for an expired license: the expiry is in the past, so the license's next
   * check changes the status to `expired`.
   */
  private statusOf(cell: string, expiresAt: number | null, problems: string[]): ImportedLicense['status'] {
    const status = cell.toLowerCase();
    if (status === '' || status === 'active') return 'active';
    if (status === 'suspended' || status === 'revoked') return status;
    if (status !== 'expired') problems.push('status: must be active, expired, suspended or revoked');
    else if (expiresAt === null || expiresAt > this.now) problems.push('status: is expired, but expires_at is not in the past');
    return 'active';
  }

  private identityOf(line: number, key: string, order: string, problems: string[]): ImportedLicense['identity'] | undefined {
    if (key !== '') {
      // A malformed key was already refused above.
      const found = lookupKey(key) ?? key;
      const before = this.lineOfKey.get(found);
      if (before === undefined) this.lineOfKey.set(found, line);
      else problems.push(`key: line ${before} has the same key`);
      return { key: found };
    }
    if (!/^[\x21-\x7e]{1,200}$/.test(order)) {
      problems.push(
        order === ''
          ? 'key: is missing, and so is order: without one of them the row could be imported twice'
          : 'order: must be 1 to 200 printable ASCII characters without spaces when there is no key',
      );
      return undefined;
    }
    const place = this.rowsOfOrder.get(order) ?? 0;
    this.rowsOfOrder.set(order, place + 1);
    return { order, place };
  }
}

/**
 * The source whose column names best match the first line of a file.
 *
 * @param present the source that is returned unless another source matches better
 */
export function likelySource(head: CsvRecord, present: SourceName): SourceName {
  const costOf = (source: SourceName): number => {
    const { problems, unread } = new ImportCheck({ source, columns: {}, types: {}, ignoreUnknown: true }, [], 0).header(head);
    return problems.length * 1000 + unread.length;
  };
  return sourceNames.reduce((best, source) => (costOf(source) < costOf(best) ? source : best), present);
}

/** The members in a cell with addresses that are separated by spaces. */
function membersOf(cell: string, isOfPeople: boolean, maxSeats: number, problems: string[]): ImportedMember[] {
  const members = cell
    .split(/\s+/)
    .filter(Boolean)
    .map((text): ImportedMember => {
      const isManager = text.endsWith(MANAGER);
      return { email: isManager ? text.slice(0, -MANAGER.length) : text, role: isManager ? 'manager' : 'member' };
    });
  if (members.length > 0 && !isOfPeople) problems.push('member_list: the license type has no members');
  const seen = new Set<string>();
  for (const member of members) {
    const { data, error } = putMember.body.safeParse(member, { error: wording });
    for (const { message } of error?.issues ?? []) problems.push(`member_list: ${member.email} ${message}`);
    const address = comparableEmail(data?.email ?? member.email);
    if (seen.has(address)) problems.push(`member_list: ${member.email} occurs twice`);
    seen.add(address);
  }
  if (maxSeats > 0 && members.length > maxSeats)
    problems.push(`member_list: there are ${members.length} members, but the license has ${maxSeats} seats`);
  return members;
}

/** The metadata of a row, with the row's order added: the API has no other field for the order. */
function metadataOf(cell: string, order: string, problems: string[]): Record<string, unknown> | undefined {
  const metadata = objectOf(cell === '' ? '{}' : cell);
  if (!metadata) {
    problems.push('metadata: must be a JSON object');
    return undefined;
  }
  const inexact = inexactNumber(`{"metadata":${cell === '' ? '{}' : cell}}`, 'metadata');
  if (inexact !== undefined) problems.push(`metadata: cannot keep the number ${inexact.slice(0, 40)} exactly; write it as text`);
  if (order === '') return metadata;
  if (metadata['order'] === undefined) return { ...metadata, order };
  if (metadata['order'] !== order) problems.push('order: differs from the order in metadata');
  return metadata;
}

/** The seats of a license that was sold in this quantity; '' if the license has the seats of its type. */
const seatsOf = (quantity: string, type: LicenseTypeView | undefined): string =>
  /^\d{1,6}$/.test(quantity) && Number(quantity) > 1 ? String(Number(quantity) * (type?.max_seats || 1)) : '';

/** The JSON object in a text; undefined if the text is not a JSON object. */
function objectOf(json: string): Record<string, unknown> | undefined {
  const value = jsonOf(json);
  return isObject(value) ? value : undefined;
}
