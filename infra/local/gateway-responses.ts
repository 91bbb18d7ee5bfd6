import * as z from 'zod/mini';

/** The definition of a gateway response in an API's OpenAPI document. API Gateway sends such a response without invoking a function. */
export const gatewayResponseSchema = z.object({
  statusCode: z.optional(z.coerce.number()),
  responseParameters: z._default(z.record(z.string(), z.string()), {}),
  responseTemplates: z._default(z.record(z.string(), z.string()), {}),
});

/** The response parameters that set headers, by header name. */
export const headerParameters = (parameters: Readonly<Record<string, string>>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );

/** API Gateway's own responses that can occur in the local run, with their default status and message. */
const builtIn = {
  MISSING_AUTHENTICATION_TOKEN: [403, 'Missing Authentication Token'],
  REQUEST_TOO_LARGE: [413, 'Request Too Long'],
  THROTTLED: [429, 'Too Many Requests'],
  INTEGRATION_TIMEOUT: [504, 'Endpoint request timed out'],
  INTEGRATION_FAILURE: [504, 'Internal server error'],
  // AWS has no separate gateway response for the following types, so the default response for 4xx or 5xx applies to them.
  BAD_REQUEST: [400, 'Bad Request'],
  UNKNOWN_HOST: [421, 'Misdirected Request'],
  REQUEST_TIMEOUT: [408, 'Request Timeout'],
  HEADERS_TOO_LARGE: [431, 'Request Header Fields Too Large'],
  EXPECTATION_FAILED: [417, 'Expectation Failed'],
  MALFORMED_PROXY_RESPONSE: [502, 'Internal server error'],
  THROTTLED_FUNCTION: [500, 'Internal server error'],
} as const satisfies Record<string, readonly [number, string]>;

export type GatewayResponseType = keyof typeof builtIn;

/** A complete HTTP response. Its headers contain values, not expressions. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

/** The values of `context.*` in response parameters and templates, by dotted name. */
export type Context = Readonly<Record<string, string>>;

/** Creates the gateway's own response of a type. */
export type GatewayResponses = (type: GatewayResponseType, context: Context) => HttpResponse;

/** The value of a response parameter, which is `'literal'` or `context.name`; undefined for other expressions. */
export function parameterValue(expression: string, context: Context): string | undefined {
  const literal = /^'(.*)'$/s.exec(expression);
  if (literal) return literal[1]!;
  return expression.startsWith('context.') ? context[expression.slice('context.'.length)] : undefined;
}

/** Resolves the header parameters. Headers without a value are left out. */
export const headerValues = (expressions: Readonly<Record<string, string>>, context: Context): Record<string, string> =>
  Object.fromEntries(
    Object.entries(expressions)
      .map(([name, expression]) => [name, parameterValue(expression, context)] as const)
      .filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  );

/**
 * Returns a function that creates the gateway's own responses. A response follows the API's definition. If the API defines no response of
 * the type, AWS's default applies.
 */
export function gatewayResponses(defined: Readonly<Record<string, z.infer<typeof gatewayResponseSchema>>>): GatewayResponses {
  return (type, requestContext) => {
    const [defaultStatus, message] = builtIn[type];
    const shaped = defined[type] ?? defined[defaultStatus < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX'];
    const context = {
      ...requestContext,
      'error.message': message,
      'error.messageString': JSON.stringify(message),
      'error.responseType': type,
    };
    const template = shaped?.responseTemplates['application/json'] ?? '{"message":$context.error.messageString}';
    return {
      status: shaped?.statusCode ?? defaultStatus,
      headers: {
        'Content-Type': 'application/json',
        ...headerValues(headerParameters(shaped?.responseParameters ?? {}, 'gatewayresponse.header.'), context),
      },
      body: template.replace(/\$context\.([A-Za-z.]+[A-Za-z])/g, (_match, name: string) => context[name as keyof typeof context] ?? ''),
    };
  };
}
