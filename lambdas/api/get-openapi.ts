import { openapiRoute } from '../contract/service';
import { basePath } from '../runtime/http/response';
import { serveStatic } from '../runtime/http/serve-static';
import { openapiText } from '../runtime/openapi-text';

export const handler = serveStatic(openapiRoute, (event) => openapiText(basePath(event)));
