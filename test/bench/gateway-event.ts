import type { ProductView } from '../../lambdas/contract/resources';

/** Creates the event with which API Gateway passes a client app's request to a function. */
export function gatewayEvent(
  { id, api_key }: Pick<ProductView, 'id' | 'api_key'>,
  operation: string,
  { query, body }: { query?: Readonly<Record<string, string>>; body?: object },
): object {
  const path = `/v1/products/${id}/${operation}`;
  const httpMethod = body ? 'POST' : 'GET';
  const headers = {
    Host: 'abc123.execute-api.us-east-1.amazonaws.com',
    'User-Agent': 'app/1.0',
    'X-API-Key': api_key,
    'X-Forwarded-For': '192.0.2.1',
    'X-Forwarded-Proto': 'https',
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const multiValue = (values: Readonly<Record<string, string>>): Record<string, string[]> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
  return {
    resource: `/v1/products/{id}/${operation}`,
    path,
    httpMethod,
    headers,
    multiValueHeaders: multiValue(headers),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query ? multiValue(query) : null,
    pathParameters: { id: String(id) },
    stageVariables: null,
    requestContext: { requestId: 'bench', path, stage: 'v1', httpMethod, identity: { sourceIp: '192.0.2.1' } },
    body: body ? JSON.stringify(body) : null,
    isBase64Encoded: false,
  };
}
