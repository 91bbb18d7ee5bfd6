import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from '../../../infra/local/logs';

const folder = mkdtempSync(join(tmpdir(), 'logs-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('if lines cannot be written, for example because the disk is full, the run continues and says so once', () => {
  const printed: string[] = [];
  const logs = start({ folder, print: (line) => printed.push(line) });
  const file = join(folder, 'service.log');
  // The path is a folder, so lines cannot be appended to it, even by the superuser.
  mkdirSync(file);
  for (const line of ['first', 'second']) {
    logs.receive(line);
    logs.stop();
  }
  expect(printed).toEqual([expect.stringMatching(/^ERROR Lines of the log are lost: EISDIR/)]);

  rmSync(file, { recursive: true });
  logs.receive('third');
  logs.stop();
  expect(readFileSync(file, 'utf8')).toBe('third\n');
});

test('the terminal shows each warning about a product once, and every error; the file contains all lines', () => {
  const printed: string[] = [];
  const logs = start({ folder, print: (line) => printed.push(line) });
  const line = (level: string, product_id: number): string =>
    JSON.stringify({ level, message: 'ATTEMPT_FAILED', product_id, reason: 'the receiver responded with 500' });
  const lines = [line('INFO', 1), line('WARN', 1), line('WARN', 1), line('WARN', 2), line('ERROR', 1), line('ERROR', 1), 'ERROR sweep: no'];
  lines.forEach(logs.receive);
  logs.stop();
  expect(printed).toEqual([lines[1], lines[3], lines[4], lines[5], lines[6]]);
  expect(readFileSync(join(folder, 'service.log'), 'utf8')).toContain(`${lines.join('\n')}\n`);
});
