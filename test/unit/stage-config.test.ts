import { ConfigError, configFor, mailConfig, stages } from '../../infra/config';

describe('a configuration that makes no sense is refused with the remedy', () => {
  test.each<[string, () => unknown, string]>([
    ['an unknown stage', () => configFor('prod'), 'There is no stage "prod". Choose one with -c stage=<production|dev|local>.'],
    ['no stage', () => configFor(''), 'There is no stage "". Choose one with -c stage=<production|dev|local>.'],
    ['a word that JavaScript knows', () => configFor('constructor'), 'There is no stage "constructor". Choose one with -c stage=<production|dev|local>.'],
    ['tokens that live for no time', () => configFor('dev', { deviceTokenDays: 0 }), 'deviceTokenDays of stage "dev" is 0; it must be a whole number of days from 1 to 3650.'],
    ['tokens that live for part of a day', () => configFor('dev', { offlineTokenDays: 1.5 }), 'offlineTokenDays of stage "dev" is 1.5; it must be a whole number of days from 1 to 3650.'],
    ['tokens that outlive everything', () => configFor('dev', { offlineTokenDays: 3651 }), 'offlineTokenDays of stage "dev" is 3651; it must be a whole number of days from 1 to 3650.'],
    ['webhooks into the network of production', () => configFor('production', { webhookAllowPrivate: true }), 'Stage "production" must not set webhookAllowPrivate: webhooks could then reach private and metadata addresses of your network.'],
    ['licenses of production that go with the stack', () => configFor('production', { retainData: false }), 'Stage "production" must set retainData: otherwise deleting the stack deletes every license.'],
    ['mail from nobody', () => mailConfig('ses', undefined), 'The mail transport ses needs a from-address.'],
    ['mail by an unknown transport', () => mailConfig('pigeon', 'licenses@example.com'), 'The mail transport must be ses, smtp or none, not "pigeon".'],
    ['mail from what is no address', () => configFor('dev', { mail: { transport: 'ses', from: 'Licenses <licenses@example.com>' } }), 'mail.from of stage "dev" is "Licenses <licenses@example.com>"; it must be a plain e-mail address.'],
  ])('%s', (_case, configure, sentence) => {
    expect(configure).toThrow(ConfigError);
    expect(configure).toThrow(sentence);
  });

  test.each(Object.keys(stages))('the stage %s is sound as it is', (stage) => expect(configFor(stage).stage).toBe(stage));
});
