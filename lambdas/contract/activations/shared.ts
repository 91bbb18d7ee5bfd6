import * as z from 'zod/mini';
import { documented } from '../schema';
import { text, timestampInput } from '../text';

export const offlineToken = documented(z.string(), {
  description:
    "An offline token that is bound to the device: a compact JWS (EdDSA). Apps verify the token with the product's public key, without a network.",
});

/** The partitions that an endpoint for apps reads: products, and licenses with their devices. */
export const clientReads = ['product', 'license'] as const;
/** Endpoints that sign tokens also read the seeds of the signing keys. */
export const signs = { reads: [...clientReads, 'signingKey'], secrets: ['signingKey'] } as const;

/** The partition in which refused requests are recorded (docs/spec/operator.md, Why was it refused?). */
export const records = 'refusal';

export const releaseVersion = documented(text(0, 200), {
  description:
    'The version of the release: a semantic version, or digits with dots. A leading `v` is allowed. If the version has another format, only the date of the release decides whether the release is covered.',
});
export const releasedAt = documented(timestampInput, { description: 'When the release was published.' });
