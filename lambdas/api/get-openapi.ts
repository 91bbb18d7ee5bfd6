import { openapiDocument, type OpenApiDocument } from '../contract/openapi';
import { getOpenapi } from '../contract/service';
import { basePath } from '../runtime/http/response';
import { serveStatic } from '../runtime/http/serve-static';
import { VERSION } from '../runtime/version';

/** The document of the previous request. The document is kept, because building it takes much longer than sending it. */
let previous: { readonly server: string; readonly document: OpenApiDocument } | undefined;

export const handler = serveStatic(getOpenapi, (event) => {
  const server = basePath(event) || '/';
  if (previous?.server !== server) previous = { server, document: openapiDocument({ version: VERSION, server }) };
  return { ...previous.document };
});
