/** The sizes of a portal's logo: what the service accepts, and how large the page and mails show it. */

/** Maximum size of the image in bytes. */
export const MAX_LOGO_BYTES = 64 * 1024;
/** Maximum width and height of the image in pixels. */
export const MAX_LOGO_SIDE = 1024;

/** The space for the logo on the portal's page and in mails, in pixels of CSS. */
const BOX = { width: 240, height: 48 };

/** The size at which a logo is shown: as large as fits, but never larger than the image. */
export function shownSize({ width, height }: { readonly width: number; readonly height: number }): {
  readonly width: number;
  readonly height: number;
} {
  const scale = Math.min(1, BOX.width / width, BOX.height / height);
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  return { width: scaled(width), height: scaled(height) };
}

/** The size of a logo that is sharp on screens with twice as many pixels. */
export const SHARP = { width: 2 * BOX.width, height: 2 * BOX.height };
