import { getLicense } from '../contract/licenses';
import { serve } from '../runtime/http/serve';
import { showLicense } from '../use-cases/change-license';

export const handler = serve(getLicense, ({ params, app }) => showLicense(app, params.id));
