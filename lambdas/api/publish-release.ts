import { publishRelease } from '../contract/releases';
import { publish } from '../domain/releases/release';
import { operator, serve } from '../runtime/http';
import { changeAndAnnounce } from '../use-cases/releases/change';
import { findUploads } from '../use-cases/releases/files';

export const handler = serve(publishRelease, operator, ({ params, app, now }) =>
  changeAndAnnounce(app, params.id, 'release.published', now, async (release) => publish(release, await findUploads(app, [release]), now)),
);
