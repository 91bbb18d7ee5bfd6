import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { stopBeforeRemoval, temporaryFolder } from '../infra/local/support';
import { installPackage } from '../support/package';
import { until } from '../support/until';

/** Tests the npm package as a vendor without a checkout uses it: installed from the tarball in an empty folder. */

const folder = join(temporaryFolder(), 'vendor');
let cli: string;
let service: ReturnType<typeof spawn> | undefined;
beforeAll(async () => {
  cli = await installPackage(folder);
});
stopBeforeRemoval(async () => {
  if (!service || service.exitCode !== null) return;
  const ended = once(service, 'exit');
  service.kill();
  await ended;
});

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env: { PATH: process.env['PATH'], ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  return { child, output: () => output };
};

test('the tarball is small, and npm installs nothing with it but the database emulator', () => {
  expect(statSync(join(folder, `license-key-service-${version}.tgz`)).size).toBeLessThan(15e6);
  const packages = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(packages.filter((name) => name !== '@dynoxide')).toEqual(['license-key-service']);
});

test('the service starts with its pages, and the other commands work with it', async () => {
  const { child, output } = run(['start'], { PORT: '0', DATA_DIR: join(folder, 'data') });
  service = child;
  await until('the service is up', () => {
    if (child.exitCode !== null) throw new Error(output());
    return Promise.resolve(output().includes('Ctrl-C stops it.'));
  });
  const field = (name: string): string => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(output())?.[1] ?? '';
  const baseUrl = field('Base URL');
  for (const page of ['admin', 'docs']) {
    const html = await (await fetch(`${baseUrl}/${page}`)).text();
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(html) ?? [];
    expect([page, (await fetch(baseUrl + script)).status]).toEqual([page, 200]);
  }
  // The smoke test calls handlers of many routes. The package contains each handler under the name of its route.
  const smoke = run(['smoke', '--base-url', baseUrl], { SVC_ADMIN_TOKEN: field('Admin token') });
  const [code] = (await once(smoke.child, 'close')) as [number];
  expect([code, smoke.output()]).toEqual([0, expect.stringContaining('All checks passed.')]);
});
