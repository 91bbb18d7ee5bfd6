/**
 * `node --import tsx test/bench/client-check.ts [runs]`: measures how long an app waits for its license at a cold start, and how many bytes
 * the client adds to an app. Every run is a separate process that loads the built package and calls `check()` twice, with a cached token in
 * a file. Two more processes verify that token, one with the platform's Ed25519 and one with the fallback. If LKS_LIBRARY names the shared
 * library of client/c (`cargo build --release`), a program in C is measured in the same way.
 */
import { buildSync } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
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
const license = {
  id: 1,
  product_slug: 'bench',
  expires_at: null,
  updates_until: null,
  max_major: null,
  license_type: { kind: 'lifetime' },
} as License;
const token = mintToken(tokenSigner(seed, pem), license, { id: 'bench', fingerprint, ttlDays: 7, now: Date.now() });
writeFileSync(join(project, 'bench.json'), JSON.stringify({ v: 1, key: 'bench', token, seen: Date.now() }));

writeFileSync(
  join(project, 'app.mjs'),
  `const begun = performance.now();
  const { LicenseClient } = await import('./dist/index.mjs');
  const { fileStorage } = await import('./dist/node/index.mjs');
  const loaded = performance.now();
  const client = new LicenseClient({ baseUrl: 'http://127.0.0.1:1', productId: 1, apiKey: 'pk', publicKey: ${JSON.stringify(pem)}, fingerprint: '${fingerprint}', storage: fileStorage('.'), storageName: 'bench' });
  const { status, source } = await client.check();
  const cold = performance.now();
  await client.check();
  const warm = performance.now();
  if (status !== 'licensed' || source !== 'cache') throw new Error(status);
  console.log(JSON.stringify([loaded - begun, cold - loaded, warm - cold]));`,
);

/** Starts an app `runs` times, and prints how long it waited. At each start, the app prints its three measured times as JSON. */
function printStarts(language: string, file: string, args: readonly string[]): void {
  const times = Array.from(
    { length: runs },
    () => JSON.parse(execFileSync(file, args, { cwd: project }).toString()) as [number, number, number],
  );
  const quantile = (place: 0 | 1 | 2, share: number): string =>
    [...times.map((time) => time[place])].sort((a, b) => a - b)[Math.floor(share * (runs - 1))]!.toFixed(2);
  for (const [what, place] of [
    ['load the package', 0],
    ['first check()', 1],
    ['next check()', 2],
  ] as const) {
    const name = `${language}: ${what}`.padEnd(30);
    console.log(`${name} median ${quantile(place, 0.5).padStart(6)} ms   p95 ${quantile(place, 0.95).padStart(6)} ms`);
  }
}
printStarts('TypeScript', process.execPath, ['app.mjs']);

const library = process.env['LKS_LIBRARY'];
if (library !== undefined) {
  const options = JSON.stringify({
    base_url: 'http://127.0.0.1:1',
    product_id: 1,
    api_key: 'pk',
    public_key: pem,
    fingerprint,
    storage: project,
    storage_name: 'bench',
  });
  writeFileSync(
    join(project, 'app.c'),
    `#include <dlfcn.h>
    #include <stdio.h>
    #include <string.h>
    #include <time.h>
    static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
    int main(void) {
      double begun = now();
      void *library = dlopen(${JSON.stringify(resolve(library))}, RTLD_NOW);
      if (!library) return 1;
      void *(*open)(const char *, char **) = (void *(*)(const char *, char **))dlsym(library, "lks_open");
      char *(*check)(void *) = (char *(*)(void *))dlsym(library, "lks_check");
      double loaded = now();
      void *license = open(${JSON.stringify(options)}, 0);
      char *state = check(license);
      double cold = now();
      check(license);
      double warm = now();
      if (!strstr(state, "\\"source\\":\\"cache\\"")) return 2;
      printf("[%f, %f, %f]", loaded - begun, cold - loaded, warm - cold);
      return 0;
    }`,
  );
  execFileSync('cc', ['-O2', '-o', 'app-in-c', 'app.c', '-ldl'], { cwd: project });
  printStarts('C', join(project, 'app-in-c'), []);
}

writeFileSync(
  join(project, 'verify.mjs'),
  `// Without these properties the fallback is the only Ed25519 implementation.
  if (process.argv[2] === 'fallback') {
    process.getBuiltinModule = undefined;
    Object.defineProperty(globalThis, 'crypto', { value: undefined });
  }
  const { ed25519 } = await import('./dist/fallback/index.mjs');
  const { verifyToken } = await import('./dist/index.mjs');
  const times = [];
  for (let n = 0; n < 201; n += 1) {
    const begun = performance.now();
    const { problem } = await verifyToken(${JSON.stringify(token)}, { publicKey: ${JSON.stringify(pem)}, ed25519, fingerprint: '${fingerprint}' });
    times.push(performance.now() - begun);
    if (problem) throw new Error(problem);
  }
  const [first, ...later] = times;
  console.log(JSON.stringify([first, later.sort((a, b) => a - b)[100]]));`,
);
for (const ed25519 of ['platform', 'fallback']) {
  const [first, later] = JSON.parse(execFileSync(process.execPath, ['verify.mjs', ed25519], { cwd: project }).toString()) as [
    number,
    number,
  ];
  console.log(`verify, ${ed25519.padEnd(10)} first  ${first.toFixed(1).padStart(6)} ms   then median ${later.toFixed(2).padStart(6)} ms`);
}

/** The compressed size of an entry point after an app's bundler has processed it. */
function compressedBytes(entry: string, external: string[]): number {
  const [file] = buildSync({
    entryPoints: [resolve(__dirname, '../..', entry)],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    external,
    write: false,
  }).outputFiles;
  return gzipSync(file?.contents ?? '', { level: 9 }).length;
}
for (const [what, entry] of [
  ['all of the client', 'client/src/index.ts'],
  ['its fallback', 'client/src/fallback/index.ts'],
] as const) {
  console.log(`${what.padEnd(20)} ${String(compressedBytes(entry, ['crypto'])).padStart(6)} bytes compressed`);
}
