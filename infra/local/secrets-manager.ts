import { randomInt, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isNativeError } from 'node:util/types';
import * as z from 'zod/mini';
import { arn, stableId } from './aws';
import { writeDurably } from './data-dir';
import { close, guard, listen } from './door';
import type { Template } from './template';

const secretProperties = z.object({
  Name: z.optional(z.string()),
  SecretString: z.optional(z.string()),
  GenerateSecretString: z.optional(
    z.object({
      PasswordLength: z._default(z.coerce.number().check(z.multipleOf(1), z.minimum(1), z.maximum(4096)), 32),
      ExcludeCharacters: z._default(z.string(), ''),
      ExcludeLowercase: z._default(z.boolean(), false),
      ExcludeUppercase: z._default(z.boolean(), false),
      ExcludeNumbers: z._default(z.boolean(), false),
      ExcludePunctuation: z._default(z.boolean(), false),
      IncludeSpace: z._default(z.boolean(), false),
      RequireEachIncludedType: z._default(z.boolean(), true),
      SecretStringTemplate: z.optional(z.string()),
      GenerateStringKey: z.optional(z.string()),
    }),
  ),
});
type Generate = NonNullable<z.infer<typeof secretProperties>['GenerateSecretString']>;

interface Secret {
  readonly arn: string;
  readonly name: string;
  readonly value: string;
  /** The id of the current version. */
  readonly version: string;
  /** When the current version was created, epoch ms. */
  readonly createdAt: number;
  /** Stores a new value of the secret. Undefined if requests must not change the value, because the settings or the template set it. */
  readonly keep?: (value: string) => void;
}

/** A running Secrets Manager endpoint that serves the template's secrets. */
export interface Secrets {
  readonly endpoint: string;
  /** The value of a secret by its ARN or name, or undefined if there is no such secret. */
  value(id: string): string | undefined;
  stop(): Promise<void>;
}

/**
 * Serves the template's secrets. Values are generated once and then stored.
 *
 * @param options.file the file that stores generated values; undefined keeps them in memory
 * @param options.override returns the value that the settings give for a secret's ARN; such values are not stored
 */
export async function start(
  template: Template,
  { file, override = () => undefined }: { file?: string; override?: (arn: string) => string | undefined },
): Promise<Secrets> {
  const kept = file && existsSync(file) ? z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  const resources = template.resources('AWS::SecretsManager::Secret').map((resource) => {
    const properties = template.read(resource, secretProperties);
    const name = properties.Name ?? resource.id;
    const secretArn = arn('secretsmanager', `secret:${name}-${stableId(resource.id, 6)}`);
    template.define(resource.id, { Ref: secretArn, Id: secretArn });
    return { id: resource.id, name, arn: secretArn, properties };
  });

  // The file contains no times. It is never older than the values in it.
  const createdAt = file && existsSync(file) ? statSync(file).mtimeMs : Date.now();
  const generated: Record<string, string> = {};
  // The stored values of removed or overridden secrets are kept, because a later run may need them.
  const save = (): void => {
    if (file) writeDurably(file, JSON.stringify({ ...kept, ...generated }, null, 2));
  };
  const secrets = resources.map(({ id, name, arn, properties: { SecretString, GenerateSecretString } }): Secret => {
    const given = override(arn) ?? SecretString;
    if (given !== undefined) return { name, arn, value: given, version: FIRST_VERSION, createdAt };
    const keep = (value: string): void => {
      generated[id] = value;
      save();
    };
    generated[id] =
      kept[id] ?? generate(GenerateSecretString ?? secretProperties.parse({ GenerateSecretString: {} }).GenerateSecretString!);
    return { name, arn, value: generated[id], version: FIRST_VERSION, createdAt, keep };
  });
  if (Object.keys(generated).some((id) => !(id in kept))) save();

  const byId = new Map(secrets.flatMap((secret) => [[secret.arn, secret] as const, [secret.name, secret] as const]));
  const server = createServer((request, response) => {
    respond(request, response, byId).catch((error: unknown) => response.destroy(isNativeError(error) ? error : undefined));
  });
  guard(server, 'secretsManager');
  const endpoint = await listen(server);
  return {
    endpoint,
    value: (id) => byId.get(id)?.value,
    stop: () => close(server),
  };
}

async function respond(request: IncomingMessage, response: ServerResponse, secrets: Map<string, Secret>): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const send = (status: number, body: object) =>
    response
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': randomUUID() })
      .end(JSON.stringify(body));
  const refuse = (code: string, message: string) => send(400, { __type: code, message });

  const action = String(request.headers['x-amz-target'] ?? '');
  const input = requestSchema.safeParse(parse(Buffer.concat(chunks).toString()));
  if (!input.success) return void refuse('InvalidParameterException', 'SecretId is required.');
  const secret = secrets.get(input.data.SecretId);
  if (!secret) return void refuse('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  const { arn: ARN, name: Name, version } = secret;
  const CreatedDate = secret.createdAt / 1000;
  const stages = ['AWSCURRENT'];
  if (action === 'secretsmanager.GetSecretValue') {
    send(200, { ARN, Name, CreatedDate, SecretString: secret.value, VersionId: version, VersionStages: stages });
  } else if (action === 'secretsmanager.DescribeSecret') {
    send(200, { ARN, Name, CreatedDate, VersionIdsToStages: { [version]: stages } });
  } else if (action === 'secretsmanager.PutSecretValue') {
    const { SecretString, ClientRequestToken = randomUUID() } = input.data;
    if (SecretString === undefined) return void refuse('InvalidParameterException', 'SecretString is required.');
    if (!secret.keep)
      return void refuse('InvalidRequestException', `The value of ${Name} comes from the settings of the local run or from the template.`);
    secret.keep(SecretString);
    for (const id of [ARN, Name]) secrets.set(id, { ...secret, value: SecretString, version: ClientRequestToken, createdAt: Date.now() });
    send(200, { ARN, Name, VersionId: ClientRequestToken, VersionStages: stages });
  } else {
    refuse('UnknownOperationException', `${action} is not served locally.`);
  }
}

const requestSchema = z.object({
  SecretId: z.string(),
  SecretString: z.optional(z.string().check(z.minLength(1))),
  ClientRequestToken: z.optional(z.string()),
});
const FIRST_VERSION = '00000000-0000-0000-0000-000000000001';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON. The caller refuses undefined like any other invalid request.
    return undefined;
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

const pick = (from: string): string => from[randomInt(from.length)]!;

/** Generates a random value as Secrets Manager does. */
export function generate(options: Generate): string {
  const types = [
    options.ExcludeLowercase ? '' : LOWER,
    options.ExcludeUppercase ? '' : UPPER,
    options.ExcludeNumbers ? '' : DIGITS,
    options.ExcludePunctuation ? '' : PUNCTUATION,
    options.IncludeSpace ? ' ' : '',
  ]
    .map((type) => [...type].filter((character) => !options.ExcludeCharacters.includes(character)).join(''))
    .filter((type) => type !== '');
  const required = options.RequireEachIncludedType ? types.map(pick) : [];
  const rest = Array.from({ length: Math.max(0, options.PasswordLength - required.length) }, () => pick(types.join('')));
  const characters = [...required, ...rest];
  // A Fisher-Yates shuffle distributes the required characters, which would otherwise always be first.
  for (let i = characters.length - 1; i > 0; i -= 1) {
    const j = randomInt(i + 1);
    [characters[i], characters[j]] = [characters[j]!, characters[i]!];
  }
  const password = characters.join('');
  if (options.SecretStringTemplate === undefined || options.GenerateStringKey === undefined) return password;
  return JSON.stringify({ ...(JSON.parse(options.SecretStringTemplate) as object), [options.GenerateStringKey]: password });
}
