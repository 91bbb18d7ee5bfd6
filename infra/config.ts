/** How mail leaves: through Amazon SES, through an SMTP server whose URL is kept in a secret, or not at all. */
export type MailConfig = { readonly transport: 'none' } | { readonly transport: 'ses' | 'smtp'; readonly from: string };

/**
 * What may differ between deployments, and nothing else: `dev` and `production` are rows here, and
 * the local run is a row too. Combinations that make no sense fail at synth with a sentence.
 */
export interface StageConfig {
  /** Names the stack and, in API Gateway, the stage. */
  readonly stage: string;
  /** True: the table survives the stack and refuses deletion. */
  readonly retainData: boolean;
  /** Days that logs are kept; one of CloudWatch's steps. */
  readonly logRetentionDays: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365;
  /** Lifetime in days of a token bound to a device. */
  readonly deviceTokenDays: number;
  /** Default lifetime in days of a token that the operator mints. */
  readonly offlineTokenDays: number;
  /** Webhooks may use `http:` and reach private addresses. */
  readonly webhookAllowPrivate: boolean;
  readonly mail: MailConfig;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
}

const production: StageConfig = {
  stage: 'production',
  retainData: true,
  logRetentionDays: 90,
  deviceTokenDays: 7,
  offlineTokenDays: 30,
  webhookAllowPrivate: false,
  mail: { transport: 'none' },
  logLevel: 'INFO',
};

export const stages: Readonly<Record<string, StageConfig>> = {
  production,
  dev: { ...production, stage: 'dev', retainData: false, logRetentionDays: 7, logLevel: 'DEBUG' },
  local: { ...production, stage: 'local', retainData: false, logRetentionDays: 1, webhookAllowPrivate: true },
};

/** A configuration that cannot be deployed; the message says what to change. */
export class ConfigError extends Error {}

/** The mail setup from the two words that the command line gives. */
export function mailConfig(transport: string, from: string | undefined): MailConfig {
  if (transport === 'none') return { transport };
  if (transport !== 'ses' && transport !== 'smtp') {
    throw new ConfigError(`The mail transport must be ses, smtp or none, not "${transport}".`);
  }
  if (!from) throw new ConfigError(`The mail transport ${transport} needs a from-address.`);
  return { transport, from };
}

/** The configuration of a stage, checked. */
export function configFor(stage: string, overrides: Partial<StageConfig> = {}): StageConfig {
  const known = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (!known) {
    throw new ConfigError(`There is no stage "${stage}". Choose one with -c stage=<${Object.keys(stages).join('|')}>.`);
  }
  const config = { ...known, ...overrides };
  for (const field of ['deviceTokenDays', 'offlineTokenDays'] as const) {
    const days = config[field];
    if (!Number.isInteger(days) || days < 1 || days > 3650) {
      throw new ConfigError(`${field} of stage "${stage}" is ${days}; it must be a whole number of days from 1 to 3650.`);
    }
  }
  if (config.mail.transport !== 'none' && !/^[^\s@<>]+@[^\s@<>]+$/.test(config.mail.from)) {
    throw new ConfigError(`mail.from of stage "${stage}" is "${config.mail.from}"; it must be a plain e-mail address.`);
  }
  if (config.stage === 'production' && config.webhookAllowPrivate) {
    throw new ConfigError(
      'Stage "production" must not set webhookAllowPrivate: webhooks could then reach private and metadata addresses of your network.',
    );
  }
  if (config.stage === 'production' && !config.retainData) {
    throw new ConfigError('Stage "production" must set retainData: otherwise deleting the stack deletes every license.');
  }
  return config;
}
