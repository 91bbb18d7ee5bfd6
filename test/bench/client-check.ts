/**
 * `node --import tsx test/bench/client-check.ts [runs]`: how long an app waits for its license at a cold start.
 * Every run is a process of its own that loads the built package and checks once, from a cached token in a file.
 */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from '../../client/build';
import type { License } from '../../lambdas/domain/license';
import { mintToken, tokenSigner } from '../../lambdas/domain/offline-token';

const runs = Number(process.argv[2] ?? 51);
const fingerprint = createHash('sha256').update('bench').digest('hex');

const project = mkdtempSync(join(tmpdir(), 'lks-bench-'));
process.once('exit', () => rmSync(project, { recursive: true, force: true }));
build(join(project, 'dist'));
mkdirSync(join(project, 'node_modules'));
symlinkSync(resolve(__dirname, '../../node_modules/tweetnacl'), join(project, 'node_modules/tweetnacl'));

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
const license = { id: 1, product_slug: 'bench', expires_at: null, license_type: { kind: 'lifetime' } } as License;
const token = mintToken(tokenSigner(seed, pem), license, { id: 'bench', fingerprint, ttlDays: 7, now: Date.now() });
writeFileSync(join(project, 'license-key-service.1.json'), JSON.stringify({ v: 1, key: 'bench', token, seen: Date.now() }));

writeFileSync(
  join(project, 'app.mjs'),
  `const begun = performance.now();
  const { LicenseClient } = await import('./dist/index.mjs');
  const { fileStorage } = await import('./dist/node/index.mjs');
  const loaded = performance.now();
  const client = new LicenseClient({ baseUrl: 'http://127.0.0.1:1', productId: 1, apiKey: 'pk', publicKey: ${JSON.stringify(pem)}, fingerprint: '${fingerprint}', storage: fileStorage('.') });
  const { status, source } = await client.check();
  const cold = performance.now();
  await client.check();
  const warm = performance.now();
  if (status !== 'licensed' || source !== 'cache') throw new Error(status);
  console.log(JSON.stringify([loaded - begun, cold - loaded, warm - cold]));`,
);

const times = Array.from({ length: runs }, () => JSON.parse(execFileSync(process.execPath, ['app.mjs'], { cwd: project }).toString()) as [number, number, number]);
const quantile = (place: 0 | 1 | 2, share: number): string => [...times.map((time) => time[place])].sort((a, b) => a - b)[Math.floor(share * (runs - 1))]!.toFixed(1);
for (const [what, place] of [['load the package', 0], ['first check()', 1], ['next check()', 2]] as const) {
  console.log(`${what.padEnd(18)} median ${quantile(place, 0.5).padStart(6)} ms   p95 ${quantile(place, 0.95).padStart(6)} ms`);
}
