import { getLicense } from '../contract/licenses';
import { operator, serve } from '../runtime/http';
import { showLicense } from '../use-cases/change-license';

export const handler = serve(getLicense, operator, ({ params, app }) => showLicense(app, params.id));
