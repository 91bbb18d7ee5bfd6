import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { looksLikeAddress } from '../../addresses';
import { call, newIdempotencyKey, type License, type LicenseType } from '../api';
import { csvLine, parseCsv, unguarded } from '../../../lambdas/domain/csv';
import { download, exportName } from '../download';
import { numbersOfProducts } from '../queries/overview';
import { useProductSlug } from '../queries/products';
import { number, plural, t } from '../texts';
import { BatchResults, useBatch } from '../ui/batch';
import { CsvFile } from '../ui/csv-file';
import { Dialog, DialogForm } from '../ui/dialog';
import { DownloadIcon } from '../ui/icons';
import { useFields } from '../ui/use-fields';
import { useMailsKeys, MailKey } from './mail-key';
import classes from './many-licenses.module.css';
import { OfferedTypes } from './offered-types';

/** A license to issue, from a line of the pasted text. */
interface Line {
  readonly email: string;
  readonly order: string;
  /** The `Idempotency-Key` of the request. If the request is repeated because its response was lost, the license is not issued twice. */
  readonly idempotencyKey: string;
}

/**
 * Reads the lines that have an e-mail address, and collects the numbers of the lines that have none. If the first line contains column
 * names, these names determine the order of the columns.
 */
function read(text: string): { readonly lines: readonly Omit<Line, 'idempotencyKey'>[]; readonly bad: readonly number[] } {
  const rows = parseCsv(text).map(({ line, cells }) => ({ line, cells: cells.map((cell) => unguarded(cell).trim()) }));
  const first = rows[0]?.cells ?? [];
  const head = first.some(looksLikeAddress) ? [] : first.map((name) => name.toLowerCase());
  const column = (names: readonly string[], usual: number): number => {
    const found = head.findIndex((name) => names.includes(name));
    return head.length === 0 ? usual : found;
  };
  const [emailAt, orderAt] = [column(['customer_email', 'email', 'e-mail', 'mail'], 0), column(['order', 'order_id', 'order id'], 1)];
  const lines: Omit<Line, 'idempotencyKey'>[] = [];
  const bad: number[] = [];
  for (const { line, cells } of head.length > 0 ? rows.slice(1) : rows) {
    const email = cells[emailAt] ?? '';
    if (looksLikeAddress(email)) lines.push({ email, order: cells[orderAt] ?? '' });
    else if (cells.some((cell) => cell !== '')) bad.push(line);
  }
  return { lines, bad };
}

/** Maximum number of line numbers that are listed. */
const NAMED = 8;

function Form({ productId, types, onClose }: { productId: number; types: readonly LicenseType[]; onClose: () => void }) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<Error | null>(null);
  const usual = (types.findLast(({ kind }) => kind !== 'trial') ?? types.at(-1))?.id;
  const { values, field, check, change } = useFields({ license_type_id: String(usual), buyers: '', mail: true }, { error: problem });
  const typeId = Number(values.license_type_id);
  const slug = useProductSlug(productId);
  const type = types.find(({ id }) => id === typeId);
  const mailsKeys = useMailsKeys(productId, type);
  const batch = useBatch<Line, License>(
    'createLicense',
    ({ email, order, idempotencyKey }) =>
      call(
        'createLicense',
        {
          params: { id: productId },
          body: {
            license_type_id: typeId,
            customer_email: email,
            ...(!values.mail && { mail: false }),
            ...(order !== '' && { metadata: { order } }),
          },
        },
        { idempotencyKey },
      ),
    () => {
      for (const key of [['licenses', productId], ['overview', productId], ['deliveries', productId], ...numbersOfProducts])
        void client.invalidateQueries({ queryKey: key });
    },
  );
  const { lines, bad } = read(values.buyers);
  const onText = (read: string): void => {
    setProblem(null);
    change({ buyers: read });
  };
  if (batch.total > 0) {
    const issued = batch.outcomes.flatMap(({ item, result }) => (result ? [[item.email, result.key, item.order] as const] : []));
    return (
      <BatchResults
        batch={batch}
        nameOf={({ email }) => email}
        words={({ key }) => (mailsKeys && values.mail ? t('{key}, mailed', { key }) : key)}
        onClose={onClose}
        aside={
          <Button
            variant="default"
            leftSection={<DownloadIcon size={16} />}
            disabled={issued.length === 0}
            onClick={() => download(exportName('issued', 'csv', slug), [['customer_email', 'key', 'order'], ...issued].map(csvLine))}
          >
            {t('Download keys')}
          </Button>
        }
      />
    );
  }
  return (
    <DialogForm
      onSubmit={() => batch.start(lines.map((line) => ({ ...line, idempotencyKey: newIdempotencyKey() })))}
      onCancel={onClose}
      submit={lines.length === 0 ? t('Issue licenses') : plural(lines.length, 'Issue {count} license', 'Issue {count} licenses')}
      change={{ ...batch, error: problem }}
      disabled={lines.length === 0}
    >
      <NativeSelect
        label={t('License type')}
        {...field('license_type_id')}
        data={types.map(({ id, name }) => ({ value: String(id), label: name }))}
        data-autofocus
      />
      <Textarea
        label={t('Buyers')}
        description={t('One address per line, or CSV with address and order. The order is stored as metadata.')}
        placeholder={'ada@example.com, A-1001\ngrace@example.com, A-1002'}
        {...field('buyers')}
        rows={7}
        spellCheck={false}
        classNames={{ input: classes['mono'] ?? '' }}
      />
      <CsvFile label={t('Or a CSV file:')} className={classes['file']} onText={onText} onProblem={setProblem} />
      {mailsKeys && <MailKey to={t('each buyer')} type={type} {...check('mail')} />}
      <p role="status" className={classes['dim']}>
        {t('{lines} to issue', { lines: number(lines.length) })}
        {bad.length > 0 && (
          <span className={classes['bad']}>
            {'; '}
            {bad.length > NAMED
              ? t('no address on lines {lines} and more: skipped', { lines: bad.slice(0, NAMED).join(', ') })
              : plural(bad.length, 'no address on line {lines}: skipped', 'no address on lines {lines}: skipped', {
                  lines: bad.join(', '),
                })}
          </span>
        )}
      </p>
    </DialogForm>
  );
}

export const IssueMany = ({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) => (
  <Dialog title={t('Issue many licenses')} opened={opened} onClose={onClose} size="lg">
    <OfferedTypes productId={productId}>{(types) => <Form productId={productId} types={types} onClose={onClose} />}</OfferedTypes>
  </Dialog>
);
