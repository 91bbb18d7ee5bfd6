import * as z from 'zod/mini';
import { documented } from '../schema';
import { secret, secretIfPermitted } from '../secret';
import { createdAt, id } from './common';

export const product = documented(
  z.object({
    id,
    name: z.string(),
    slug: documented(z.string(), {
      description: 'The short name of the product. It is the audience (`aud`) of offline tokens and the `product` in events.',
    }),
    api_key: secret(documented(z.string(), { description: 'The API key of the product, which client apps send in `X-API-Key`.' })),
    public_key: documented(z.string(), {
      description: 'The Ed25519 public key that verifies offline tokens, as SubjectPublicKeyInfo PEM.',
    }),
    list_devices: documented(z.boolean(), { description: 'Whether apps may list the devices of a license.' }),
    trials_per_hour: documented(z.int(), {
      description: 'The maximum number of trials that apps may start within an hour, counted from the first.',
    }),
    created_at: createdAt,
  }),
  { id: 'Product' },
);

/** A product in responses that every admin token can get. Responses to a token that may not see secrets do not contain the API key. */
export const shownProduct = documented(z.extend(product, { api_key: secretIfPermitted(product.shape.api_key) }), { id: 'ShownProduct' });

export type ProductView = z.infer<typeof product>;
