import * as z from 'zod/mini';
import { documented } from '../schema';
import { text, textLike } from '../text';
import { MAX_BODY_BYTES } from './common';

/** A license key that another system issued (docs/spec/licenses.md, Existing keys). */
export const existingKey = textLike(
  /^(?=(?:-*[A-Za-z0-9]){8})[A-Za-z0-9-]{8,64}$/,
  'consist of 8 to 64 letters, digits and hyphens, with at least 8 letters or digits',
  64,
  8,
);

/** A license key as a person typed it. A key with a wrong check symbol counts as an unknown key, not as an invalid request. */
export const licenseKey = documented(text(1, MAX_BODY_BYTES), {
  type: 'string',
  minLength: 1,
  description:
    'The license key, as a person typed it. Case, spaces, hyphens and quotation marks are ignored, and full-width characters are read as ASCII. `O` is read as `0`, and `I` and `L` are read as `1`.',
  examples: ['9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z'],
});

/** A license key in a response. It has the format in which this service or another system issued it. */
export const canonicalKey = documented(z.string(), { description: 'The license key.', examples: ['9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z'] });
