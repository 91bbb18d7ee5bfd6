import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Deployed } from './deployed';

/** The name of the function in the URI of an integration or in an ARN. */
export const functionName = (text: string): string => /:function:([\w-]+)/.exec(text)?.[1] ?? '';

/** Invokes a function with Lambda's API. @throws with the function's error */
export async function invoke<Result>(endpoint: string, name: string, event: object): Promise<Result> {
  const response = await fetch(`${endpoint}/2015-03-31/functions/${name}/invocations`, {
    method: 'POST',
    // The emulator finds the service in the signature, but does not check the signature.
    headers: { authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request' },
    body: JSON.stringify(event),
  });
  const text = await response.text();
  if (!response.ok || response.headers.has('x-amz-function-error')) throw new Error(`The function ${name} failed: ${text}`);
  return JSON.parse(text) as Result;
}

/** The event for a request, with the fields of API Gateway's event that the functions read. */
const eventOf = ({ method, url = '', headers }: IncomingMessage, body: string, resource: string, pathParameters: object): object => {
  const { pathname, searchParams } = new URL(url, 'http://gateway');
  const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  return {
    resource,
    path: pathname,
    httpMethod: method,
    headers,
    pathParameters,
    queryStringParameters: Object.fromEntries(searchParams),
    multiValueQueryStringParameters: query,
    requestContext: { requestId: randomUUID(), path: pathname, identity: { sourceIp: '192.0.2.1' } },
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
};

/**
 * Serves the deployed API and the pages over HTTP, in place of API Gateway and CloudFront: the emulator of AWS can import an API, but cannot
 * invoke functions for its requests. A request gets the response of the function that its route names.
 */
export async function startGateway(
  endpoint: string,
  { methods, outputs, pages }: Deployed,
): Promise<{ baseUrl: string; stop: () => void }> {
  const routes = methods
    .filter(({ type }) => type === 'aws_proxy')
    .map(({ route, uri }) => {
      const [method = '', path = ''] = route.split(' ');
      const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      return { method, path, pattern, name: functionName(uri) };
    })
    // A literal part of a path has precedence over a parameter.
    .sort((one, other) => other.path.replace(/\{\w+\}/g, '').length - one.path.replace(/\{\w+\}/g, '').length);

  const respond = async (request: IncomingMessage, body: string): Promise<APIGatewayProxyResult> => {
    const path = new URL(request.url ?? '', 'http://gateway').pathname;
    for (const { method, path: resource, pattern, name } of routes) {
      const match = method === request.method ? pattern.exec(path) : null;
      if (!match) continue;
      const parameters = Object.fromEntries(Object.entries(match.groups ?? {}).map(([key, value]) => [key, decodeURIComponent(value)]));
      return invoke(endpoint, name, eventOf(request, body, resource, parameters));
    }
    const page = `${path.slice(1).replace(/\/$/, '')}/index.html`;
    const found = pages[page];
    if (found !== undefined) return { statusCode: 200, body: await (await fetch(`${endpoint}/${found}/${page}`)).text() };
    return { statusCode: 404, headers: { 'x-svc-error-code': 'not_found' }, body: '{"detail":"There is no such route."}' };
  };

  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      void respond(request, body).then(
        ({ statusCode, headers, multiValueHeaders, body: text, isBase64Encoded }) => {
          response.writeHead(statusCode, { ...(headers as Record<string, string>), ...(multiValueHeaders as Record<string, string[]>) });
          if (isBase64Encoded === true) response.end(Buffer.from(text, 'base64'));
          else response.end(text.replaceAll(outputs['Url'] ?? '', `http://${request.headers.host}`));
        },
        (error: unknown) => response.writeHead(502).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
