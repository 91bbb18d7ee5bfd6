import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { configFile, ConfigError, configFor, readStages, stages } from '../../infra/config';

const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef';

describe('an invalid configuration is refused, and the message names the remedy', () => {
  test.each<[string, () => unknown, string]>([
    [
      'an unknown stage',
      () => configFor('prod'),
      'There is no stage "prod". Choose one of production, dev, or add it to license-key-service.config.json.',
    ],
    ['no stage', () => configFor(''), 'There is no stage "". Choose one of production, dev, or add it to license-key-service.config.json.'],
    [
      'a stage with the name of a property that every JavaScript object has',
      () => configFor('constructor'),
      'There is no stage "constructor". Choose one of production, dev, or add it to license-key-service.config.json.',
    ],
    [
      'tokens that are valid for zero days',
      () => configFor('dev', { deviceTokenDays: 0 }),
      'deviceTokenDays of stage "dev" is 0; it must be a whole number of days from 1 to 3650.',
    ],
    [
      'tokens that are valid for a fraction of a day',
      () => configFor('dev', { offlineTokenDays: 1.5 }),
      'offlineTokenDays of stage "dev" is 1.5; it must be a whole number of days from 1 to 3650.',
    ],
    [
      'tokens that are valid for too many days',
      () => configFor('dev', { offlineTokenDays: 3651 }),
      'offlineTokenDays of stage "dev" is 3651; it must be a whole number of days from 1 to 3650.',
    ],
    [
      'webhooks to private addresses in production',
      () => configFor('production', { webhookAllowPrivate: true }),
      'Stage "production" must not set webhookAllowPrivate: webhooks could then reach private and metadata addresses of your network.',
    ],
    [
      'licenses of production that are deleted with the stack',
      () => configFor('production', { retainData: false }),
      'Stage "production" must set retainData: otherwise deleting the stack deletes every license.',
    ],
    [
      'mail from an invalid address',
      () => configFor('dev', { mail: { transport: 'ses', from: 'Licenses <licenses@example.com>' } }),
      'mail.from of stage "dev" is "Licenses <licenses@example.com>"; it must be a plain e-mail address.',
    ],
    [
      'a stage name that CloudFormation refuses',
      () => configFor('dev', { stage: 'Dev_1' }),
      'The stage name "Dev_1" becomes part of a stack\'s name and of a path: use up to 24 lower-case letters, digits and hyphens, starting with a letter.',
    ],
    [
      'a stage name that is too long for names that contain the stage and the region',
      () => configFor('dev', { stage: 's'.repeat(25) }),
      'use up to 24 lower-case letters',
    ],
    [
      'alarms to an invalid address',
      () => configFor('dev', { alarmEmail: 'the operator' }),
      'alarmEmail of stage "dev" is "the operator"; it must be a plain e-mail address.',
    ],
    [
      'a name of a region instead of its code',
      () => configFor('dev', { region: 'Frankfurt' }),
      'region of stage "dev" is "Frankfurt"; it must be a region\'s code, such as eu-central-1.',
    ],
    [
      'a URL instead of a domain name',
      () => configFor('dev', { domain: { name: 'https://licenses.example.com', certificateArn } }),
      'domain.name of stage "dev" is "https://licenses.example.com"; it must be a bare name in lower case, such as licenses.example.com.',
    ],
    [
      'a certificate of the distribution in a region other than us-east-1',
      () =>
        configFor('dev', {
          region: 'eu-central-1',
          domain: { name: 'licenses.example.com', certificateArn: certificateArn.replace('us-east-1', 'eu-central-1') },
        }),
      "CloudFront accepts only a certificate of AWS Certificate Manager in us-east-1, regardless of the stage's region.",
    ],
    [
      'a hosted zone that does not contain the domain',
      () => configFor('dev', { domain: { name: 'licenses.example.com', certificateArn, hostedZone: { id: 'Z1', name: 'example.org' } } }),
      'domain.hostedZone of stage "dev" is example.org, which does not contain licenses.example.com.',
    ],
    [
      'a firewall for CloudFront in a region other than us-east-1',
      () => configFor('dev', { region: 'eu-central-1', firewall: { requestsPer5Minutes: 2000 } }),
      'Stage "dev" sets a firewall, which CloudFront accepts only from us-east-1. Set region to "us-east-1", or leave firewall out.',
    ],
    [
      'a firewall that blocks everybody',
      () => configFor('dev', { region: 'us-east-1', firewall: { requestsPer5Minutes: 1 } }),
      'firewall.requestsPer5Minutes of stage "dev" is 1; AWS WAF takes whole numbers from 10 to 2,000,000,000.',
    ],
    [
      'a restored table if the current table would be deleted',
      () => configFor('dev', { restoredTable: 'licenses-restored' }),
      'Stage "dev" sets restoredTable without retainData: the stack\'s own table would be deleted. Set retainData and deploy the stack before you set restoredTable.',
    ],
    [
      'a certificate of the API in another region than the API',
      () =>
        configFor('dev', {
          region: 'eu-central-1',
          domain: { name: 'licenses.example.com', certificateArn, api: { name: 'api.example.com', certificateArn } },
        }),
      "API Gateway accepts only a certificate of AWS Certificate Manager in the stage's own region. Set region to that of the certificate.",
    ],
    [
      'the same name for the distribution and the API',
      () =>
        configFor('dev', {
          region: 'us-east-1',
          domain: { name: 'licenses.example.com', certificateArn, api: { name: 'licenses.example.com', certificateArn } },
        }),
      'domain.api.name of stage "dev" is licenses.example.com, which is already the distribution\'s name; give the API another name.',
    ],
    [
      'a domain name for a closed API',
      () =>
        configFor('dev', {
          region: 'us-east-1',
          closeApi: true,
          domain: { name: 'licenses.example.com', certificateArn, api: { name: 'api.example.com', certificateArn } },
        }),
      'Stage "dev" sets closeApi and domain.api: with closeApi, nobody can call the API at the name in domain.api. Leave one of them out.',
    ],
    [
      'a budget of zero',
      () => configFor('dev', { monthlyBudgetUsd: 0 }),
      'monthlyBudgetUsd of stage "dev" is 0; it must be an amount of 1 US dollar or more.',
    ],
    [
      'a fraction of an instance',
      () => configFor('dev', { warm: { activate: 0.5 } }),
      'warm.activate of stage "dev" is 0.5; it must be a whole number of instances from 0 to 1000.',
    ],
    [
      'instances that cost more than the budget',
      () => configFor('dev', { warm: { validate: 2, activate: 1 } }),
      'The setting warm of stage "dev" has 3 instances, which cost about $27 a month. This is more than monthlyBudgetUsd (20). Raise monthlyBudgetUsd, or set fewer instances.',
    ],
    [
      'a repository without an https: address',
      () => configFor('dev', { repositoryUrl: 'github.com/acme' }),
      'repositoryUrl of stage "dev" is "github.com/acme"; it must be an https: address without a trailing slash, such as https://github.com/acme/licenses.',
    ],
    [
      'a log level of production that hides warnings',
      () => configFor('production', { logLevel: 'ERROR' }),
      'Stage "production" must log at INFO or WARN, not ERROR: DEBUG makes the log expensive, and ERROR hides the warnings that the runbook needs.',
    ],
  ])('%s', (_case, configure, sentence) => {
    expect(configure).toThrow(ConfigError);
    expect(configure).toThrow(sentence);
  });

  test.each(Object.keys(stages))('the stage %s is valid unchanged', (stage) => expect(configFor(stage).stage).toBe(stage));
});

describe('the configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lks-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (text: string): string => {
    const path = join(folder, 'license-key-service.config.json');
    writeFileSync(path, text);
    return path;
  };

  test('changes settings of the built-in stages, and adds stages with the defaults of production', () => {
    const path = file(
      '{ "stages": { "dev": { "region": "eu-central-1" }, "staging": { "mail": { "transport": "ses", "from": "a@example.com" } } } }',
    );
    const all = readStages(path, { isOptional: false });
    expect(configFor('dev', {}, all)).toEqual({ ...stages['dev'], region: 'eu-central-1' });
    expect(configFor('production', {}, all)).toEqual(stages['production']);
    const mail = { transport: 'ses', from: 'a@example.com' };
    expect(configFor('staging', {}, all)).toEqual({ ...stages['production'], stage: 'staging', mail });
  });

  test.each([
    ['{ "stages": { "dev": { "regoin": "eu-central-1" } } }', 'stages.dev: Unrecognized key: "regoin"'],
    ['{ "stages": { "dev": { "logRetentionDays": 8 } } }', 'stages.dev.logRetentionDays: Invalid'],
    ['{ "stages": { "dev": { "mail": { "transport": "ses" } } } }', 'stages.dev.mail.from: Invalid input: expected string'],
    ['{ "stages": { "dev": { "mail": { "transport": "pigeon" } } } }', 'stages.dev.mail.transport: Invalid'],
    ['{ "stages": {', 'is not JSON'],
  ])('%s is refused with a message that names the field', (text, sentence) => {
    const read = () => readStages(file(text), { isOptional: true });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(sentence);
  });

  test('may be missing only if no command names it', () => {
    const path = join(folder, 'none.json');
    expect(readStages(path, { isOptional: true })).toEqual(stages);
    expect(() => readStages(path, { isOptional: false })).toThrow(ConfigError);
  });

  // Editors check the file with the published schema.
  test('has a published JSON schema with every setting', () => {
    const published: unknown = JSON.parse(readFileSync(join(__dirname, '../../docs/license-key-service.config.schema.json'), 'utf8'));
    expect(published).toEqual(z.toJSONSchema(configFile, { io: 'input' }));
  });
});
