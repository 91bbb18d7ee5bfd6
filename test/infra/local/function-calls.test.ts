import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEMORY, start, type Stack } from '../../../infra/local/stack';

/** Runs the service's own template without some of its permissions. The local run must refuse the calls as AWS would. */

interface Role {
  readonly Type: string;
  readonly Properties: {
    readonly Policies?: readonly { readonly PolicyDocument: { readonly Statement: { Action: string | string[] }[] } }[];
  };
}

const assembly = mkdtempSync(join(tmpdir(), 'lks-guard-'));
const denials: string[] = [];
let stack: Stack;

/** Removes an action from the roles of the functions whose id matches the pattern. */
function revoke(functionId: RegExp, action: string): void {
  const file = join(assembly, readdirSync(assembly).find((name) => name.endsWith('.template.json')) ?? '');
  const template = JSON.parse(readFileSync(file, 'utf8')) as { Resources: Record<string, Role> };
  let revoked = 0;
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (Type !== 'AWS::IAM::Role' || !functionId.test(id)) continue;
    for (const statement of (Properties.Policies ?? []).flatMap(({ PolicyDocument }) => PolicyDocument.Statement)) {
      const left = [statement.Action].flat().filter((name) => name !== action);
      revoked += [statement.Action].flat().length - left.length;
      statement.Action = left.length > 0 ? left : 'none:None';
    }
  }
  if (revoked === 0) throw new Error(`No role of ${functionId.source} allows ${action}`);
  writeFileSync(file, JSON.stringify(template));
}

const post = (path: string, headers: Record<string, string>, body: object): Promise<Response> =>
  fetch(`${stack.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const admin = { 'X-Svc-Admin-Token': 'token' };

beforeAll(async () => {
  cpSync(process.env['LKS_ASSEMBLY'] ?? '', assembly, { recursive: true });
  revoke(/^HttpCreateLicense(?!Type)/, 'dynamodb:PutItem');
  revoke(/^HttpTestWebhook/, 'sqs:SendMessage');
  stack = await start({ assembly, dataDir: MEMORY, adminToken: 'token', print: (line) => denials.push(line) });
});
afterAll(async () => {
  await stack.stop();
  rmSync(assembly, { recursive: true, force: true });
});

test("a request fails if its function's role lacks a permission, as on AWS, and the log names the missing permission", async () => {
  const product = await post('/v1/products', admin, { name: 'Guarded', slug: 'guarded' });
  const { id } = (await product.json()) as { id: number };
  const type = await post(`/v1/products/${id}/license-types`, admin, { name: 'Lifetime', kind: 'lifetime' });
  const { id: license_type_id } = (await type.json()) as { id: number };
  expect([product.status, type.status]).toEqual([201, 201]);

  const refused = await post(`/v1/products/${id}/licenses`, admin, { license_type_id });
  expect([refused.status, await refused.json()]).toEqual([500, { detail: 'Internal error' }]);
  expect(denials.join('\n')).toMatch(/HttpCreateLicense\w* is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:/);
});

test("a message to the queue is refused too if the function's role lacks the permission", async () => {
  const product = await post('/v1/products', admin, { name: 'Mute', slug: 'mute' });
  const { id } = (await product.json()) as { id: number };
  await post(`/v1/products/${id}/webhook`, admin, { url: 'http://127.0.0.1:1/' });
  // The caller gets no error although the message is refused, because the event is in the table, and the sweeper finds it there.
  const test = await post(`/v1/products/${id}/webhook/test`, admin, {});
  expect(test.status).toBe(202);
  expect(denials.join('\n')).toMatch(/HttpTestWebhook\w* is not authorized to perform: sqs:SendMessage on resource: arn:aws:sqs:/);
});
