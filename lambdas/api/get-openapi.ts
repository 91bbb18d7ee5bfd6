import { openapiDocument } from '../contract/openapi';
import { getOpenapi } from '../contract/service';
import { basePath } from '../runtime/response';
import { serve } from '../runtime/serve';
import { VERSION } from '../runtime/version';

export const handler = serve(getOpenapi, ({ event }) => ({ ...openapiDocument({ version: VERSION, server: basePath(event) || '/' }) }));
