/**
 * `npm run test:openapi`: compares the API with the API of the last release (test/fixtures/release), and fails if a change is breaking
 * (docs/versioning.md). With `--update`, it stores the API of this version as the last release instead. The comparison needs Go; it is
 * skipped if there is none, or if the tool can't be fetched, like the tests of the clients in other languages.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { temporaryFolder } from '../infra/temporary-folder';
import { computeOpenapiJson } from '../lambdas/runtime/openapi-text';

/** https://www.oasdiff.com */
const OASDIFF = 'github.com/oasdiff/oasdiff@v1.37.0';
const INSTALL_TIMEOUT_MS = 300_000;
const stored = join(__dirname, 'fixtures/release/openapi.json.gz');

/** Further values of an enumeration in a response are not a breaking change (docs/versioning.md). */
const LEVELS = 'response-property-enum-value-added info\n';

interface Document {
  readonly paths: object;
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly requestBody: { readonly content: object } } }>>;
}

/** oasdiff pairs changed alternatives only by their title. Those of the API have none, so each gets its position. */
const withTitles = (key: string, value: unknown): unknown =>
  key === 'anyOf' ? (value as object[]).map((schema, index) => ('$ref' in schema ? schema : { ...schema, title: `${index}` })) : value;

/**
 * The document as oasdiff can compare it, with its webhooks as responses. The service sends webhooks, so their bodies may get further
 * fields, like responses. oasdiff would compare them as requests, which may not.
 */
function comparable(json: string): string {
  const { webhooks, paths, ...document } = JSON.parse(json, withTitles) as Document;
  const events = Object.entries(webhooks).map(([name, { post }]) => {
    const responses = { '200': { description: name, content: post.requestBody.content } };
    return [`/webhooks/${name}`, { get: { operationId: name, responses } }] as const;
  });
  return JSON.stringify({ ...document, paths: { ...paths, ...Object.fromEntries(events) } });
}

function compare(): number {
  const folder = temporaryFolder('lks-openapi-');
  const [released, current] = [join(folder, 'released.json'), join(folder, 'current.json')];
  writeFileSync(released, comparable(gunzipSync(readFileSync(stored)).toString()));
  writeFileSync(current, comparable(computeOpenapiJson()));
  const levels = join(folder, 'levels');
  writeFileSync(levels, LEVELS);
  const options = { cwd: folder, stdio: 'inherit' } as const;
  const install = { ...options, timeout: INSTALL_TIMEOUT_MS, env: { ...process.env, GOBIN: folder } };
  const { status, error } = spawnSync('go', ['install', OASDIFF], install);
  if (status !== 0) {
    console.log(`skip  the comparison, because Go could not install oasdiff${error ? `: ${error.message}` : ''}`);
    return 0;
  }
  return (
    spawnSync(join(folder, 'oasdiff'), ['breaking', released, current, '--fail-on', 'ERR', '--severity-levels', levels], options).status ??
    1
  );
}

if (process.argv.includes('--update')) writeFileSync(stored, gzipSync(computeOpenapiJson(), { level: 9 }));
else process.exitCode = compare();
