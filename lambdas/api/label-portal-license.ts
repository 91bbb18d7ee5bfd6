import { isFailure } from '../contract/errors';
import { labelPortalLicense } from '../contract/portal';
import { edit } from '../domain/license-operations';
import { isOwn, noSuchLicense } from '../domain/portal/license';
import { unchanged } from '../domain/transition';
import { buyer, serve } from '../runtime/http';
import { applyDecision, followLicense } from '../use-cases/apply-decision';

export const handler = serve(labelPortalLicense, buyer, async ({ app, session, now, body, ownLicense }) => {
  const read = await ownLicense();
  if (isFailure(read)) return read;
  const label = body.label === '' ? null : body.label;
  const labelled = await applyDecision(
    app,
    { license: read },
    ({ license }) => (isOwn(license, session) ? edit(license, { label }, now) : unchanged(noSuchLicense())),
    { follow: followLicense(app, read.id) },
  );
  if (labelled === undefined) return noSuchLicense();
  return isFailure(labelled) ? labelled : { label: labelled.label };
});
