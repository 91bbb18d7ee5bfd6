import * as z from 'zod/mini';
import { fileFolders } from '../../contract/access';
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE } from '../../contract/logo-size';
import { number, string, type Stored } from '../stored';

/** The logo of a portal (docs/spec/portal.md, Logo). */
export const logoSchema = z.object({
  /** The random name of the image in the file storage. It is never used again, so that caches can keep the image for ever. */
  name: string,
  /** The SHA-256 hash of the image in hex. */
  sha256: string,
  /** In pixels. */
  width: number,
  height: number,
});
export interface Logo extends Stored<typeof logoSchema> {}

export const LOGO_TYPE = 'image/png';

/** Number of random bytes in the name of a logo. */
export const LOGO_NAME_BYTES = 8;

/** The storage key of an upload that is not checked yet. Nobody can download it. */
export const logoUploadKey = (slug: string, sha256: string): string => `${fileFolders.logoUploads}/${slug}/${sha256}`;

/** The storage key of a logo, which is also its path at the service's URL. */
export const logoKey = (slug: string, { name }: Pick<Logo, 'name'>): string => `${fileFolders.logos}/${slug}/${name}.png`;

/** The path of the logo at the service's URL. */
export const logoPath = (slug: string, logo: Pick<Logo, 'name'>): string => `/${logoKey(slug, logo)}`;

/** The beginning of every PNG image: the signature, then the length and the type of the first chunk (RFC 2083, 12.11 and 11.1). */
const BEGINNING = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** The last chunk of every PNG image (RFC 2083, 4.1.4). */
const END = Buffer.from('0000000049454e44ae426082', 'hex');

/** The width and height of an image in pixels, or the end of a sentence that says why the image can't be a logo. */
export function checkLogo(content: Uint8Array): Pick<Logo, 'width' | 'height'> | string {
  const image = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (image.length > MAX_LOGO_BYTES) return `must have at most ${MAX_LOGO_BYTES / 1024} KB`;
  if (!image.subarray(0, BEGINNING.length).equals(BEGINNING) || !image.subarray(-END.length).equals(END)) return 'must be a PNG image';
  const width = image.readUInt32BE(BEGINNING.length);
  const height = image.readUInt32BE(BEGINNING.length + 4);
  if (width === 0 || height === 0) return 'must have at least one pixel';
  if (Math.max(width, height) > MAX_LOGO_SIDE) return `must have at most ${MAX_LOGO_SIDE} pixels on each side`;
  return { width, height };
}
