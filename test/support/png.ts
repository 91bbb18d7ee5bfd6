import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** An image in the format PNG, and the request that declares it as the logo of a portal. */

function chunk(type: string, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, check]);
}

/** An image of one color (`#rrggbb`). */
export function png(width: number, height: number, color = '#0b7285'): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const row = Buffer.concat([Buffer.alloc(1), Buffer.from(color.slice(1).repeat(width), 'hex')]);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

export const declaredLogo = (image: Uint8Array): { readonly size: number; readonly sha256: string } => ({
  size: image.length,
  sha256: createHash('sha256').update(image).digest('hex'),
});
