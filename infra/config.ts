import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { processors } from '../lambdas/contract/processors';

/** The settings of the stages: their types, their defaults, and the file in which a vendor changes them. */

const mail = z
  .discriminatedUnion('transport', [
    z.strictObject({ transport: z.literal('none') }),
    z.strictObject({ transport: z.enum(['ses', 'smtp']), from: z.string().describe("The sender's address of all mails.") }),
  ])
  .describe('How the service sends mail: through Amazon SES, through an SMTP server whose URL is in a secret, or not at all.');
export type MailConfig = z.infer<typeof mail>;

const domain = z
  .strictObject({
    name: z.string().describe('The domain name of the distribution, which serves the API, the admin page and the documentation.'),
    certificateArn: z.string().describe('A certificate of AWS Certificate Manager in us-east-1; CloudFront accepts no other region.'),
    hostedZone: z
      .strictObject({ id: z.string(), name: z.string() })
      .optional()
      .describe(
        'A public hosted zone in Route 53 that contains the domain names. The stack creates their records in this zone. Without a hosted zone, create a CNAME record for each name yourself. The stack outputs contain the targets of these records.',
      ),
    api: z
      .strictObject({ name: z.string(), certificateArn: z.string() })
      .optional()
      .describe("A second domain name, for the API without CloudFront. Its certificate must be in the stage's own region."),
    hstsIncludeSubDomains: z
      .boolean()
      .optional()
      .describe(
        'Whether HSTS also applies to the subdomains (includeSubDomains), so that browsers use only TLS for all subdomains for two years.',
      ),
  })
  .describe(
    "The vendor's own domain names. They belong to the vendor and not to the stack, so they can still be used after the stack is deleted. Therefore these names are safe to use in client apps.",
  );
export type DomainConfig = z.infer<typeof domain>;

const firewall = z
  .strictObject({
    requestsPer5Minutes: z
      .number()
      .describe(
        'The maximum number of requests from one IP address within five minutes. Notifications of payment processors have a separate limit.',
      ),
  })
  .describe("The settings of AWS WAF, which protects the distribution and the API's own URL.");
export type FirewallConfig = z.infer<typeof firewall>;

/** The price of a function instance that is always ready, in US dollars a month: 1 GB on arm64 in us-east-1. */
export const WARM_INSTANCE_USD = 8.76;

/** The endpoints whose functions can have instances that are always ready. */
export const warmable = ['validate', 'activate'] as const;

/** The settings that may differ between stages. Invalid combinations fail at synth with a message ({@link configFor}). */
const settings = z.strictObject({
  region: z.string().optional().describe('The region of the deployment; by default the region of the AWS profile in use.'),
  retainData: z
    .boolean()
    .describe('If true, the table, the secrets and the logs remain when the stack is deleted, and the table refuses deletion.'),
  restoredTable: z
    .string()
    .optional()
    .describe('The name of a restored table, which the stack uses instead of its own table (docs/operations.md, Disaster recovery).'),
  logRetentionDays: z
    .literal([1, 3, 5, 7, 14, 30, 60, 90, 180, 365])
    .describe('The number of days that logs are kept. CloudWatch allows only these numbers.'),
  deviceTokenDays: z.number().describe('Lifetime in days of an offline token for a device.'),
  offlineTokenDays: z.number().describe('Default lifetime in days of an offline token that an operator creates.'),
  expiringDays: z
    .number()
    .describe(
      'An activation or validation sends license.expiring or license.updates_expiring if the license or its updates end within this number of days. Each event is sent only once for the same expiry or the same end of updates. 0 turns both events off.',
    ),
  webhookAllowPrivate: z.boolean().describe('Whether webhook URLs may use http: and may lead to private IP addresses.'),
  processorApis: z
    .partialRecord(z.enum(processors), z.string())
    .optional()
    .describe("Replaces the URLs of payment processors' APIs, for tests."),
  mail,
  mailsPerSecond: z
    .number()
    .describe('Maximum number of reminders per second. The quota of Amazon SES must be higher; the SES sandbox allows 1.'),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']),
  tracing: z.boolean().describe('Whether functions send traces to X-Ray.'),
  alarmEmail: z
    .string()
    .optional()
    .describe(
      'The e-mail address that receives the alarms and the budget warnings. If it is missing, nobody receives them. After the first deployment, the recipient must confirm the subscription to the alarms in a mail from AWS.',
    ),
  monthlyBudgetUsd: z
    .number()
    .describe(
      'The monthly budget of the whole AWS account in US dollars. AWS sends a warning if the costs of a month exceed 80 % of the budget, or if the forecast for the month exceeds the budget.',
    ),
  repositoryUrl: z
    .string()
    .optional()
    .describe(
      'The URL of the source code, such as https://github.com/acme/licenses. The descriptions of the alarms link to the runbook in this repository.',
    ),
  domain: domain.optional(),
  firewall: firewall.optional(),
  closeApi: z.boolean().optional().describe('Whether the API accepts only requests that come through CloudFront.'),
  warm: z
    .strictObject({ validate: z.number().optional(), activate: z.number().optional() } satisfies Record<(typeof warmable)[number], unknown>)
    .optional()
    .describe(
      `For each function, the number of instances that are always ready (Lambda's provisioned concurrency). Requests to these instances do not wait for a cold start. Each instance costs ${WARM_INSTANCE_USD} US dollars a month.`,
    ),
});

/** The settings of one deployment. `stage` is the name of the stage in API Gateway, and a part of the stack's name. */
export type StageConfig = Readonly<{ stage: string } & z.infer<typeof settings>>;

/** The format of the configuration file. Its JSON schema is docs/license-key-service.config.schema.json. */
export const configFile = z
  .strictObject({
    $schema: z.string().optional().describe('The address of this schema, for editors.'),
    stages: z
      .record(z.string(), settings.partial())
      .describe(
        'The settings of the stages by name. Settings that are missing keep the defaults of dev or, for any other name, of production.',
      ),
  })
  .describe('The configuration of the deployments of a license key service.');

/** The name of the configuration file, in the folder from which the commands are run. */
export const CONFIG_FILE = 'license-key-service.config.json';

const production: StageConfig = {
  stage: 'production',
  retainData: true,
  logRetentionDays: 90,
  deviceTokenDays: 7,
  offlineTokenDays: 30,
  expiringDays: 14,
  webhookAllowPrivate: false,
  mail: { transport: 'none' },
  mailsPerSecond: 5,
  logLevel: 'INFO',
  tracing: true,
  monthlyBudgetUsd: 100,
};

/** The defaults of the two stages that need no configuration file. */
export const stages: Readonly<Record<string, StageConfig>> = {
  production,
  dev: { ...production, stage: 'dev', retainData: false, logRetentionDays: 7, logLevel: 'DEBUG', monthlyBudgetUsd: 20 },
};

/** A configuration that cannot be deployed; the message says what to change. */
export class ConfigError extends Error {}

/**
 * Reads a configuration file.
 *
 * @param isOptional whether the file may be missing
 * @returns the settings of all stages: those of the file and the built-in ones
 * @throws ConfigError whose message names the field that is wrong
 */
export function readStages(path: string, { isOptional }: { readonly isOptional: boolean }): Readonly<Record<string, StageConfig>> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isOptional && (error as NodeJS.ErrnoException).code === 'ENOENT') return stages;
    throw new ConfigError(`The configuration ${path} cannot be read: ${(error as Error).message}`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${path} is not JSON: ${(error as Error).message}`);
  }
  const parsed = configFile.safeParse(json);
  if (!parsed.success) {
    const [{ path: place, message } = { path: [], message: '' }] = parsed.error.issues;
    throw new ConfigError(`${path}: ${place.length > 0 ? `${place.join('.')}: ` : ''}${message}`);
  }
  const changed = Object.entries(parsed.data.stages).map(([stage, given]) => [
    stage,
    { ...(Object.hasOwn(stages, stage) ? stages[stage] : production), ...given, stage },
  ]);
  return { ...stages, ...(Object.fromEntries(changed) as Record<string, StageConfig>) };
}

const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;
const NAME = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

/** Yields a message for each error in a stage's domain names. */
function* domainProblems(stage: string, region: string | undefined, domain: DomainConfig): Generator<string> {
  const { api, hostedZone } = domain;
  for (const [field, name] of [['domain.name', domain.name] as const, ...(api ? [['domain.api.name', api.name] as const] : [])]) {
    if (!NAME.test(name))
      yield `${field} of stage "${stage}" is "${name}"; it must be a bare name in lower case, such as licenses.example.com.`;
    if (hostedZone && name !== hostedZone.name && !name.endsWith(`.${hostedZone.name}`)) {
      yield `domain.hostedZone of stage "${stage}" is ${hostedZone.name}, which does not contain ${name}.`;
    }
  }
  if (!/^arn:aws[\w-]*:acm:us-east-1:\d{12}:certificate\/\S+$/.test(domain.certificateArn)) {
    yield `domain.certificateArn of stage "${stage}" is "${domain.certificateArn}"; CloudFront accepts only a certificate of AWS Certificate Manager in us-east-1, regardless of the stage's region.`;
  }
  if (!api) return;
  if (api.name === domain.name)
    yield `domain.api.name of stage "${stage}" is ${api.name}, which is already the distribution's name; give the API another name.`;
  const certificateRegion = /^arn:aws[\w-]*:acm:([a-z0-9-]+):\d{12}:certificate\/\S+$/.exec(api.certificateArn)?.[1];
  if (region === undefined || certificateRegion !== region) {
    yield `domain.api.certificateArn of stage "${stage}" is "${api.certificateArn}"; API Gateway accepts only a certificate of AWS Certificate Manager in the stage's own region. Set region to that of the certificate.`;
  }
}

/** Yields a message for each error in a configuration. */
function* problems(config: StageConfig): Generator<string> {
  const { stage, region, mail, domain, firewall, alarmEmail, monthlyBudgetUsd, repositoryUrl } = config;
  // The length is limited because the name of an origin access control contains the stage and the region (`edge.ts`), and CloudFront allows
  // at most 64 characters for this name.
  if (!/^[a-z][a-z0-9-]{0,23}$/.test(stage)) {
    yield `The stage name "${stage}" becomes part of a stack's name and of a path: use up to 24 lower-case letters, digits and hyphens, starting with a letter.`;
  }
  for (const field of ['deviceTokenDays', 'offlineTokenDays', 'expiringDays'] as const) {
    const days = config[field];
    const least = field === 'expiringDays' ? 0 : 1;
    if (!Number.isInteger(days) || days < least || days > 3650) {
      yield `${field} of stage "${stage}" is ${days}; it must be a whole number of days from ${least} to 3650.`;
    }
  }
  if (!Number.isFinite(config.mailsPerSecond) || config.mailsPerSecond < 0.1 || config.mailsPerSecond > 1000) {
    yield `mailsPerSecond of stage "${stage}" is ${config.mailsPerSecond}; it must be a number from 0.1 to 1000.`;
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
  if (domain) yield* domainProblems(stage, region, domain);
  if (config.closeApi && domain?.api) {
    yield `Stage "${stage}" sets closeApi and domain.api: with closeApi, nobody can call the API at the name in domain.api. Leave one of them out.`;
  }
  if (!Number.isFinite(monthlyBudgetUsd) || monthlyBudgetUsd < 1) {
    yield `monthlyBudgetUsd of stage "${stage}" is ${monthlyBudgetUsd}; it must be an amount of 1 US dollar or more.`;
  }
  let warmInstances = 0;
  for (const name of warmable) {
    const count = config.warm?.[name] ?? 0;
    warmInstances += count;
    if (!Number.isInteger(count) || count < 0 || count > 1000)
      yield `warm.${name} of stage "${stage}" is ${count}; it must be a whole number of instances from 0 to 1000.`;
  }
  const warmUsd = Math.ceil(warmInstances * WARM_INSTANCE_USD);
  if (warmUsd > monthlyBudgetUsd)
    yield `The setting warm of stage "${stage}" has ${warmInstances} instances, which cost about $${warmUsd} a month. This is more than monthlyBudgetUsd (${monthlyBudgetUsd}). Raise monthlyBudgetUsd, or set fewer instances.`;
  if (repositoryUrl !== undefined && !/^https:\/\/[\w.-]+\/[\w./-]+[\w-]$/.test(repositoryUrl)) {
    yield `repositoryUrl of stage "${stage}" is "${repositoryUrl}"; it must be an https: address without a trailing slash, such as https://github.com/acme/licenses.`;
  }
  if (firewall && region !== 'us-east-1') {
    yield `Stage "${stage}" sets a firewall, which CloudFront accepts only from us-east-1. Set region to "us-east-1", or leave firewall out.`;
  }
  if (
    firewall &&
    (!Number.isInteger(firewall.requestsPer5Minutes) || firewall.requestsPer5Minutes < 10 || firewall.requestsPer5Minutes > 2_000_000_000)
  ) {
    yield `firewall.requestsPer5Minutes of stage "${stage}" is ${firewall.requestsPer5Minutes}; AWS WAF takes whole numbers from 10 to 2,000,000,000.`;
  }
  if (config.restoredTable !== undefined && !config.retainData) {
    yield `Stage "${stage}" sets restoredTable without retainData: the stack's own table would be deleted. Set retainData and deploy the stack before you set restoredTable.`;
  }
  if (stage === 'production' && config.webhookAllowPrivate) {
    yield 'Stage "production" must not set webhookAllowPrivate: webhooks could then reach private and metadata addresses of your network.';
  }
  if (stage === 'production' && !config.retainData) {
    yield 'Stage "production" must set retainData: otherwise deleting the stack deletes every license.';
  }
  if (stage === 'production' && (config.logLevel === 'DEBUG' || config.logLevel === 'ERROR')) {
    yield `Stage "production" must log at INFO or WARN, not ${config.logLevel}: DEBUG makes the log expensive, and ERROR hides the warnings that the runbook needs.`;
  }
}

/**
 * Returns the checked configuration of a stage.
 *
 * @param all the settings of all stages, as {@link readStages} returns them
 * @throws ConfigError
 */
export function configFor(stage: string, overrides: Partial<StageConfig> = {}, all = stages): StageConfig {
  const known = Object.hasOwn(all, stage) ? all[stage] : undefined;
  if (!known) {
    throw new ConfigError(`There is no stage "${stage}". Choose one of ${Object.keys(all).join(', ')}, or add it to ${CONFIG_FILE}.`);
  }
  const config = { ...known, ...overrides };
  const [problem] = problems(config);
  if (problem !== undefined) throw new ConfigError(problem);
  return config;
}

/** Yields warnings about missing settings that cause problems later. Every synth shows the warnings and continues. */
export function* warnings({ stage, retainData, domain, alarmEmail }: StageConfig): Generator<readonly [id: string, sentence: string]> {
  if (!retainData) return;
  if (!domain) {
    yield [
      'no-domain',
      `Stage "${stage}" has no domain: client apps would ship with an address that stops working when this stack is deleted. Set domain in ${CONFIG_FILE} before the first app ships.`,
    ];
  }
  if (alarmEmail === undefined)
    yield ['no-alarm-email', `Stage "${stage}" has no alarmEmail: nobody receives its alarms. Set alarmEmail in ${CONFIG_FILE}.`];
}
