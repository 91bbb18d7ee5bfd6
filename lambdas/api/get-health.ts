import { getHealth } from '../contract/service';
import { serveStatic } from '../runtime/http/serve-static';
import { SERVICE } from '../runtime/version';

export const handler = serveStatic(getHealth, () => ({ status: 'ok', service: SERVICE }));
