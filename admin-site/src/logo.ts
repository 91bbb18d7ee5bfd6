import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { MAX_LOGO_BYTES, SHARP } from '../../lambdas/contract/logo-size';
import { call } from './api';
import { t } from './texts';

/**
 * Converts an image into a logo, and uploads it. The browser draws the image, so the operator may choose any format that the browser knows,
 * and the service gets a small PNG without scripts or metadata.
 */

export interface LogoImage {
  readonly sha256: string;
  /** Where the browser finds the image: its path, or the image itself as a `data:` URL. */
  readonly src: string;
  readonly width: number;
  readonly height: number;
}

/** How much smaller the image becomes with each attempt, until it is small enough for the service. */
const SMALLER = 0.75;

/** The file as a `data:` URL. The content security policy of the page forbids `blob:` URLs of images. */
const urlOf = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(new Error(t('The file could not be read. Choose it again.')));
    reader.readAsDataURL(file);
  });

async function open(file: File): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = await urlOf(file);
  await image.decode().catch(() => {
    throw new Error(t('This file is not an image that the browser can show.'));
  });
  return image;
}

function draw(image: HTMLImageElement, width: number, height: number): Promise<Blob | null> {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/** Uploads a file as the logo of a product's portal. The portal shows the logo only after its settings name the hash of the image. */
export async function uploadLogo(productId: number, file: File): Promise<LogoImage> {
  const image = await open(file);
  const isScalable = file.type === 'image/svg+xml';
  // An SVG without a size of its own gets the size of the space for the logo.
  const natural = { width: image.naturalWidth || SHARP.width, height: image.naturalHeight || SHARP.height };
  let scale = Math.min(SHARP.width / natural.width, SHARP.height / natural.height, isScalable ? Infinity : 1);
  for (; ; scale *= SMALLER) {
    const [width, height] = [natural.width, natural.height].map((side) => Math.max(1, Math.round(side * scale))) as [number, number];
    const drawn = await draw(image, width, height);
    if (!drawn) throw new Error(t('This file is not an image that the browser can show.'));
    if (drawn.size > MAX_LOGO_BYTES) continue;
    const bytes = new Uint8Array(await drawn.arrayBuffer());
    const hash = bytesToHex(sha256(bytes));
    const { upload } = await call('createPortalLogoUpload', { params: { id: productId }, body: { size: bytes.length, sha256: hash } });
    const { ok, status } = await fetch(upload.url, { method: upload.method, headers: upload.headers, body: drawn });
    if (!ok)
      throw new Error(t('The file storage refused the file: {reason}', { reason: t('status {status}', { status: String(status) }) }));
    return { sha256: hash, src: await urlOf(drawn), width, height };
  }
}
