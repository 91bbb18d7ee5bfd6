import { ConfigError, configFor, mailConfig, stages } from '../../infra/config';

const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef';

describe('an invalid configuration is refused with the remedy', () => {
  test.each<[string, () => unknown, string]>([
    ['an unknown stage', () => configFor('prod'), 'There is no stage "prod". Choose one with -c stage=<production|dev|local>.'],
    ['no stage', () => configFor(''), 'There is no stage "". Choose one with -c stage=<production|dev|local>.'],
    [
      'a word that JavaScript knows',
      () => configFor('constructor'),
      'There is no stage "constructor". Choose one with -c stage=<production|dev|local>.',
    ],
    [
      'tokens that live for no time',
      () => configFor('dev', { deviceTokenDays: 0 }),
      'deviceTokenDays of stage "dev" is 0; it must be a whole number of days from 1 to 3650.',
    ],
    [
      'tokens that live for part of a day',
      () => configFor('dev', { offlineTokenDays: 1.5 }),
      'offlineTokenDays of stage "dev" is 1.5; it must be a whole number of days from 1 to 3650.',
    ],
    [
      'tokens that outlive everything',
      () => configFor('dev', { offlineTokenDays: 3651 }),
      'offlineTokenDays of stage "dev" is 3651; it must be a whole number of days from 1 to 3650.',
    ],
    [
      'webhooks into the network of production',
      () => configFor('production', { webhookAllowPrivate: true }),
      'Stage "production" must not set webhookAllowPrivate: webhooks could then reach private and metadata addresses of your network.',
    ],
    [
      'licenses of production that go with the stack',
      () => configFor('production', { retainData: false }),
      'Stage "production" must set retainData: otherwise deleting the stack deletes every license.',
    ],
    ['mail from nobody', () => mailConfig('ses', undefined), 'The mail transport ses needs a from-address.'],
    [
      'mail by an unknown transport',
      () => mailConfig('pigeon', 'licenses@example.com'),
      'The mail transport must be ses, smtp or none, not "pigeon".',
    ],
    [
      'mail from what is no address',
      () => configFor('dev', { mail: { transport: 'ses', from: 'Licenses <licenses@example.com>' } }),
      'mail.from of stage "dev" is "Licenses <licenses@example.com>"; it must be a plain e-mail address.',
    ],
    [
      'a stage whose name CloudFormation would not take',
      () => configFor('dev', { stage: 'Dev_1' }),
      'The stage "Dev_1" names a stack and a path: use up to 24 lower-case letters, digits and hyphens, starting with a letter.',
    ],
    [
      'a stage whose name leaves no room for that of a region beside it',
      () => configFor('dev', { stage: 's'.repeat(25) }),
      'use up to 24 lower-case letters',
    ],
    [
      'alarms to nobody',
      () => configFor('dev', { alarmEmail: 'the operator' }),
      'alarmEmail of stage "dev" is "the operator"; it must be a plain e-mail address.',
    ],
    [
      'a region by its name',
      () => configFor('dev', { region: 'Frankfurt' }),
      'region of stage "dev" is "Frankfurt"; it must be a region\'s code, such as eu-central-1.',
    ],
    [
      'an address for a name',
      () => configFor('dev', { domain: { name: 'https://licenses.example.com', certificateArn } }),
      'domain.name of stage "dev" is "https://licenses.example.com"; it must be a bare name in lower case, such as licenses.example.com.',
    ],
    [
      'a certificate where CloudFront does not look',
      () =>
        configFor('dev', {
          region: 'eu-central-1',
          domain: { name: 'licenses.example.com', certificateArn: certificateArn.replace('us-east-1', 'eu-central-1') },
        }),
      "CloudFront takes only a certificate of AWS Certificate Manager in us-east-1, regardless of the stage's region.",
    ],
    [
      'a zone of somebody else',
      () => configFor('dev', { domain: { name: 'licenses.example.com', certificateArn, hostedZone: { id: 'Z1', name: 'example.org' } } }),
      'domain.hostedZone of stage "dev" is example.org, which does not contain licenses.example.com.',
    ],
    [
      'a firewall in a region that has none for CloudFront',
      () => configFor('dev', { region: 'eu-central-1', firewall: { requestsPer5Minutes: 2000 } }),
      'Stage "dev" sets a firewall, which CloudFront accepts only from us-east-1. Set region to "us-east-1", or leave firewall out.',
    ],
    [
      'a firewall that blocks everybody',
      () => configFor('dev', { region: 'us-east-1', firewall: { requestsPer5Minutes: 1 } }),
      'firewall.requestsPer5Minutes of stage "dev" is 1; AWS WAF takes whole numbers from 10 to 2,000,000,000.',
    ],
    [
      'a restored table in the place of one that would be deleted',
      () => configFor('dev', { restoredTable: 'licenses-restored' }),
      'Stage "dev" sets restoredTable without retainData: its current table would be deleted. Set retainData and deploy that first.',
    ],
    [
      'a certificate where API Gateway does not look',
      () =>
        configFor('dev', {
          region: 'eu-central-1',
          domain: { name: 'licenses.example.com', certificateArn, api: { name: 'api.example.com', certificateArn } },
        }),
      "API Gateway takes only a certificate of AWS Certificate Manager in the stage's own region. Set region to that of the certificate.",
    ],
    [
      'one name for two things',
      () =>
        configFor('dev', {
          region: 'us-east-1',
          domain: { name: 'licenses.example.com', certificateArn, api: { name: 'licenses.example.com', certificateArn } },
        }),
      'domain.api.name of stage "dev" is licenses.example.com, which is already the distribution\'s name; give the API another name.',
    ],
    [
      'a name of an API that nobody may call',
      () =>
        configFor('dev', {
          region: 'us-east-1',
          closeApi: true,
          domain: { name: 'licenses.example.com', certificateArn, api: { name: 'api.example.com', certificateArn } },
        }),
      'Stage "dev" sets closeApi and domain.api: a closed API needs no name. Leave one of them out.',
    ],
    [
      'a budget of nothing',
      () => configFor('dev', { monthlyBudgetUsd: 0 }),
      'monthlyBudgetUsd of stage "dev" is 0; it must be an amount of 1 US dollar or more.',
    ],
    [
      'half an instance',
      () => configFor('dev', { warm: { activate: 0.5 } }),
      'warm.activate of stage "dev" is 0.5; it must be a whole number of instances from 0 to 1000.',
    ],
    [
      'instances that cost more than the budget',
      () => configFor('dev', { warm: { validate: 2, activate: 1 } }),
      'The 3 instances in warm of stage "dev" cost about $27 a month, more than monthlyBudgetUsd (20): raise it.',
    ],
    [
      'a repository that no link leads to',
      () => configFor('dev', { repositoryUrl: 'github.com/acme' }),
      'repositoryUrl of stage "dev" is "github.com/acme"; it must be an https: address without a trailing slash, such as https://github.com/acme/licenses.',
    ],
    [
      'a production that hides its warnings',
      () => configFor('production', { logLevel: 'ERROR' }),
      'Stage "production" must log at INFO or WARN, not ERROR: DEBUG costs more than it shows, ERROR hides the warnings that the runbook asks for.',
    ],
  ])('%s', (_case, configure, sentence) => {
    expect(configure).toThrow(ConfigError);
    expect(configure).toThrow(sentence);
  });

  test.each(Object.keys(stages))('the stage %s is valid unchanged', (stage) => expect(configFor(stage).stage).toBe(stage));
});
