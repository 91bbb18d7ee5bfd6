import { fail, type Failure } from '../../contract/errors';
import { checkLogo, LOGO_NAME_BYTES, LOGO_TYPE, logoKey, logoUploadKey, type Logo } from '../../domain/portal/logo';
import type { App } from '../../runtime/app';
import { filesOf } from '../../runtime/files';
import { log } from '../../runtime/observability/log';
import { getPortalOf } from '../../store/portal/settings';

/** Stores and removes the logos of portals. An upload becomes public only after the service has checked its content. */

/**
 * Checks an uploaded image, and stores it as a logo under a new name. If the settings are not changed afterwards, the stored image remains:
 * the outcome of the change may be unknown, and a setting must never name an image that was deleted.
 *
 * @param wanted the hash of the image as the operator sent it; undefined: the logo stays unchanged, null: there will be none
 * @returns undefined if the logo stays unchanged
 */
export async function storeLogo(
  app: App,
  product: { readonly id: number; readonly slug: string },
  wanted: string | null | undefined,
): Promise<Logo | null | undefined | Failure> {
  if (wanted === undefined || wanted === null) return wanted;
  if ((await getPortalOf(app.table, product)).logo?.sha256 === wanted) return undefined;
  const files = filesOf(app);
  const content = await files.read(logoUploadKey(product.slug, wanted));
  if (!content) return fail('invalid_request', 'logo must be the hash of an image that was uploaded within the last day');
  const size = checkLogo(content);
  if (typeof size === 'string') return fail('invalid_request', `logo ${size}`);
  const name = Buffer.from(app.random(LOGO_NAME_BYTES)).toString('hex');
  await files.publish({ key: logoKey(product.slug, { name }), contentType: LOGO_TYPE }, content);
  return { name, sha256: wanted, ...size };
}

/**
 * Deletes a logo that the settings no longer contain. The function never fails, because a logo that was not deleted costs little.
 */
export async function removeLogo(app: App, slug: string, logo: Logo): Promise<void> {
  try {
    await filesOf(app).remove(logoKey(slug, logo));
  } catch (error) {
    log.warn('FILE_NOT_DELETED', { slug }, error);
  }
}
