import { yankRelease } from '../contract/releases';
import { yank } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import { changeAndAnnounce } from '../use-cases/releases/change';

export const handler = serve(yankRelease, operator, ({ params, body, app, now }) =>
  changeAndAnnounce(app, params.id, 'release.yanked', now, (release) => yank(release, body.reason ?? null, now)),
);
