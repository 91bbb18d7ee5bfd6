import { renewLicense } from '../contract/licenses';
import { addDays } from '../domain/license';
import { renew } from '../domain/license-operations';
import { applyAndShow } from '../use-cases/change-license';
import { operator, serve } from '../runtime/http';

export const handler = serve(renewLicense, operator, (call) => {
  const { body, now, actor } = call;
  const latest = actor.renewal_days === null ? undefined : addDays(now, actor.renewal_days);
  return applyAndShow(call, (license) => renew(license, { ...body, latest, beginsTerm: Object.keys(body).length === 0 }, now));
});
