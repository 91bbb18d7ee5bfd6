/** How mail leaves: through Amazon SES, through an SMTP server whose URL is kept in a secret, or not at all. */
export type MailConfig = { readonly transport: 'none' } | { readonly transport: 'ses' | 'smtp'; readonly from: string };

/** A name of one's own for the distribution. */
export interface DomainConfig {
  readonly name: string;
  /** A certificate of AWS Certificate Manager in us-east-1: CloudFront takes none from elsewhere. */
  readonly certificateArn: string;
  /** A public zone in Route 53 that holds the name; without one, point the name at the distribution by hand. */
  readonly hostedZone?: { readonly id: string; readonly name: string };
}

/** AWS WAF in front of the distribution. */
export interface FirewallConfig {
  /** Most requests of one address within five minutes. */
  readonly requestsPer5Minutes: number;
}

/**
 * What may differ between deployments, and nothing else: `dev` and `production` are rows here, and
 * the local run is a row too. Combinations that make no sense fail at synth with a sentence.
 */
export interface StageConfig {
  /** Names the stack and, in API Gateway, the stage. */
  readonly stage: string;
  /** Where to deploy to; by default where the command line's AWS profile points. */
  readonly region?: string;
  /** True: table, secrets and logs survive the stack, and the table refuses deletion. */
  readonly retainData: boolean;
  /** The name of a restored table that takes the place of the stack's own (docs/operations.md, Disaster recovery). */
  readonly restoredTable?: string;
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
  /** Functions send traces to X-Ray. */
  readonly tracing: boolean;
  /** Who is told of alarms; nobody where it is left out. The address confirms a mail from AWS once. */
  readonly alarmEmail?: string;
  readonly domain?: DomainConfig;
  readonly firewall?: FirewallConfig;
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
  tracing: true,
};

export const stages: Readonly<Record<string, StageConfig>> = {
  production,
  dev: { ...production, stage: 'dev', retainData: false, logRetentionDays: 7, logLevel: 'DEBUG' },
  local: { ...production, stage: 'local', retainData: false, logRetentionDays: 1, webhookAllowPrivate: true, tracing: false },
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

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;

/** Every sentence about what is wrong with a configuration. */
function* problems(config: StageConfig): Generator<string> {
  const { stage, region, mail, domain, firewall, alarmEmail } = config;
  // 64 characters are the most for the name of an origin access control, which has the region in it as well (`edge.ts`).
  if (!/^[a-z][a-z0-9-]{0,23}$/.test(stage)) {
    yield `The stage "${stage}" names a stack and a path: use up to 24 lower-case letters, digits and hyphens, starting with a letter.`;
  }
  for (const field of ['deviceTokenDays', 'offlineTokenDays'] as const) {
    const days = config[field];
    if (!Number.isInteger(days) || days < 1 || days > 3650) {
      yield `${field} of stage "${stage}" is ${days}; it must be a whole number of days from 1 to 3650.`;
    }
  }
  if (mail.transport !== 'none' && !EMAIL.test(mail.from)) {
    yield `mail.from of stage "${stage}" is "${mail.from}"; it must be a plain e-mail address.`;
  }
  if (alarmEmail !== undefined && !EMAIL.test(alarmEmail)) {
    yield `alarmEmail of stage "${stage}" is "${alarmEmail}"; it must be a plain e-mail address.`;
  }
  if (region !== undefined && !/^[a-z]{2}(-[a-z]+)+-\d$/.test(region)) {
    yield `region of stage "${stage}" is "${region}"; it must be a region's code, such as eu-central-1.`;
  }
  if (domain && !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain.name)) {
    yield `domain.name of stage "${stage}" is "${domain.name}"; it must be a bare name in lower case, such as licenses.example.com.`;
  }
  if (domain && !/^arn:aws[\w-]*:acm:us-east-1:\d{12}:certificate\/\S+$/.test(domain.certificateArn)) {
    yield `domain.certificateArn of stage "${stage}" is "${domain.certificateArn}"; CloudFront takes only a certificate of AWS Certificate Manager in us-east-1, wherever the stage itself runs.`;
  }
  if (domain?.hostedZone && domain.name !== domain.hostedZone.name && !domain.name.endsWith(`.${domain.hostedZone.name}`)) {
    yield `domain.hostedZone of stage "${stage}" is ${domain.hostedZone.name}, which does not hold ${domain.name}.`;
  }
  if (firewall && region !== 'us-east-1') {
    yield `Stage "${stage}" sets a firewall: CloudFront takes one from us-east-1 only. Set region to "us-east-1", or leave firewall out.`;
  }
  if (firewall && (!Number.isInteger(firewall.requestsPer5Minutes) || firewall.requestsPer5Minutes < 10 || firewall.requestsPer5Minutes > 2_000_000_000)) {
    yield `firewall.requestsPer5Minutes of stage "${stage}" is ${firewall.requestsPer5Minutes}; AWS WAF takes whole numbers from 10 to 2,000,000,000.`;
  }
  if (config.restoredTable !== undefined && !config.retainData) {
    yield `Stage "${stage}" sets restoredTable without retainData: the table it has now would be deleted. Set retainData and deploy that first.`;
  }
  if (stage === 'production' && config.webhookAllowPrivate) {
    yield 'Stage "production" must not set webhookAllowPrivate: webhooks could then reach private and metadata addresses of your network.';
  }
  if (stage === 'production' && !config.retainData) {
    yield 'Stage "production" must set retainData: otherwise deleting the stack deletes every license.';
  }
  if (stage === 'production' && (config.logLevel === 'DEBUG' || config.logLevel === 'ERROR')) {
    yield `Stage "production" must log at INFO or WARN, not ${config.logLevel}: DEBUG costs more than it tells, ERROR hides the warnings that the runbook asks for.`;
  }
}

/** The configuration of a stage, checked. */
export function configFor(stage: string, overrides: Partial<StageConfig> = {}): StageConfig {
  const known = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (!known) {
    throw new ConfigError(`There is no stage "${stage}". Choose one with -c stage=<${Object.keys(stages).join('|')}>.`);
  }
  const config = { ...known, ...overrides };
  const [problem] = problems(config);
  if (problem !== undefined) throw new ConfigError(problem);
  return config;
}
