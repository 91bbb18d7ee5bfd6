/**
 * `npm run generate --workspace client/admin`: writes what the client takes from the OpenAPI document of the service, its types and which
 * requests may be repeated. test/client/admin-package.test.ts compares.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { endpoints } from '../../lambdas/contract';
import { listMediaTypes } from '../../lambdas/contract/endpoint';
import { methodNames, openapiDocument, type OpenApiDocument } from '../../lambdas/contract/openapi';

const HEADER = '/* Generated from the OpenAPI document by `npm run generate --workspace client/admin`. Do not edit. */\n\n';

/** Without what only readers of the documentation need: examples, headers of responses, and the errors one by one. */
function condensed(document: OpenApiDocument): OpenAPI3 {
  const copy = JSON.parse(JSON.stringify(document, (key, value: unknown) => (/^examples?$/.test(key) ? undefined : value))) as OpenAPI3;
  delete copy.components?.headers;
  // Each would repeat the headers of a delivery; the event itself is a schema.
  delete copy.webhooks;
  for (const path of Object.values(copy.paths ?? {}))
    for (const method of Object.values(methodNames)) {
      const operation = 'get' in path || 'post' in path || 'patch' in path || 'delete' in path ? path[method] : undefined;
      if (!operation || !('responses' in operation)) continue;
      const responses = Object.entries(operation.responses ?? {});
      for (const [, response] of responses) {
        if ('headers' in response) delete response.headers;
        // A list is CSV only for whoever asks for its text.
        if ('content' in response) for (const type of listMediaTypes) delete response.content?.[type];
      }
      operation.responses = {
        ...Object.fromEntries(responses.filter(([status]) => status.startsWith('2'))),
        ...Object.fromEntries(responses.filter(([status]) => status === '500').map(([, response]) => ['default', response])),
      };
    }
  return copy;
}

/** Requests that may be sent again: with their key, or as they are. */
function retries(): string {
  const names = (of: (row: (typeof endpoints)[number]) => boolean): string =>
    JSON.stringify(endpoints.filter(of).map(({ method, path }) => `${method} ${path}`));
  return `${HEADER}/** Requests that the service carries out once for each \`Idempotency-Key\`. */
export const keyed: readonly string[] = ${names(({ idempotent }) => idempotent === true)};

/** POSTs without such a key that change nothing more when they are repeated. */
export const repeatable: readonly string[] = ${names((row) => row.repeatable === true)};
`;
}

/** The generated files, by their names. */
export async function generate(): Promise<Readonly<Record<string, string>>> {
  const types = astToString(await openapiTS(condensed(openapiDocument({ version: '1' }))));
  return { 'openapi.ts': HEADER + types, 'retries.ts': retries() };
}

async function main(): Promise<void> {
  const files = Object.entries(await generate());
  if (process.argv.includes('--print')) return console.log(JSON.stringify(Object.fromEntries(files)));
  for (const [name, text] of files) writeFileSync(join(__dirname, 'src/generated', name), text);
}

if (require.main === module) void main();
