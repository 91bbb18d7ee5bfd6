import { openapiDocument } from '../contract/openapi';
import { VERSION } from './version';

/**
 * The document as JSON, without the address of a server. infra/bundle.ts replaces this name with the text, because computing the document
 * in a function would delay its first response by seconds. Code that is not bundled, such as a test, computes the document when it needs it.
 */
declare const OPENAPI_JSON: string;

/** The server's URL in the text. It is the document's only member with this value. */
const SERVER = JSON.stringify('{server}');

export const computeOpenapiJson = (): string => JSON.stringify(openapiDocument({ version: VERSION, server: '{server}' }));

let computed: string | undefined;

/**
 * The OpenAPI document as JSON.
 *
 * @param basePath the path before the service's own paths; may be empty
 */
export function openapiText(basePath: string): string {
  const text = typeof OPENAPI_JSON === 'string' ? OPENAPI_JSON : (computed ??= computeOpenapiJson());
  return text.replace(SERVER, () => JSON.stringify(basePath || '/'));
}
