import type * as z from 'zod/mini';
import { endpoints } from './index';
import {
  isDestructive,
  isRepeatable,
  isUncached,
  possibleErrors,
  takesWebhookHeader,
  type Column,
  type Endpoint,
  type ListMediaType,
  type TextType,
} from './endpoint';
import { DEVICE_TOKEN_HEADER, SKIP_WEBHOOK, WEBHOOK_HEADER } from './edge';
import { errors, type ErrorName } from './errors';
import { eventNames, type EventName } from './events';
import { SchemaCollector, type JsonSchema } from './json-schema';
import { eventDescriptions, eventExamples, eventPayload } from './payload';
import { errorBody, idempotencyKey } from './resources';

export interface OpenApiOptions {
  /** The version of the service, which the document shows as the version of the API. */
  readonly version: string;
  /** The base URL of the API; by default the URL of the host that serves the document. */
  readonly server?: string;
  /** The endpoints to describe; by default all endpoints of the contract table. */
  readonly rows?: readonly Endpoint[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Reference {
  readonly $ref: string;
}

interface Header {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Header | Reference>>;
  /** The content of the response by media type; missing if the response has no body. */
  readonly content?: { readonly [type in 'application/json' | TextType | ListMediaType]?: MediaType };
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: ReadonlyArray<Readonly<Record<string, readonly string[]>>>;
  readonly parameters?: ReadonlyArray<Parameter | Reference>;
  readonly requestBody?: { readonly required: boolean; readonly content: { readonly 'application/json': MediaType } };
  readonly responses: Readonly<Record<string, Response>>;
  /** True if the operator's request can replace, end or remove something that already exists. */
  readonly 'x-destructive'?: boolean;
  /** True if repeating the operator's request has no further effect. */
  readonly 'x-repeatable'?: boolean;
}

export const methodNames = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;
type PathItem = { [method in 'get' | 'post' | 'put' | 'patch' | 'delete']?: Operation };

/** The operation that a receiver of webhook events implements. */
interface WebhookOperation {
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly required: true; readonly content: { readonly 'application/json': MediaType } };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

/** The parts of an OpenAPI 3.1 document that this service uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>;
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

const description = `Issues, activates and validates software license keys.

The response to an unknown route or a wrong method is 404. Unknown fields in a request are ignored, unless the description of the endpoint says that they are refused.

## Errors

The body of every error is \`{"detail": "a sentence for people"}\`. Programs use the status and the code in the header \`X-Svc-Error-Code\`. The code of an error never changes, but its sentence may change. The header \`X-Request-Id\` has the id of the request in the logs. Retry a request with status 429 only if the code is \`rate_limited\`: all other codes with this status are refusals by a limit of the license.

${Object.values(errors)
  .map(({ status, code, meaning }) => `- **${status}** \`${code}\`: ${meaning}`)
  .join('\n')}

The service checks a request in this order: the credential (401), the permission of the admin token (403), the fields of the request (422), the existence of the resource (404), the status of the license (403), the seats (429).`;

const tags: Readonly<Record<Endpoint['tag'], string>> = {
  Service: 'Information about the service. No credential is needed.',
  Products:
    'The products for which licenses are sold. Each product has its own API key for client apps and its own key pair for offline tokens.',
  'License types': 'The terms under which licenses of a product are sold: kind, seats and duration.',
  Licenses: "The operator's endpoints for licenses: issue, list, renew, reset and revoke licenses, and create offline tokens.",
  Releases: 'Versions of a product and their files, for updaters.',
  Downloads: 'The endpoints for updaters: the newest release that a license covers, and its files.',
  Activation:
    'The endpoints for client apps. The API key only identifies the product. The credential that permits the use of a license is the license key.',
  Webhooks: "Events that inform a product's own backend about changes of licenses, and the log of the deliveries.",
  Mail: "The settings, texts and reminders of the service's mails, and endpoints that mail a key or a test mail.",
  'Admin tokens':
    "Admin tokens in addition to the deployment's own token. They have scopes, apply to one product or to all products, can expire, and can be revoked.",
  Payments:
    'Connections to payment processors, the log of the notifications that processors send, and the endpoint for a thank-you page. Notifications issue, renew and revoke licenses automatically.',
  Customers: "Export and erasure of a buyer's data in all products.",
  Portal:
    'A page on which buyers sign in without an account, with a code that they get by mail. Buyers see their licenses, free seats and recover keys.',
  'Audit log': 'A record of the changes by operators, buyers and payment processors.',
};

const schemeNames = {
  admin: 'AdminToken',
  product: 'ProductKey',
  portal: 'PortalSession',
  licenseKey: 'LicenseKey',
  licenseToken: 'LicenseToken',
} as const;

/** The credentials for a request. The entries are alternatives, and all credentials of one entry are needed together. */
function securityOf({ credential, scope, path }: Endpoint): Operation['security'] {
  if (credential === 'none' || credential === 'signature') return [];
  // The entries are alternatives: one of the scopes is enough.
  const alternatives = scope === undefined ? [[]] : [scope].flat().map((one) => [one]);
  if (credential !== 'license') return alternatives.map((scopes) => ({ [schemeNames[credential]]: scopes }));
  const key = { [schemeNames.licenseKey]: [], ...(!path.includes('{slug}') && { [schemeNames.product]: [] }) };
  // The third entry is empty, because public downloads need no credential.
  return [key, { [schemeNames.licenseToken]: [] }, {}];
}

const securitySchemes = {
  [schemeNames.admin]: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Svc-Admin-Token',
    description:
      "The operator's credential: the deployment's own token, which may do everything, or an admin token with the scope that the operation needs. Keep the token only on the operator's server.",
  },
  [schemeNames.product]: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'The `api_key` of a product. Client apps contain the key to identify the product. The key is not a secret, because users can read it in the app.',
  },
  [schemeNames.portal]: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Portal-Session',
    description:
      "A buyer's session in the portal of one product. The session gives access only to the licenses with the buyer's e-mail address.",
  },
  [schemeNames.licenseKey]: { type: 'apiKey', in: 'header', name: 'X-License-Key', description: 'A license key.' },
  [schemeNames.licenseToken]: {
    type: 'apiKey',
    in: 'header',
    name: 'X-License-Token',
    description: 'An offline token of a license. The token may be bound to a device.',
  },
} as const;

const headers = {
  'X-Request-Id': {
    description: 'The id of the request in the logs. Include this id when you ask for help.',
    required: true,
    schema: { type: 'string', examples: ['c6af9ac6-7b61-11e6-9a41-93e8deadbeef'] },
  },
  'Cache-Control': {
    description: 'The response must not be stored.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  Link: {
    description: 'The address of the next page, with the parameter `rel="next"` (RFC 8288). The header is present if there are more rows.',
    schema: { type: 'string', examples: ['</v1/products?limit=100&cursor=MTAw>; rel="next"'] },
  },
} as const satisfies Record<string, Header>;

const headerRef = (name: keyof typeof headers): Reference => ({ $ref: `#/components/headers/${name}` });

const idempotencyParameter = (schemas: SchemaCollector): Parameter => ({
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to repeat a request. Within 24 hours, the same key with the same request returns the first response and changes nothing. The same key with a different request is refused (409).',
  schema: schemas.input(idempotencyKey),
});

const deviceTokenParameter: Parameter = {
  name: DEVICE_TOKEN_HEADER,
  in: 'header',
  required: false,
  description:
    "The device's newest offline token, which may have expired. If no license has the key, and the token's license no longer exists, the response has a signed refusal with the status `unknown` in the header `X-Svc-Verdict`. Without the token the response does not say whether a license existed.",
  schema: { type: 'string' },
};

const webhookParameter: Parameter = {
  name: WEBHOOK_HEADER,
  in: 'header',
  required: false,
  description:
    'With the value `skip`, the events of this request are recorded as `skipped` and are not posted to the webhook. Use it for imports and corrections that the backend must not react to.',
  schema: { type: 'string', const: SKIP_WEBHOOK },
};

/** Converts the properties of a flat object schema to parameters. */
const parameters = (location: 'path' | 'query', schema: z.ZodMiniType | undefined, schemas: SchemaCollector): Parameter[] => {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.input(schema);
  return Object.entries(properties).map(([name, property]) => {
    if (typeof property === 'boolean') throw new Error(`The parameter ${name} has no schema`);
    const { description: text, ...rest } = property;
    return { name, in: location, required: required.includes(name), ...(text && { description: text }), schema: rest };
  });
};

const commonHeaders = (row: Endpoint): Record<string, Reference> => ({
  'X-Request-Id': headerRef('X-Request-Id'),
  ...(isUncached(row) && { 'Cache-Control': headerRef('Cache-Control') }),
});

const successHeaders = (row: Endpoint): Record<string, Reference | Header> => ({
  ...commonHeaders(row),
  ...(row.maxAgeSeconds !== undefined && {
    'Cache-Control': {
      description: 'Anyone may cache the response for the number of seconds in `max-age`.',
      required: true,
      schema: { type: 'string', const: `public, max-age=${row.maxAgeSeconds}` },
    } satisfies Header,
  }),
  ...(row.revalidated && {
    'Cache-Control': {
      description:
        'Only the caller may cache the response. Before each use, the caller must check with the service whether the response is still current.',
      required: true,
      schema: { type: 'string', const: 'private, no-cache' },
    } satisfies Header,
    ETag: {
      description:
        'The version of the response, for `If-None-Match` in a later request. That request gets 304 if the response has not changed.',
      required: true,
      schema: { type: 'string' },
    } satisfies Header,
  }),
  ...(row.status === 302 && {
    Location: { description: 'The address of the file.', required: true, schema: { type: 'string', format: 'uri' } } satisfies Header,
  }),
});

/** The media types, other than JSON, that a client can request for a list with the `Accept` header. */
const listTypes = ({ columns }: Endpoint): { readonly [type in ListMediaType]?: MediaType } =>
  columns
    ? {
        'text/csv': { schema: { type: 'string', description: csvDescription(columns) } },
        'application/x-ndjson': {
          schema: { type: 'string', description: 'Newline-delimited JSON. Each line contains one row of the list.' },
        },
      }
    : {};

const csvDescription = (columns: readonly Column<never>[]): string =>
  `CSV (RFC 4180) in UTF-8. The first line of every page has the names of the columns. If a spreadsheet would run the value of a cell as a formula, an apostrophe is written before the value. ${columns.map(({ name, description }) => `\`${name}\`: ${description}`).join(' ')}`;

/** Whether the response is one page of a list. The query of such a request accepts a cursor. */
const isPaged = (query: readonly Parameter[]): boolean => query.some(({ name }) => name === 'cursor');

const errorResponse = (row: Endpoint, names: readonly ErrorName[], schemas: SchemaCollector): Response => ({
  description: names.map((name) => errors[name].detail).join('; or: '),
  headers: {
    ...commonHeaders(row),
    'X-Svc-Error-Code': {
      description: 'The code of the error.',
      required: true,
      schema: { type: 'string', enum: [...new Set(names.map((name) => errors[name].code))] },
    },
  },
  content: {
    'application/json': {
      schema: schemas.output(errorBody),
      examples: Object.fromEntries(names.map((name) => [name, { summary: errors[name].code, value: { detail: errors[name].detail } }])),
    },
  },
});

const errorResponses = (row: Endpoint, schemas: SchemaCollector): Record<string, Response> => {
  const byStatus = new Map<number, ErrorName[]>();
  for (const name of possibleErrors(row)) {
    const { status } = errors[name];
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
  }
  return Object.fromEntries([...byStatus].map(([status, names]) => [status, errorResponse(row, names, schemas)]));
};

const named = ({ $ref = '' }: JsonSchema): string | undefined => $ref.split('/').at(-1) || undefined;
const quoted = (name: string): string => `\`${name}\``;

/** Describes the content of a response in one sentence. */
function returned(row: Endpoint, schema: JsonSchema): string {
  if (row.status === 302) return 'A redirect to the address in `Location`.';
  if (row.mediaType !== undefined) return `A document of the type ${quoted(row.mediaType)}.`;
  const name = named(schema);
  if (name !== undefined) return `${/^[AEIOU]/.test(name) ? 'An' : 'A'} ${quoted(name)} object.`;
  const items = typeof schema.items === 'object' && !Array.isArray(schema.items) ? named(schema.items) : undefined;
  if (items !== undefined) return `An array of ${quoted(items)} objects.`;
  const fields = Object.keys(schema.properties ?? {});
  return fields.length === 0
    ? 'One of several kinds of objects.'
    : `An object with ${new Intl.ListFormat('en').format(fields.map(quoted))}.`;
}

const operation = (row: Endpoint, schemas: SchemaCollector): Operation => {
  const query = parameters('query', row.query, schemas);
  const all: Array<Parameter | Reference> = [...parameters('path', row.params, schemas), ...query];
  if (row.takesDeviceToken) all.push(deviceTokenParameter);
  if (takesWebhookHeader(row)) all.push(webhookParameter);
  if (row.idempotent) all.push({ $ref: '#/components/parameters/IdempotencyKey' });
  return {
    operationId: row.name,
    tags: [row.tag],
    summary: row.summary,
    description: row.description,
    security: securityOf(row),
    ...(row.credential === 'admin' && { 'x-destructive': isDestructive(row), 'x-repeatable': isRepeatable(row) }),
    ...(all.length > 0 && { parameters: all }),
    ...(row.body && {
      requestBody: {
        required: !row.bodyOptional,
        content: {
          'application/json': {
            schema: schemas.input(row.body),
            ...(row.examples.request && { example: row.examples.request }),
          },
        },
      },
    }),
    responses: {
      ...Object.fromEntries(
        [row.status, ...(row.repeatedStatus === undefined ? [] : [row.repeatedStatus])].map((status) => [
          status,
          {
            description:
              status === row.status
                ? returned(row, schemas.output(row.response))
                : 'The response to a repeated request, which creates nothing new.',
            headers: { ...successHeaders(row), ...(isPaged(query) && { Link: headerRef('Link') }) },
            ...(status !== 302 && {
              content: {
                [row.mediaType ?? 'application/json']: { schema: schemas.output(row.response), example: row.examples.response },
                ...listTypes(row),
              },
            }),
          },
        ]),
      ),
      ...(row.emptyStatus && { [row.emptyStatus]: { description: 'No newer release is offered.', headers: commonHeaders(row) } }),
      ...errorResponses(row, schemas),
    },
  };
};

const webhookHeaders: readonly Parameter[] = [
  ['X-Svc-Event', 'The name of the event.'],
  [
    'X-Svc-Signature',
    "The HMAC-SHA256 of the raw body, in lowercase hex. The key is the complete text of the product's webhook secret, including `whsec_`. Compare the signature in constant time before you trust the body.",
  ],
  ['webhook-id', 'Standard Webhooks: the id of the event.'],
  ['webhook-timestamp', 'Standard Webhooks: the time of the attempt, in seconds since 1970.'],
  [
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 of `id.timestamp.body`. The key is the part of the secret after `whsec_`, decoded from base64. While the secret is being rotated, the header contains two signatures, separated by a space.',
  ],
].map(([name = '', description = '']) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));

const webhookOperation = (event: EventName, schemas: SchemaCollector): WebhookOperation => ({
  summary: event,
  description: `${eventDescriptions[event]} The service makes up to 4 attempts to post the event: immediately, 1 s after the first failed attempt, 5 s after the second, and 15 s after the third.`,
  parameters: webhookHeaders,
  requestBody: { required: true, content: { 'application/json': { schema: schemas.output(eventPayload), example: eventExamples[event] } } },
  responses: {
    '2XX': { description: 'The event is accepted. Every status below 400 means that the event is accepted. Redirects are not followed.' },
    '4XX': {
      description:
        'The attempt has failed. An attempt fails if the status is 400 or above, or if there is no complete response within 10 s.',
    },
  },
});

/**
 * The API as an OpenAPI 3.1 document. The document is generated from the contract table, so that nobody has to update two descriptions of
 * an endpoint.
 */
export const openapiDocument = ({ version, server, rows = endpoints }: OpenApiOptions): OpenApiDocument => {
  const schemas = new SchemaCollector();
  const paths: Record<string, PathItem> = {};
  for (const row of rows) {
    (paths[row.path] ??= {})[methodNames[row.method]] = operation(row, schemas);
  }
  const used = new Set(rows.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: { title: 'License key service', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: server ?? '/', description: server ? 'This deployment' : 'The host that serves this document' }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as Endpoint['tag']))
      .map(([name, text]) => ({ name, description: text })),
    paths,
    webhooks: Object.fromEntries(eventNames.map((event) => [event, { post: webhookOperation(event, schemas) }])),
    components: {
      parameters: { IdempotencyKey: idempotencyParameter(schemas) },
      headers,
      securitySchemes,
      schemas: schemas.components(),
    },
  };
};
