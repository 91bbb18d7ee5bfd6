import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { OpenApiDocument, Operation } from '../../lambdas/contract/openapi';
import type { Schema } from './schema';
import type { Answer } from './wire';

/** One operation of the OpenAPI document that the service serves. */
export interface Route {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly credential: 'AdminToken' | 'ProductKey' | 'LicenseKey' | 'PortalSession' | undefined;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: Schema }[];
  readonly body: { readonly required: boolean; readonly schema: Schema } | undefined;
  readonly statuses: readonly number[];
}

const ID = 'https://example.com/openapi.json';
const pointer = (...steps: readonly string[]): string =>
  `#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The OpenAPI document of the service, against which responses are checked. */
export class Document {
  readonly routes: readonly Route[];
  private readonly ajv = new Ajv2020({ strict: false });
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(private readonly document: OpenApiDocument) {
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: ID, ...document });
    this.routes = Object.entries(document.paths).flatMap(([path, item]) =>
      (['get', 'post', 'patch', 'delete'] as const).flatMap((method) => (item[method] ? [this.route(path, method, item[method])] : [])),
    );
  }

  /** Returns what is wrong with a response of a route; undefined if the response follows the document. */
  problem({ path, method }: Route, { status, headers, body }: Answer): string | undefined {
    const verb = method.toLowerCase() as Lowercase<Route['method']>;
    const response = this.document.paths[path]?.[verb]?.responses[status];
    if (!response) return `The status ${status} is not in the document`;
    const [type] = Object.keys(response.content ?? {});
    // The gateway chooses the content type of a response without a body.
    if (type !== undefined && headers['content-type']?.split(';')[0] !== type) return `The content type is ${headers['content-type']}`;
    for (const [name, declared] of Object.entries(response.headers)) {
      const { required = false, schema } = this.deref<{ required?: boolean; schema: Schema }>(declared);
      const value = headers[name.toLowerCase()];
      if (value === undefined ? required : !this.ajv.validate(schema, value)) return `The header ${name} is ${value}`;
    }
    if (type === undefined) return body === '' ? undefined : 'There is a body';
    const json = type === 'application/json' ? parseJson(body) : body;
    const validate = this.validator('paths', path, verb, 'responses', String(status), 'content', type, 'schema');
    return validate(json) ? undefined : `The body is not as documented: ${this.ajv.errorsText(validate.errors)}`;
  }

  /**
   * Returns why the document forbids the body of a request; undefined if the document allows the body. Before the check, texts are trimmed
   * and normalized (Unicode NFC), because the service does this too.
   */
  objection({ path, method }: Route, body: unknown): string | undefined {
    const validate = this.validator('paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema');
    if (validate(normalized(body))) return undefined;
    // The service treats a malformed id in a body as an unknown id, so a violation of the schema by such an id is ignored.
    const real = validate.errors?.filter(({ instancePath, keyword }) => !(instancePath.endsWith('_id') && keyword === 'minimum'));
    return real?.length === 0 ? undefined : this.ajv.errorsText(real);
  }

  private validator(...steps: readonly string[]): ValidateFunction {
    const at = pointer(...steps);
    const known = this.validators.get(at) ?? this.ajv.compile({ $ref: `${ID}${at}` });
    this.validators.set(at, known);
    return known;
  }

  private route(
    path: string,
    method: 'get' | 'post' | 'patch' | 'delete',
    { operationId, security, parameters = [], requestBody, responses }: Operation,
  ): Route {
    return {
      name: operationId,
      method: ({ get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const)[method],
      path,
      credential: Object.keys(security[0] ?? {})[0] as Route['credential'],
      parameters: parameters.map((parameter) => {
        const found = this.deref<Route['parameters'][number]>(parameter);
        return { ...found, schema: this.deref(found.schema) };
      }),
      body: requestBody && { required: requestBody.required, schema: this.inlined(requestBody.content['application/json'].schema) },
      statuses: Object.keys(responses).map(Number),
    };
  }

  private deref<Found>(value: object): Found {
    if (!('$ref' in value)) return value as Found;
    const steps = String(value.$ref).slice(2).split('/');
    return steps.reduce<unknown>((from, step) => (from as Record<string, unknown>)[step], this.document) as Found;
  }

  private inlined(schema: object): Schema {
    const found = this.deref<Schema>(schema);
    return {
      ...found,
      ...(found.items && { items: this.inlined(found.items) }),
      ...(found.properties && {
        properties: Object.fromEntries(Object.entries(found.properties).map(([name, property]) => [name, this.inlined(property)])),
      }),
    };
  }
}

/**
 * Returns what is wrong with an error response; undefined if it has the error format of the service. The gateway's own responses must have
 * this format too.
 */
export function errorProblem({ status, headers, body }: Answer): string | undefined {
  if (status >= 500) return `The status is ${status}`;
  if (headers['content-type'] !== 'application/json') return `The content type is ${headers['content-type']}`;
  if (!UUID.test(headers['x-request-id'] ?? '')) return `The request id is ${headers['x-request-id']}`;
  if (!/^[a-z_]+$/.test(headers['x-svc-error-code'] ?? '')) return `The error code is ${headers['x-svc-error-code']}`;
  if (body === '') return undefined;
  const json = parseJson(body);
  const isError =
    typeof json === 'object' &&
    json !== null &&
    Object.keys(json).join() === 'detail' &&
    typeof (json as { detail: unknown }).detail === 'string';
  return isError ? undefined : `The body is ${body.slice(0, 200)}`;
}

/** The JSON value in a text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function normalized(value: unknown): unknown {
  if (typeof value === 'string') return value.trim().normalize('NFC');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, typeof inner === 'string' ? normalized(inner) : inner]));
}
