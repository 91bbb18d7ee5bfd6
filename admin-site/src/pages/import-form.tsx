import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { importedColumns } from '../../../lambdas/contract/license-columns';
import { csvLine, parseCsv, unguarded } from '../../../lambdas/domain/csv';
import type { CheckedHeader, CheckedRow, ImportedLicense, ImportSettings } from '../../../lambdas/domain/import/check';
import { ImportRun, type ImportTarget, type LicensePage, type Refusal } from '../../../lambdas/domain/import/run';
import { sourceNames } from '../../../lambdas/domain/import/sources';
import { ApiError, call, callList, type LicenseType, type Page, type RowOf } from '../api';
import { download } from '../download';
import { numbersOfProducts } from '../queries/overview';
import { number, plural, t } from '../texts';
import { BatchResults, useBatch } from '../ui/batch';
import { Check } from '../ui/check';
import { CsvFile } from '../ui/csv-file';
import { DialogForm } from '../ui/dialog';
import { DownloadIcon } from '../ui/icons';
import { Problem, Working } from '../ui/states';
import { statusWords } from '../ui/status';
import { Table } from '../ui/table';
import classes from './many-licenses.module.css';

/**
 * Imports licenses from a file. Before the page writes anything, it checks and shows the file, with the same code as
 * `npm run licenses -- import`.
 */

type Checks = typeof import('../../../lambdas/domain/import/check');

const SOURCES: readonly { readonly value: ImportSettings['source']; readonly label: string }[] = sourceNames.map((value) => ({
  value,
  label: {
    own: t('This service'),
    keygen: 'Keygen',
    lemonsqueezy: 'Lemon Squeezy',
    gumroad: 'Gumroad',
    cryptlex: 'Cryptlex',
    woocommerce: 'License Manager for WooCommerce',
  }[value],
}));
/** Maximum number of rows in the preview. */
const PREVIEWED = 5;
/** Maximum number of listed problems. The same maximum applies to the listed names of unknown license types. */
const LISTED = 100;

interface Checked {
  readonly header: CheckedHeader;
  /** The column names in the first line. */
  readonly names: readonly string[];
  readonly rows: readonly CheckedRow[];
  readonly licenses: readonly ImportedLicense[];
  readonly refused: readonly (CheckedRow & { readonly kind: 'refused' })[];
  /** License types in the file that the product doesn't have. */
  readonly foreignTypes: readonly string[];
}

function check({ ImportCheck }: Checks, text: string, settings: ImportSettings, types: readonly LicenseType[]): Checked | undefined {
  const [head, ...records] = parseCsv(text);
  if (!head) return undefined;
  const checker = new ImportCheck(settings, types, Date.now());
  const header = checker.header(head);
  const rows = header.problems.length > 0 ? [] : records.map((record) => checker.row(record));
  return {
    header,
    names: head.cells.map((cell) => unguarded(cell).trim()),
    rows,
    licenses: rows.flatMap((row) => (row.kind === 'license' ? [row.license] : [])),
    refused: rows.flatMap((row) => (row.kind === 'refused' ? [row] : [])),
    foreignTypes: [...checker.foreignTypes],
  };
}

/** Maximum number of line numbers that are listed for one problem. */
const NAMED = 5;

/** Describes the refused rows, grouped by their problems. */
function groupedProblems(refused: Checked['refused']): readonly string[] {
  const lines = new Map<string, number[]>();
  for (const { line, problems } of refused) {
    const words = problems.join('; ');
    lines.set(words, [...(lines.get(words) ?? []), line]);
  }
  return [...lines].map(([words, [first = 0, ...others]]) => {
    if (others.length === 0) return t('line {line}: {problem}', { line: String(first), problem: words });
    const values = {
      rows: number(others.length + 1),
      problem: words,
      lines: [first, ...others].slice(0, NAMED).join(', '),
      more: number(others.length + 1 - NAMED),
    };
    return others.length < NAMED
      ? t('{rows} rows: {problem} (lines {lines})', values)
      : t('{rows} rows: {problem} (lines {lines} and {more} more)', values);
  });
}

const BUSY = [429, 503];
const ATTEMPTS = 8;

/** Sends a request, at most `ATTEMPTS` times while the service is busy. */
async function patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || !BUSY.includes(error.status) || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    }
  }
}

/** Sends a request, and returns a refusal as a value. Throws every other error, and the error ends the import of the row's group. */
async function refusable<Result>(ask: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await patiently(ask);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401 || BUSY.includes(error.status) || error.status >= 500) throw error;
    return { refused: error.message, duplicate: error.code === 'duplicate' };
  }
}

const onlyRefusal = async (ask: () => Promise<object>): Promise<Refusal | undefined> => {
  const result = await refusable(ask);
  return 'refused' in result ? result : undefined;
};

const importTarget = (productId: number, skipsWebhook: boolean): ImportTarget => ({
  pages: () => licensePages(productId),
  create: (body, idempotencyKey) =>
    refusable(() =>
      call(
        'createLicense',
        { params: { id: productId }, body },
        {
          skipsWebhook,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
      ),
    ),
  find: async (key) => (await patiently(() => callList('listLicenses', { params: { id: productId }, query: { key } }))).rows[0],
  revoke: (id) => onlyRefusal(() => call('revokeLicense', { params: { id }, body: {} }, { skipsWebhook })),
  suspend: (id) => onlyRefusal(() => call('suspendLicense', { params: { id }, body: {} }, { skipsWebhook })),
  putMember: (id, member) => onlyRefusal(() => call('putMember', { params: { id }, body: { ...member, invite: false } }, { skipsWebhook })),
  addDevice: (id, body) => onlyRefusal(() => call('createActivation', { params: { id }, body }, { skipsWebhook })),
  removeExpiry: (id) => onlyRefusal(() => call('updateLicense', { params: { id }, body: { expires_at: null } }, { skipsWebhook })),
});

async function* licensePages(productId: number): AsyncGenerator<LicensePage> {
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? {} : { cursor };
    const page: Page<RowOf<'listLicenses'>> = await patiently(() => callList('listLicenses', { params: { id: productId }, query }));
    yield { licenses: page.rows, unreadable: page.unreadable };
    cursor = page.next;
  } while (cursor !== undefined);
}

const linesOf = (group: readonly ImportedLicense[]): string => t('Line {lines}', { lines: group.map(({ line }) => line).join(', ') });

/** The releases that an imported license covers. */
function coverageWords({ updates_until: until, max_major: major }: ImportedLicense['body']): string {
  const parts = [
    until === null && t('no end of updates'),
    until && t('until {date}', { date: until }),
    major === null && t('any version'),
    major != null && t('up to {major}.x', { major: number(major) }),
  ];
  return parts.filter(Boolean).join(', ') || t('the type’s');
}

function Preview({ licenses, types }: { licenses: readonly ImportedLicense[]; types: readonly LicenseType[] }) {
  return (
    <Table
      label={t('The first licenses')}
      items={licenses.slice(0, PREVIEWED)}
      id={({ line }) => line}
      columns={[
        { name: t('Line'), right: true, cell: ({ line }) => line },
        { name: t('Key'), cell: ({ body }) => <span className={classes['mono']}>{body.key ?? t('a new key')}</span> },
        { name: t('Type'), cell: ({ body }) => types.find(({ id }) => id === body.license_type_id)?.name },
        { name: t('Buyer'), cell: ({ body }) => <bdi>{body.customer_email ?? t('no buyer')}</bdi> },
        { name: t('Status'), cell: ({ status }) => statusWords(status) },
        ...(licenses.some(({ body }) => body.updates_until !== undefined || body.max_major !== undefined)
          ? [{ name: t('Covers'), cell: ({ body }: ImportedLicense) => coverageWords(body) }]
          : []),
        { name: t('Expiry'), cell: ({ body, neverExpires }) => (neverExpires ? t('never') : (body.expires_at ?? t('the type’s'))) },
      ]}
    />
  );
}

function Problems({ checked: { names, header, refused }, checks: { REPORT_COLUMNS } }: { checked: Checked; checks: Checks }) {
  const problems = groupedProblems(refused);
  const report = (): string[] => [
    csvLine([...REPORT_COLUMNS, ...names]),
    ...refused.map(({ line, problems: found, cells }) => csvLine([line, found.join('; '), ...cells])),
  ];
  return (
    <>
      {header.problems.length > 0 && <Problem error={new Error(header.problems.join('; '))} />}
      {refused.length > 0 && (
        <>
          <ul className={classes['problems']} tabIndex={0} aria-label={t('Problems')}>
            {problems.slice(0, LISTED).map((words) => (
              <li key={words}>{words}</li>
            ))}
            {problems.length > LISTED && <li>{t('and {count} more', { count: number(problems.length - LISTED) })}</li>}
          </ul>
          <span>
            <Button size="xs" variant="default" leftSection={<DownloadIcon size={15} />} onClick={() => download('refused.csv', report())}>
              {t('Download refused rows')}
            </Button>
          </span>
        </>
      )}
    </>
  );
}

export function ImportForm({
  productId,
  types,
  checks,
  onClose,
}: {
  productId: number;
  types: readonly LicenseType[];
  checks: Checks;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [text, setText] = useState<string>();
  const [settings, setSettings] = useState<ImportSettings>({ source: 'own', columns: {}, types: {}, ignoreUnknown: true });
  const [others, setOthers] = useState(false);
  const [tellsWebhook, setTellsWebhook] = useState(false);
  const [looked, setLooked] = useState<number>();
  const [error, setError] = useState<Error | null>(null);
  const run = useRef<ImportRun>(undefined);
  const isStarting = useRef(false);
  const checked = useMemo(() => (text === undefined ? undefined : check(checks, text, settings, types)), [checks, text, settings, types]);
  const change = (changes: Partial<ImportSettings>): void => setSettings({ ...settings, ...changes });

  const batch = useBatch<readonly ImportedLicense[], string>(
    'createLicense',
    async (group) => {
      const words: string[] = [];
      const refusals: string[] = [];
      await run.current?.importGroup(group, ({ line }, result) => {
        if (result.kind === 'refused')
          refusals.push(group.length > 1 ? t('line {line}: {problem}', { line: String(line), problem: result.reason }) : result.reason);
        else words.push(result.kind === 'created' ? t('imported') : t('already existed'));
      });
      if (refusals.length > 0) throw new Error(refusals.join('; '));
      return words.join(', ');
    },
    () => {
      for (const key of [['licenses', productId], ['overview', productId], ['deliveries', productId], ...numbersOfProducts])
        void client.invalidateQueries({ queryKey: key });
    },
  );

  if (batch.total > 0) return <BatchResults batch={batch} nameOf={linesOf} words={(words) => words} onClose={onClose} />;
  if (looked !== undefined) return <Working>{t('Reading the existing licenses: {count}…', { count: number(looked) })}</Working>;

  const onText = (read: string): void => {
    setError(null);
    const [head] = parseCsv(read);
    change({ columns: {}, ...(head && { source: checks.likelySource(head, settings.source) }) });
    setText(read);
  };
  const onProblem = (problem: Error): void => {
    setError(problem);
    setText(undefined);
  };
  const start = async (licenses: readonly ImportedLicense[]): Promise<void> => {
    // A second submit, before the form is replaced, must not start the import again.
    if (isStarting.current) return;
    isStarting.current = true;
    setLooked(0);
    setError(null);
    try {
      run.current = await ImportRun.begin(importTarget(productId, !tellsWebhook), licenses, setLooked);
      batch.start(run.current.groups);
    } catch (fault) {
      setError(fault instanceof Error ? fault : new Error(String(fault)));
    } finally {
      isStarting.current = false;
      setLooked(undefined);
    }
  };
  const { header, names = [], licenses = [], refused = [], rows = [], foreignTypes = [] } = checked ?? {};
  const isFit = licenses.length > 0 && (refused.length === 0 || others);
  return (
    <DialogForm
      onSubmit={() => void start(licenses)}
      onCancel={onClose}
      submit={licenses.length === 0 ? t('Import') : plural(licenses.length, 'Import {count} license', 'Import {count} licenses')}
      change={{ ...batch, error }}
      disabled={!isFit}
    >
      <p>{t('Customers keep their keys, and nobody gets a mail. Licenses that already exist are not issued again.')}</p>
      <NativeSelect
        label={t('The file comes from')}
        value={settings.source}
        onChange={(event) =>
          change({ source: SOURCES.find(({ value }) => value === event.currentTarget.value)?.value ?? 'own', columns: {} })
        }
        data={[...SOURCES]}
        data-autofocus
      />
      <CsvFile label={t('CSV file:')} className={classes['file']} onText={onText} onProblem={onProblem} />
      {text !== undefined && !checked && <Problem error={new Error(t('The file is empty: its first line must name the columns.'))} />}
      {checked && (
        <>
          <details className={classes['columns']}>
            <summary>{t('Columns')}</summary>
            <div className={classes['grid']}>
              {importedColumns.map((column) => (
                <NativeSelect
                  key={column}
                  label={column}
                  value={settings.columns[column] ?? ''}
                  onChange={({ currentTarget: { value } }) =>
                    change({
                      columns: Object.fromEntries(
                        Object.entries({ ...settings.columns, [column]: value }).filter(([, name]) => name !== ''),
                      ),
                    })
                  }
                  data={[
                    { value: '', label: t('Detect by name') },
                    ...[...new Set(names)].filter(Boolean).map((name) => ({ value: name, label: name })),
                  ]}
                />
              ))}
            </div>
          </details>
          <NativeSelect
            label={t('License type for rows without a type')}
            value={settings.defaultType ?? ''}
            onChange={(event) => change({ defaultType: event.currentTarget.value || undefined })}
            data={[
              { value: '', label: t('None: refuse these rows') },
              ...types.filter(({ archived }) => !archived).map(({ name }) => ({ value: name, label: name })),
            ]}
          />{' '}
          {foreignTypes.slice(0, LISTED).map((foreign) => (
            <NativeSelect
              key={foreign}
              label={t('License type for “{foreign}”', { foreign })}
              value={settings.types[foreign] ?? ''}
              onChange={({ currentTarget: { value } }) =>
                change({
                  types: Object.fromEntries(Object.entries({ ...settings.types, [foreign]: value }).filter(([, name]) => name !== '')),
                })
              }
              data={[
                { value: '', label: t('None: refuse these rows') },
                ...types.filter(({ archived }) => !archived).map(({ name }) => ({ value: name, label: name })),
              ]}
            />
          ))}
          <p role="status">
            {plural(rows.length, '{count} row: {licenses} to import', '{count} rows: {licenses} to import', {
              licenses: number(licenses.length),
            })}
            {rows.length > licenses.length + refused.length &&
              `, ${t('{rows} without a separate license', { rows: number(rows.length - licenses.length - refused.length) })}`}
            {refused.length > 0 && <span className={classes['bad']}>{`, ${t('{rows} refused', { rows: number(refused.length) })}`}</span>}
          </p>
          {header && header.unread.length > 0 && (
            <p role="status" className={classes['warning']}>
              {t('Columns that are not imported: {columns}', { columns: header.unread.join(', ') })}
            </p>
          )}
          {licenses.length > 0 && <Preview licenses={licenses} types={types} />}
          <Check
            label={t('Tell the webhook about each license')}
            note={t('Without this, the events are recorded but not sent to your backend.')}
            checked={tellsWebhook}
            onChange={setTellsWebhook}
          />
          <Problems checked={checked} checks={checks} />
          {refused.length > 0 && licenses.length > 0 && (
            <Check label={t('Import the valid rows anyway')} checked={others} onChange={setOthers} />
          )}
        </>
      )}
    </DialogForm>
  );
}
