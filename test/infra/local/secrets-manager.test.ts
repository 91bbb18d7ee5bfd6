import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { callAws } from '../../../infra/local/aws';
import * as secretsManager from '../../../infra/local/secrets-manager';
import { templateOf, temporaryFolder, type Resources } from './support';

const secret = (GenerateSecretString: object): Resources[string] => ({
  Type: 'AWS::SecretsManager::Secret',
  Properties: { GenerateSecretString },
});

const resources: Resources = {
  Plain: secret({ PasswordLength: 48, ExcludePunctuation: true }),
  Digits: secret({ PasswordLength: 6, ExcludePunctuation: true, ExcludeLowercase: true, ExcludeUppercase: true, ExcludeCharacters: '01' }),
  Keyed: secret({ SecretStringTemplate: '{"user":"me"}', GenerateStringKey: 'password' }),
  Fixed: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'known', SecretString: 'given' } },
};

async function values(options: Parameters<typeof secretsManager.start>[1]): Promise<Record<string, string>> {
  const template = templateOf(resources);
  const running = await secretsManager.start(template, options);
  const found = Object.keys(resources).map((id) => [id, running.value(String(template.resolve({ Ref: id }, id)))!] as const);
  await running.stop();
  await running.stop();
  return Object.fromEntries(found);
}

test('generated values follow the rules of the template', async () => {
  const { Plain, Digits, Keyed, Fixed } = await values({});
  expect(Plain).toMatch(/^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9]{48}$/);
  expect(Digits).toMatch(/^[2-9]{6}$/);
  expect(JSON.parse(Keyed!)).toEqual({ user: 'me', password: expect.stringMatching(/^.{32}$/) });
  expect(Fixed).toBe('given');
});

test('values are generated once and stored in a file that only its owner may read; without a file they are not stored', async () => {
  const file = join(temporaryFolder(), 'secrets.json');
  const first = await values({ file });
  expect(await values({ file })).toEqual(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain('given');
  expect((await values({}))['Plain']).not.toBe((await values({}))['Plain']);
});

test('a value from the settings replaces the stored value for one run only', async () => {
  const file = join(temporaryFolder(), 'secrets.json');
  const first = await values({ file });
  const override = (arn: string) => (arn.includes(':Plain-') ? 'mine' : undefined);
  expect(await values({ file, override })).toEqual({ ...first, Plain: 'mine' });
  expect(await values({ file })).toEqual(first);
});

test("a new value is served at once and stored, but a value from the settings can't be replaced", async () => {
  const file = join(temporaryFolder(), 'secrets.json');
  const template = templateOf(resources);
  const running = await secretsManager.start(template, { file });
  const call = (action: string, input: object) => callAws<Record<string, unknown>>(running.endpoint, `secretsmanager.${action}`, input);
  const id = String(template.resolve({ Ref: 'Plain' }, ''));
  expect(await call('PutSecretValue', { SecretId: id, SecretString: 'new', ClientRequestToken: 'v2' })).toMatchObject({
    ARN: id,
    VersionId: 'v2',
  });
  expect(await call('GetSecretValue', { SecretId: id })).toMatchObject({ SecretString: 'new', VersionId: 'v2' });
  await expect(call('PutSecretValue', { SecretId: id })).rejects.toMatchObject({ code: 'InvalidParameterException' });
  await expect(call('PutSecretValue', { SecretId: 'known', SecretString: 'new' })).rejects.toMatchObject({
    code: 'InvalidRequestException',
  });
  await running.stop();
  expect((await values({ file }))['Plain']).toBe('new');
});

test('the endpoint implements the protocol of Secrets Manager', async () => {
  const template = templateOf(resources);
  const running = await secretsManager.start(template, {});
  const call = (action: string, input: object) => callAws<Record<string, unknown>>(running.endpoint, `secretsmanager.${action}`, input);
  const arn = String(template.resolve({ Ref: 'Fixed' }, ''));
  expect(await call('GetSecretValue', { SecretId: arn })).toMatchObject({
    ARN: arn,
    Name: 'known',
    SecretString: 'given',
    VersionStages: ['AWSCURRENT'],
  });
  expect(await call('GetSecretValue', { SecretId: 'known' })).toMatchObject({ SecretString: 'given' });
  expect(await call('DescribeSecret', { SecretId: arn })).toMatchObject({ ARN: arn, Name: 'known' });
  await expect(call('GetSecretValue', { SecretId: 'unknown' })).rejects.toMatchObject({ code: 'ResourceNotFoundException' });
  await expect(call('GetSecretValue', {})).rejects.toMatchObject({ code: 'InvalidParameterException' });
  await expect(call('RotateSecret', { SecretId: arn })).rejects.toMatchObject({ code: 'UnknownOperationException' });
  await running.stop();
});
