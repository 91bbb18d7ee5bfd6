/**
 * `npm run generate --workspace client/admin`: generates two files of the client from the service's OpenAPI document. One contains the
 * types, the other lists the requests that may be repeated. The files are not committed: npm generates them after an installation, before
 * the linter and the tests, and for each build of the package.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { endpoints } from '../../lambdas/contract';
import { listMediaTypes } from '../../lambdas/contract/endpoint';
import { methodNames, openapiDocument, type OpenApiDocument } from '../../lambdas/contract/openapi';

const HEADER = '/* Generated from the OpenAPI document by client/admin/generate.ts. Do not edit. */\n\n';

/**
 * Removes the parts of the document that only human readers need: the examples, the response headers, and the separate response for each
 * error. The response `default` then describes all errors.
 */
function condensed(document: OpenApiDocument): OpenAPI3 {
  const copy = JSON.parse(JSON.stringify(document, (key, value: unknown) => (/^examples?$/.test(key) ? undefined : value))) as OpenAPI3;
  delete copy.components?.headers;
  // The webhooks are removed. Otherwise the generated types would describe the headers of a delivery again for each event. The schema of
  // the event stays.
  delete copy.webhooks;
  for (const path of Object.values(copy.paths ?? {}))
    for (const method of Object.values(methodNames)) {
      const operation = 'get' in path || 'post' in path || 'put' in path || 'patch' in path || 'delete' in path ? path[method] : undefined;
      if (!operation || !('responses' in operation)) continue;
      const responses = Object.entries(operation.responses ?? {});
      for (const [, response] of responses) {
        if ('headers' in response) delete response.headers;
        // The client gets a list as CSV only with `parseAs: 'text'`, so its types describe the JSON response only.
        if ('content' in response) for (const type of listMediaTypes) delete response.content?.[type];
      }
      operation.responses = {
        ...Object.fromEntries(responses.filter(([status]) => status.startsWith('2'))),
        ...Object.fromEntries(responses.filter(([status]) => status === '500').map(([, response]) => ['default', response])),
      };
    }
  return copy;
}

/** Generates the file with the requests that may be sent again: those with an idempotency key, and those that need no key. */
function retries(): string {
  const names = (of: (row: (typeof endpoints)[number]) => boolean): string =>
    JSON.stringify(endpoints.filter(of).map(({ method, path }) => `${method} ${path}`));
  return `${HEADER}/** Requests that the service carries out once for each \`Idempotency-Key\`. */
export const keyed: readonly string[] = ${names(({ idempotent }) => idempotent === true)};

/** POSTs that accept no idempotency key, but have no further effect when they are repeated. */
export const repeatable: readonly string[] = ${names((row) => row.repeatable === true)};
`;
}

/** Writes the generated files. A file that is up to date is left alone, because another process may be reading it. */
export async function generate(): Promise<void> {
  const folder = join(__dirname, 'src/generated');
  const types = astToString(await openapiTS(condensed(openapiDocument({ version: '1' }))));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of [
    ['openapi.ts', HEADER + types],
    ['retries.ts', retries()],
  ] as const) {
    const file = join(folder, name);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
}

if (require.main === module) void generate();
