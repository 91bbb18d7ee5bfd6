import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { edgeOf, initialEdge, triggers, type Edge } from '../../../lambdas/domain/lifecycle';
import { licenseStatuses, type LicenseStatus } from '../../../lambdas/contract/statuses';

const file = resolve(__dirname, '../../../docs/lifecycle.md');
const [begin, end] = ['<!-- lifecycle -->\n', '<!-- /lifecycle -->'];

/** The text of a cell of the table: the new status, if the edge changes the status, and the event. */
const cell = (from: LicenseStatus | null, edge: Edge | string): string => {
  if (typeof edge === 'string') return `\`${edge}\``;
  return [edge.to === from ? [] : `**${edge.to}**`, edge.event ?? []].flat().join(', ') || '–';
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

const table =
  row(['trigger', ...licenseStatuses]) +
  row(['---', ...licenseStatuses].map(() => '---')) +
  triggers.map((trigger) => row([`\`${trigger}\``, ...licenseStatuses.map((from) => cell(from, edgeOf(from, trigger)))])).join('') +
  `\nA new license: ${cell(null, initialEdge)}.\n`;

test('a reader of docs/lifecycle.md sees every status change that the service makes, and no other', () => {
  const page = readFileSync(file, 'utf8');
  const [before = '', rest = ''] = page.split(begin);
  const [shown = '', after = ''] = rest.split(end);
  if (process.env['UPDATE_DOCS'] !== undefined) return writeFileSync(file, before + begin + table + end + after);
  expect(shown).toBe(table);
});
