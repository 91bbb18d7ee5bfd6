import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { synthesizedStage } from '../support/stages';
import { at, only, type Template } from '../support/template';

/** An operator copies the commands and queries of these pages during an incident, and must not have to correct them first. */

const root = resolve(__dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const runbook = read('docs/runbook.md');
const code = readdirSync(join(root, 'lambdas'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => read(join('lambdas', file)))
  .join('\n');

let template: Template;
beforeAll(async () => {
  ({ template } = await synthesizedStage('special'));
});

/** The contents of the code blocks of a page. `language` is empty for queries. */
const blocks = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^ *```(\w*)\n([^]*?)^ *```$/gm)].flatMap(([, of, block = '']) => (of === language ? [block] : []));

test.each(['docs/runbook.md', 'docs/operations.md', 'docs/deploy.md'])('%s names only outputs that the stack has', (file) => {
  const named = [
    ...read(file).matchAll(/\boutputs? `(\w+)`|\$\(output (\w+)\)|OutputKey=='(\w+)'|<(\w+(?:Secret|Url|Bucket|Group|Name))>/g),
  ].map((match) => match.slice(1).find(Boolean) ?? '');
  expect(named.length).toBeGreaterThan(2);
  // The stack has these outputs only with other options.
  const optional = ['NameTarget', 'ApiNameTarget'];
  expect(named.filter((name) => !(name in template.Outputs) && !optional.includes(name))).toEqual([]);
});

test('the outputs with the log groups name the group of the functions and the group of the access log', () => {
  const group = (output: string): unknown => at(template.Outputs, output, 'Value', 'Ref');
  const [, fn] = Object.entries(template.Resources).find(([id]) => id.startsWith('WorkersDeliver') && !id.includes('Role')) ?? [];
  expect(group('LogGroup')).toBe(at(fn, 'Properties', 'LoggingConfig', 'LogGroup', 'Ref'));
  const destination = at(only(template, 'AWS::ApiGateway::Stage')[1], 'Properties', 'AccessLogSetting', 'DestinationArn');
  expect(JSON.stringify(destination)).toContain(`"${String(group('AccessLogGroup'))}"`);
});

test('every query uses only fields that the log lines have', () => {
  const format = at(only(template, 'AWS::ApiGateway::Stage')[1], 'Properties', 'AccessLogSetting', 'Format');
  const ofAccessLog = Object.keys(JSON.parse(String(format)) as object);
  const queries = blocks(runbook, '');
  expect(queries.length).toBeGreaterThan(4);
  for (const query of queries) {
    const own = [...query.matchAll(/ as (\w+)/g)].map(([, name]) => name);
    const words = query.replace(/"[^"]*"|\/[^/\n]*\//g, ' ').match(/@?[a-z_]\w*/gi) ?? [];
    const language = /^(?:fields|filter|stats|sort|limit|count|max|by|as|in|like|and|desc|@timestamp|@message|@logStream)$/;
    const unknown = words.filter(
      (word) => !language.test(word) && !own.includes(word) && !ofAccessLog.includes(word) && !new RegExp(`\\b${word}\\b[,:]`).test(code),
    );
    expect([query, unknown]).toEqual([query, []]);
  }
});

test("the first commands read the admin token, and send it to the stage's own URL", () => {
  const folder = mkdtempSync(join(tmpdir(), 'runbook-'));
  try {
    for (const tool of ['aws', 'curl'])
      writeFileSync(join(folder, tool), `#!/bin/sh\nprintf '${tool} %s\\n' "$*" >> ${join(folder, 'calls')}\necho answer\n`, {
        mode: 0o755,
      });
    execFileSync('sh', ['-ec', blocks(runbook, 'sh')[0] ?? ''], { env: { PATH: `${folder}:/usr/bin:/bin` } });
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
    const lookUp = (name: string): unknown =>
      expect.stringContaining(
        `describe-stacks --stack-name license-key-service-production --query Stacks[0].Outputs[?OutputKey=='${name}']`,
      );
    expect(calls).toEqual([
      lookUp('AdminTokenSecret'),
      expect.stringContaining('aws secretsmanager get-secret-value --secret-id answer '),
      lookUp('Url'),
      expect.stringMatching(/^curl .*X-Svc-Admin-Token: answer .* answer\/v1\/mail\/status$/),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// Rows of other kinds have the same partition prefix and the same attribute. They record the progress of background work.
test('the page about disaster recovery increases exactly the counters from which ids are taken', () => {
  const counters = [...code.matchAll(/nextId\(table, counterKey\('(\w+)'\)\)/g)].map(([, name]) => name);
  const [, named = ''] = /for counter in ([\w ]+); do/.exec(read('docs/operations.md')) ?? [];
  expect(counters.length).toBeGreaterThan(3);
  expect(named.split(' ').sort()).toEqual(counters.sort());
});

test('every button of the admin page that the runbook names exists', () => {
  const pages = readdirSync(join(root, 'admin-site/src/pages'))
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => read(join('admin-site/src/pages', file)))
    .join('\n');
  const buttons = [...runbook.matchAll(/\*([^*\n]+)\* on (?:the page|the product's)/g)].map(([, button = '']) => button);
  expect(buttons.length).toBeGreaterThan(2);
  expect(buttons.filter((button) => !pages.includes(`t('${button}')`))).toEqual([]);
});
