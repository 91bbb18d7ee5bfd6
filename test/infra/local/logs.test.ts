import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../../../infra/local/logs';

const folder = mkdtempSync(join(tmpdir(), 'logs-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('if lines cannot be written, for example because the disk is full, the run continues and says so once', () => {
  const printed: string[] = [];
  const logs = start({ folder, print: (line) => printed.push(line) });
  const file = join(folder, 'activate.log');
  // The path is a folder, so lines cannot be appended to it, even by the superuser.
  mkdirSync(file);
  const log = logs.of('activate');
  for (const line of ['first', 'second']) {
    log(`${line}\n`);
    logs.stop();
  }
  expect(printed).toEqual([expect.stringMatching(/^ERROR Lines of the log are lost: EISDIR/)]);

  rmSync(file, { recursive: true });
  log('third\n');
  logs.stop();
  expect(readFileSync(file, 'utf8')).toBe('third\n');
});

test('a last line without a line break is not lost when the run stops', () => {
  const printed: string[] = [];
  const logs = start({ folder, print: (line) => printed.push(line) });
  logs.of('validate')('first\nERROR last');
  logs.stop();
  expect(readFileSync(join(folder, 'validate.log'), 'utf8')).toBe('first\nERROR last\n');
  expect(printed).toEqual(['[validate] ERROR last']);
});
