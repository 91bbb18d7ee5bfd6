import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { licenseColumns } from '../../../lambdas/contract/license-columns';
import { licenseExample, licenseTypeExample } from '../../../lambdas/contract/examples';
import type { LicenseTypeView, LicenseView } from '../../../lambdas/contract/resources';
import { csvLine, parseCsv, type CsvRecord } from '../../../lambdas/domain/csv';
import { recordsOfNdjson } from '../../../lambdas/domain/import/ndjson';
import { ImportCheck, likelySource, type CheckedHeader, type CheckedRow, type ImportSettings } from '../../../lambdas/domain/import/check';

const NOW = Date.parse('2026-11-22T00:00:00Z');
const yearly = licenseTypeExample as LicenseTypeView;
const lifetime: LicenseTypeView = {
  ...yearly,
  id: 2,
  name: 'Forever',
  kind: 'lifetime',
  max_seats: 1,
  duration_days: null,
  features: [],
  limits: {},
};
const team: LicenseTypeView = { ...lifetime, id: 4, name: 'Team', binding: 'user', devices_per_user: 3, max_seats: 2 };
const archived: LicenseTypeView = { ...lifetime, id: 3, name: 'Old', archived: true };

const settings: ImportSettings = { source: 'own', columns: {}, types: {}, ignoreUnknown: false };

function check(text: string, changes: Partial<ImportSettings> = {}): { header: CheckedHeader; rows: CheckedRow[] } {
  const checker = new ImportCheck({ ...settings, ...changes }, [yearly, lifetime, archived, team], NOW);
  const [head, ...rows] = parseCsv(text);
  return { header: checker.header(head!), rows: rows.map((row) => checker.row(row)) };
}

/** The result of checking one import row that has the usual columns. */
const HEAD =
  'key,license_type,customer_email,metadata,expires_at,max_seats,features,created_at,status,order,language,limits,devices,member_list';
const rowOf = (cells: Readonly<Record<string, string>>, changes: Partial<ImportSettings> = {}): CheckedRow | undefined =>
  check(
    `${HEAD}\r\n${csvLine(HEAD.split(',').map((name) => ({ key: 'OLD-KEY-0001', license_type: 'Forever', ...cells })[name] ?? ''))}`,
    changes,
  ).rows[0];
const problemsOf = (cells: Readonly<Record<string, string>>): readonly string[] => {
  const row = rowOf(cells);
  return row?.kind === 'refused' ? row.problems : [];
};

test('an export is imported unchanged: nothing is lost', () => {
  const views: LicenseView[] = [
    { ...(licenseExample as LicenseView), metadata: { order: 'A-1001', note: '=1+1\r\n"' } },
    {
      ...(licenseExample as LicenseView),
      key: '-DASH-0001',
      expires_at: null,
      features: [],
      limits: {},
      seats: { used: 0, max: 0 },
      status: 'suspended',
      customer_email: "o'hara@example.com",
      language: 'de',
    },
    {
      ...(licenseExample as LicenseView),
      key: 'GONE-0001',
      license_type: {
        ...licenseExample.license_type,
        name: 'Forever',
        duration_days: null,
        features: [],
        limits: {},
      } as LicenseView['license_type'],
      features: ['export'],
      limits: { '4k': 1, cores: 8 },
      expires_at: null,
      status: 'revoked',
    },
  ];
  const { header, rows } = check(
    [csvLine(licenseColumns.map(({ name }) => name)), ...views.map((view) => csvLine(licenseColumns.map(({ value }) => value(view))))].join(
      '',
    ),
  );
  const devices = licenseExample.activations.map(({ fingerprint, name, platform, activated_at }) => ({
    fingerprint,
    name,
    platform,
    activated_at,
  }));
  expect(header).toEqual({ problems: [], unread: ['id', 'seats_used'] });
  const created_at = '2026-11-20T13:54:00.000Z';
  expect(rows.map((row) => (row.kind === 'license' ? row.license : row))).toEqual([
    {
      line: 2,
      identity: { key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z' },
      devices,
      members: [],
      status: 'active',
      neverExpires: false,
      body: {
        license_type_id: 1,
        mail: false,
        key: '9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z',
        customer_email: 'ada@example.com',
        metadata: { order: 'A-1001', note: '=1+1\r\n"' },
        expires_at: '2027-11-20T13:54:00.000Z',
        created_at,
      },
    },
    {
      line: 3,
      identity: { key: 'DASH0001' },
      devices,
      members: [],
      status: 'suspended',
      neverExpires: true,
      body: {
        license_type_id: 1,
        mail: false,
        key: '-DASH-0001',
        customer_email: "o'hara@example.com",
        metadata: { order: 'A-1001' },
        created_at,
        language: 'de',
        max_seats: 0,
        features: [],
        limits: {},
      },
    },
    {
      line: 4,
      identity: { key: 'GONE0001' },
      devices,
      members: [],
      status: 'revoked',
      neverExpires: false,
      body: {
        license_type_id: 2,
        mail: false,
        key: 'GONE-0001',
        customer_email: 'ada@example.com',
        metadata: { order: 'A-1001' },
        created_at,
        max_seats: 3,
        features: ['export'],
        limits: { '4k': 1, cores: 8 },
      },
    },
  ]);
});

test('an export as JSON is read like an export as CSV', () => {
  const views = [licenseExample, { ...licenseExample, key: 'OLD-KEY-0002', metadata: { note: '=1+1' }, activations: [] }] as LicenseView[];
  const csv = [
    csvLine(licenseColumns.map(({ name }) => name)),
    ...views.map((view) => csvLine(licenseColumns.map(({ value }) => value(view)))),
  ];
  const read = (records: readonly CsvRecord[]): unknown[] => {
    const checker = new ImportCheck(settings, [yearly], NOW);
    const [head, ...rows] = records;
    expect(checker.header(head!).problems).toEqual([]);
    return rows.map((row) => {
      const checked = checker.row(row);
      return checked.kind === 'license' ? { ...checked.license, line: 0 } : checked;
    });
  };
  expect(read(recordsOfNdjson(views.map((view) => JSON.stringify(view)).join('\n')))).toEqual(read(parseCsv(csv.join(''))));
});

test('a file of JSON may have columns as its fields; a line that is no object is refused', () => {
  const [head, row, broken] = recordsOfNdjson(
    '{"key":"OLD-KEY-0001","license_type":"Forever","max_seats":2,"devices":[{"fingerprint":"machine-1"}]}\n\n[1]\n',
  );
  const checker = new ImportCheck(settings, [lifetime], NOW);
  expect(checker.header(head!).problems).toEqual([]);
  expect(checker.row(row!)).toMatchObject({
    kind: 'license',
    license: { body: { max_seats: 2 }, devices: [{ fingerprint: 'machine-1' }] },
  });
  expect(checker.row(broken!)).toMatchObject({ kind: 'refused', line: 3 });
});

test.each([
  [
    'keygen',
    'machines',
    '[{"attributes":{"fingerprint":"4A:BC:01","name":null,"hostname":"studio","created":"2024-03-01T10:20:30.000Z"}}]',
  ],
  [
    'lemonsqueezy',
    'instances',
    '[{"id":"7","attributes":{"identifier":"4A:BC:01","name":"studio","created_at":"2024-03-01T10:20:30.000Z"}}]',
  ],
  ['cryptlex', 'activations', '[{"fingerprint":"4A:BC:01","hostname":"studio","createdAt":"2024-03-01T10:20:30.000Z"}]'],
] as const)('the devices of %s keep their seats', (source, column, cell) => {
  const { rows } = check(csvLine(['key', 'product', 'policy', column]) + csvLine(['OLD-KEY-0001', 'Forever', 'Forever', cell]), { source });
  expect(rows).toMatchObject([
    { license: { devices: [{ fingerprint: '4A:BC:01', name: 'studio', activated_at: '2024-03-01T10:20:30.000Z' }] } },
  ]);
});

test('devices are added in the order of their activation, because the first one can start the term', () => {
  const devices = '[{"fingerprint":"machine-2"},{"fingerprint":"machine-1","activated_at":"2026-01-01"}]';
  expect(rowOf({ devices, max_seats: '2' })).toMatchObject({
    license: { devices: [{ fingerprint: 'machine-1', activated_at: '2026-01-01T00:00:00Z' }, { fingerprint: 'machine-2' }] },
  });
});

test.each([
  [{ license_type: 'Nope' }, 'license_type: the product has no license type "Nope"'],
  [{ license_type: '' }, 'license_type: is missing'],
  [{ license_type: 'Old' }, 'license_type: "Old" is archived'],
  [{ customer_email: 'ada' }, 'customer_email: must be a valid e-mail address'],
  [{ metadata: '{"a":' }, 'metadata: must be a JSON object'],
  [{ metadata: '[1]' }, 'metadata: must be a JSON object'],
  [{ metadata: 'null' }, 'metadata: must be a JSON object'],
  [{ devices: 'machine-1' }, 'devices: must be a JSON array of objects with a fingerprint'],
  [{ devices: '["machine-1"]' }, 'devices[0].fingerprint: is required'],
  [{ devices: '[{"fingerprint":"short"}]' }, 'devices[0].fingerprint: must be 8 to 128 printable ASCII characters without spaces'],
  [{ devices: '[{"fingerprint":"ABCD0001"},{"fingerprint":"abcd0001"}]', max_seats: '0' }, 'devices[1].fingerprint: occurs twice'],
  [{ devices: '[{"fingerprint":"machine-1","activated_at":"2027-01-01"}]' }, 'devices[0].activated_at: must not be in the future'],
  [{ devices: '[{"fingerprint":"machine-1"},{"fingerprint":"machine-2"}]' }, 'devices: there are 2, but the license has 1 seats'],
  [{ metadata: '{"n":12345678901234567890}' }, 'metadata: cannot keep the number 12345678901234567890 exactly; write it as text'],
  // In a file in Latin-1, `ü` is a byte that is not UTF-8. The service would refuse the row after other rows have been written.
  [{ metadata: `{"name":"${Buffer.from([0xfc]).toString()}"}` }, 'contains bytes that are not UTF-8: save the file in UTF-8'],
  [{ metadata: '{"order":"B-1"}', order: 'A-1' }, 'order: differs from the order in metadata'],
  [{ expires_at: '31.12.2027' }, 'expires_at: must be an RFC 3339 timestamp such as 2027-01-31T00:00:00Z'],
  [{ expires_at: '2027-02-30' }, 'expires_at: must be an RFC 3339 timestamp such as 2027-01-31T00:00:00Z'],
  [{ created_at: '2026-11-23' }, 'created_at: must not be in the future'],
  [{ language: 'fr' }, 'language: must be en or de'],
  [{ max_seats: '-1' }, 'max_seats: must be an integer from 0'],
  [{ max_seats: '1.5' }, 'max_seats: must be an integer from 0'],
  [{ features: 'Export' }, 'features[0]: must be 1 to 64 of a-z, 0-9, ".", "_" and "-"'],
  [{ limits: 'cores 8' }, 'limits: must be name=number, separated by spaces, with distinct names'],
  [{ limits: 'cores=8 cores=9' }, 'limits: must be name=number, separated by spaces, with distinct names'],
  [{ limits: 'cores=many' }, 'limits.cores: must be an integer from 0 to 9007199254740991'],
  [{ status: 'lost' }, 'status: must be active, expired, suspended or revoked'],
  [{ status: 'expired' }, 'status: is expired, but expires_at is not in the past'],
  [{ status: 'expired', expires_at: '2026-11-23' }, 'status: is expired, but expires_at is not in the past'],
  [{ key: 'a b c' }, 'key: must consist of 8 to 64 letters, digits and hyphens, with at least 8 letters or digits'],
  [{ key: '' }, 'key: is missing, and so is order: without one of them the row could be imported twice'],
  [{ key: '', order: 'A 1' }, 'order: must be 1 to 200 printable ASCII characters without spaces when there is no key'],
])('%o is refused before anything is written', (cells, problem) => expect(problemsOf(cells)).toContain(problem));

test.each([
  [{ status: 'expired', expires_at: '2026-11-21' }],
  [{ status: 'expired', license_type: 'Team, yearly', created_at: '2024-01-01' }],
  [{ status: 'ACTIVE', license_type: '2' }],
  [{ expires_at: '2027-01-31 10:00:00 +0200', created_at: '2024-01-31 10:00:00' }],
  [{ key: '', order: 'A-1' }],
  [{ expires_at: 'Never', features: '(none)', max_seats: '0' }],
])('%o is accepted', (cells) => expect(rowOf(cells)).toMatchObject({ kind: 'license' }));

test('if the file contains a key twice, even in different spellings, the second row is refused', () => {
  const { rows } = check(`${HEAD}\nOLD-KEY-0001,Forever\noldkey0001,Forever\n,Forever,,,,,,,,A-1\n,Forever,,,,,,,,A-1\n`);
  expect(rows.map((row) => (row.kind === 'refused' ? row.problems : row.kind))).toEqual([
    'license',
    ['key: line 2 has the same key'],
    'license',
    'license',
  ]);
  // Several rows with the same order are separate licenses, so each row has its own identity.
  expect(rows.flatMap((row) => (row.kind === 'license' ? [row.license.identity] : []))).toEqual([
    { key: 'OLDKEY0001' },
    { order: 'A-1', place: 0 },
    { order: 'A-1', place: 1 },
  ]);
});

test.each([
  [
    'customer_email,license_type',
    {},
    'there is neither a column key nor a column order: without one of them a row could be imported twice',
  ],
  ['key,customer_email', {}, 'there is no column license_type: set the license type of all rows'],
  [
    'key,license_type,custommer_email',
    {},
    'the column custommer_email is unknown: the columns are key, license_type, customer_email, metadata, name, company, expires_at, updates_until, max_major, max_seats, features, limits, created_at, status, order, language, devices, activations, member_list',
  ],
  ['key,key,license_type', {}, 'the column key occurs twice'],
  // Excel writes "Unicode text" in UTF-16. Each of its rows would be refused with several problems.
  [Buffer.from('key,license_type', 'utf16le').toString(), {}, 'contains bytes that are not UTF-8: save the file in UTF-8'],
  ['key,license_type', { columns: { customer_email: 'E-Mail' } }, 'there is no column E-Mail'],
])('the columns %s are refused: a typing error must not look like an empty column', (head, changes, problem) =>
  expect(check(`${head}\n`, changes).header.problems).toEqual([problem]),
);

test.each([
  ['key,license_type,customer_email,name,company,expires_at', 'own'],
  ['key,license_type,seats,colour,comment', 'own'],
  ['key,policy,email,expiry,colour', 'keygen'],
])('a file with the columns %s is read as a file of %s', (head, source) => {
  expect(likelySource(parseCsv(head)[0]!, 'own')).toBe(source);
});

test("the buyer's name and company are imported, because the search finds licenses by them", () => {
  const { header, rows } = check(
    'key,license_type,name,company,metadata\nOLD-KEY-0001,Forever,Ada,Example GmbH,"{""note"":1,""name"":""Ada King""}"\n' +
      'OLD-KEY-0002,Forever,Grace,,"{""n"":12345678901234567890}"\n',
  );
  expect(header).toEqual({ problems: [], unread: [] });
  expect(rows).toMatchObject([
    { license: { body: { metadata: { name: 'Ada King', company: 'Example GmbH', note: 1 } } } },
    { problems: ['metadata: cannot keep the number 12345678901234567890 exactly; write it as text'] },
  ]);
});

test('a line of separators, as spreadsheets save cleared rows, is skipped like an empty line', () => {
  const { rows } = check('key;license_type\r\n;\r\n\r\nOLD-KEY-0001;Forever\r\n "" ; ;\r\n');
  expect(rows.map(({ kind, line }) => [kind, line])).toEqual([
    ['passed over', 2],
    ['license', 4],
    ['passed over', 5],
  ]);
});

test('the file may have other names for columns and license types', () => {
  const { header, rows } = check('Serial,Plan,Mail,Note\nOLD-KEY-0001,Pro,ada@example.com,x\nOLD-KEY-0002,,,\nOLD-KEY-0003,Anything,,\n', {
    columns: { key: 'serial', license_type: 'Plan', customer_email: 'MAIL' },
    types: { Pro: 'Forever', '*': 'Team, yearly' },
    defaultType: 'Forever',
    ignoreUnknown: true,
  });
  expect(header).toEqual({ problems: [], unread: ['Note'] });
  expect(rows).toMatchObject([
    { license: { body: { key: 'OLD-KEY-0001', customer_email: 'ada@example.com', license_type_id: 2 } } },
    { license: { body: { license_type_id: 2 } } },
    { license: { body: { license_type_id: 1 } } },
  ]);
});

/** The license of a row: its key, license type, buyer, status, creation, expiry, and what differs from its type. */
const summary = (row: CheckedRow, types: readonly LicenseTypeView[]): string => {
  if (row.kind !== 'license') return row.kind;
  const { key, license_type_id, customer_email, created_at, expires_at, metadata, max_seats, features } = row.license.body;
  const type = types.find(({ id }) => id === license_type_id)?.name;
  const day = (time?: string | null): string => time?.slice(0, 16) ?? '';
  const differs = JSON.stringify({ max_seats, features, company: metadata?.['company'] });
  return `${key} ${type} ${customer_email} ${row.license.status} ${day(created_at)}..${day(expires_at)} ${differs}`;
};
test.each<[ImportSettings['source'], ImportSettings['types'], string[]]>([
  [
    'keygen',
    {},
    [
      'C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3 Team ada@example.com active 2024-03-01T10:20..2027-03-01T00:00 {"features":["export","sync"],"company":"Example GmbH"}',
      '7A21F0-55CE12-90BD44-1E87AA-63D0C9-V3 Personal grace@example.com active 2024-05-05T08:00.. {}',
      'E0D4B1-AA0F37-6C2981-54BE90-12F7D8-V3 Team linus@example.com active 2024-01-01T00:00..2025-01-01T00:00 {"max_seats":1}',
      '09F8E7-D6C5B4-A39281-706F5E-4D3C2B-V3 Personal mallory@example.com suspended 2024-06-01T00:00.. {}',
      '1B2C3D-4E5F60-718293-A4B5C6-D7E8F9-V3 Personal trent@example.com revoked 2024-06-02T00:00.. {}',
    ],
  ],
  [
    'lemonsqueezy',
    { 'Photo Studio': 'Personal', 'Photo Studio, yearly': 'Team' },
    [
      '38b1460a-5104-4067-a91d-77b872934d51 Personal ada@example.com active 2024-03-01T10:00.. {"max_seats":5}',
      '9e0c7d52-1f34-4b0a-8c66-0a1b2c3d4e5f Team grace@example.com active 2026-04-01T00:00..2027-04-01T00:00 {"max_seats":0}',
      '4f5e6d7c-8b9a-40a1-b2c3-d4e5f6a7b8c9 Team linus@example.com active 2024-01-01T00:00..2025-01-01T00:00 {"max_seats":2}',
      'a0b1c2d3-e4f5-4678-90ab-cdef01234567 Personal mallory@example.com suspended 2024-05-01T00:00.. {"max_seats":5}',
    ],
  ],
  [
    'gumroad',
    { '(Team)': 'Personal', '(Yearly)': 'Team', '*': 'Personal' },
    [
      'BEA0454F-918A4F76-B68EFA71-6187C39D Personal ada@example.com active 2024-03-05T09:10.. {}',
      '5C1D9E20-77AB4E13-9F02C6D8-0B3A41EE Personal giftee@example.com active 2024-04-01T18:00.. {}',
      'A1B2C3D4-11112222-33334444-55556666 Personal mallory@example.com revoked 2024-05-20T07:30.. {}',
      '0F1E2D3C-4B5A6978-8796A5B4-C3D2E1F0 Team linus@example.com active 2024-06-01T12:00..2027-06-01T12:00 {}',
      'passed over',
      '99887766-55443322-1100FFEE-DDCCBBAA Personal kay@example.com suspended 2024-07-07T10:00.. {}',
      '13572468-24681357-ACE0BDF1-0FEDCBA9 Team frances@example.com active 2024-08-01T10:00..2027-08-01T10:00 {"max_seats":9}',
      'passed over',
      'passed over',
    ],
  ],
  [
    'cryptlex',
    { 'Photo Studio': 'Personal' },
    [
      '8CCEE1-D0FD4B-44A9A7-F14C0E-3B5F60 Personal ada@example.com active 2026-05-01T00:00..2027-05-01T00:00 {"max_seats":3,"company":"Example GmbH"}',
      '1A2B3C-4D5E6F-708192-A3B4C5-D6E7F8 Personal grace@example.com active 2026-05-02T00:00.. {}',
      'F0E1D2-C3B4A5-968778-695A4B-3C2D1E Personal mallory@example.com revoked 2026-05-03T00:00.. {"max_seats":1}',
      'AB12CD-34EF56-78AB90-CD12EF-34AB56 Personal trent@example.com suspended 2026-05-04T00:00.. {"max_seats":1}',
    ],
  ],
  [
    'woocommerce',
    { '71': 'Personal', '72': 'Team' },
    [
      'WOO-AAAA-1111-2222 Personal ada@example.com active 2024-03-05T09:10.. {"max_seats":2}',
      'WOO-BBBB-1111-2222 Team grace@example.com active 2026-04-01T08:00..2027-04-01T00:00 {"max_seats":0}',
      'passed over',
      'WOO-DDDD-1111-2222 Personal mallory@example.com suspended 2024-05-20T07:30.. {"max_seats":2}',
      'passed over',
    ],
  ],
])('files of %s are imported as docs/migration.md says', (source, types, expected) => {
  const ours = [
    { ...yearly, name: 'Team', max_seats: 3, features: ['export'], limits: {} },
    { ...lifetime, name: 'Personal', max_seats: 0 },
  ];
  const checker = new ImportCheck({ ...settings, source, types }, ours, NOW);
  const [head, ...rows] = parseCsv(readFileSync(resolve(__dirname, `../../../docs/migration/${source}.csv`), 'utf8'));
  expect(checker.header(head!).problems).toEqual([]);
  expect(rows.map((row) => summary(checker.row(row), ours))).toEqual(expected);
});

test('a subscription whose renewals another system bills is not imported as expired', () => {
  const text = 'id,key,status,expiry,created,policy\n1,OLD-KEY-0001,ACTIVE,,2024-01-01T00:00:00Z,"Team, yearly"\n';
  expect(check(text, { source: 'keygen' }).rows).toMatchObject([
    {
      kind: 'refused',
      problems: ['expires_at: is required: the expiry computed from created_at is in the past, but the status is active'],
    },
  ]);
});

test('of the keys of a WooCommerce shop, only the sold ones are imported', () => {
  const HEAD = 'order_id,product_id,user_id,license_key,status,times_activated_max\n';
  const kinds = (lines: readonly string[]): string[] =>
    check(HEAD + lines.join('\n'), { source: 'woocommerce', types: { '1': 'Forever' } }).rows.map((row) =>
      row.kind === 'license' ? row.license.status : row.kind,
    );
  expect(
    kinds([
      ',1,,STOCK-KEY-0001,ACTIVE,',
      '0,1,0,STOCK-KEY-0002,INACTIVE,',
      '81,1,,SOLD-KEY-0001,SOLD,',
      '82,1,,SOLD-KEY-0002,DELIVERED,',
      ',1,7,SOLD-KEY-0003,ACTIVE,',
      '83,1,,SOLD-KEY-0004,INACTIVE,',
      ',1,,SOLD-KEY-0005,DELIVERED,',
      '84,1,,SOLD-KEY-0006,LOST,',
    ]),
  ).toEqual(['passed over', 'passed over', 'active', 'active', 'active', 'suspended', 'active', 'refused']);
});

test("another system's number of a product is not the id of a license type", () => {
  const { rows } = check('order_id,product_id,license_key,status\n81,2,SOLD-KEY-0001,SOLD\n', { source: 'woocommerce' });
  expect(rows).toMatchObject([{ kind: 'refused', problems: ['license_type: the product has no license type "2"'] }]);
});

test('a sale of several units at Gumroad is a license with the seats of its type for each unit', () => {
  const seats = (type: string, quantity: string): unknown =>
    check(`License Key,Item Name,Quantity\nGUM-KEY-0001,"${type}",${quantity}\n`, { source: 'gumroad' }).rows.map((row) =>
      row.kind === 'license' ? (row.license.body.max_seats ?? null) : row,
    );
  expect([seats('Forever', '1'), seats('Forever', '5'), seats('Forever', '')]).toEqual([[null], [5], [null]]);
  expect(seats(yearly.name, '2')).toEqual([2 * yearly.max_seats]);
});

test("a seller's custom field with the name of a column of Gumroad neither replaces the column nor stops the import", () => {
  const text = 'License Key,Purchase Email,Item Name,Purchase Email\nGUM-KEY-0001,ada@example.com,Forever,eve@example.com\n';
  expect(check(text, { source: 'gumroad' })).toMatchObject({
    header: { problems: [] },
    rows: [{ kind: 'license', license: { body: { customer_email: 'ada@example.com' } } }],
  });
  expect(check('key,key,license_type\nA,B,Forever\n').header.problems).toEqual(['the column key occurs twice']);
});

test('members are read with their roles; devices of named people are left out, because people sign in on them', () => {
  const devices = JSON.stringify([{ fingerprint: 'fingerprint-1' }]);
  const row = rowOf({ license_type: 'Team', member_list: ' ada@example.com* grace@example.com ', devices });
  expect(row).toMatchObject({
    license: {
      devices: [],
      members: [
        { email: 'ada@example.com', role: 'manager' },
        { email: 'grace@example.com', role: 'member' },
      ],
    },
  });
  expect(problemsOf({ member_list: 'ada@example.com' })).toEqual(['member_list: the license type has no members']);
  expect(problemsOf({ license_type: 'Team', member_list: 'ada ada@example.com ADA@example.com' })).toEqual([
    expect.stringMatching(/^member_list: ada must be/),
    'member_list: ADA@example.com occurs twice',
    'member_list: there are 3 members, but the license has 2 seats',
  ]);
});
