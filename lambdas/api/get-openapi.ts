import { openapiDocument } from '../contract/openapi';
import { getOpenapi } from '../contract/service';
import { basePath } from '../runtime/http/response';
import { serveStatic } from '../runtime/http/serve-static';
import { VERSION } from '../runtime/version';

export const handler = serveStatic(getOpenapi, (event) => ({ ...openapiDocument({ version: VERSION, server: basePath(event) || '/' }) }));
