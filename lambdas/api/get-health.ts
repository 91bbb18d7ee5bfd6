import { getHealth } from '../contract/service';
import { serve } from '../runtime/serve';
import { SERVICE } from '../runtime/version';

export const handler = serve(getHealth, () => ({ status: 'ok', service: SERVICE }));
