import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const readme = readFileSync(resolve(__dirname, '../../README.md'), 'utf8');
const tour = [...readme.matchAll(/```bash\n(.*?)```/gs)].map(([, lines]) => lines).join('');
const setting = /^export BASE=.*$/m;

test('a newcomer who pastes the tour of the README gets from a product to a verified token and a revoked license', async () => {
  expect(tour).toMatch(setting);
  const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', tour.replace(setting, '')], {
    env: { ...process.env, BASE: process.env['LKS_BASE_URL'], SVC_ADMIN_TOKEN: process.env['LKS_ADMIN_TOKEN'] },
  });
  expect(stderr).toBe('');
  for (const expected of [
    '"slug":"aurora-notes"',
    '"max_seats":2',
    '"customer_email":"ada@example.com"',
    '"seats":{"used":1,"max":2}',
    // The claims of the verified token, as node prints them.
    "iss: 'license-key-service'",
    '{"valid":true,"status":"active"',
    '{"freed":true}',
    '{"freed":false}',
    '{"token":"ey',
    '{"status":"reset","freed":0}',
    '"status":"revoked"',
    '{"valid":false,"status":"revoked"}',
    'HTTP/1.1 403',
    '{"detail":"The license is revoked"}',
  ]) {
    expect(stdout).toContain(expected);
  }
});
