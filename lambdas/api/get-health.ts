import type * as z from 'zod/mini';
import { healthRoute, type getHealth } from '../contract/service';
import { serveStatic } from '../runtime/http/serve-static';
import { SERVICE } from '../runtime/version';

type Health = z.input<(typeof getHealth)['response']>;

export const handler = serveStatic(healthRoute, () => JSON.stringify({ status: 'ok', service: SERVICE } satisfies Health));
