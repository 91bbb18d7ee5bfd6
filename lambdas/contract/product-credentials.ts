import * as z from 'zod';
import { endpoint } from './endpoint';
import { jwkExample, productExample, publicKeyExample, webhookExample } from './examples';
import { pathId, product } from './resources';
import { secret } from './secret';
import { timestamp } from './text';

/**
 * The endpoints that rotate a product's credentials. The previous credential stays valid for a while, so that no request is refused
 * (docs/spec/operator.md, Rotation).
 */

const overlapHours = (max: number, preset: number) =>
  z
    .int()
    .min(0)
    .max(max)
    .default(preset)
    .meta({ description: `How many hours the previous key or secret remains valid. 0: it stops working within 60 s.` });

export const rotateApiKey = endpoint({
  name: 'rotateApiKey',
  method: 'POST',
  path: '/v1/products/{id}/api-key/rotate',
  tag: 'Products',
  summary: "Rotate the product's API key",
  description:
    'Gives the product a new API key. The previous one keeps working during the overlap, so that apps in use can be updated. At most two keys work at a time.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ overlap_hours: overlapHours(8760, 720) }),
  bodyOptional: true,
  idempotent: true,
  status: 200,
  response: product,
  errors: [],
  store: { GetItem: ['product', 'idempotency'], UpdateItem: ['product'], PutItem: ['idempotency'] },
  secrets: ['encryptionKey'],
  examples: { request: { overlap_hours: 720 }, response: productExample },
});

export const rotateWebhookSecret = endpoint({
  name: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/products/{id}/webhook/rotate',
  tag: 'Webhooks',
  summary: "Rotate the product's webhook secret",
  description:
    'Gives the product a new webhook secret. During the overlap, `webhook-signature` carries the signatures of both secrets, the new one first; `X-Svc-Signature` uses the new one only.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ overlap_hours: overlapHours(168, 24) }),
  bodyOptional: true,
  idempotent: true,
  status: 200,
  response: z
    .object({
      url: z.string().meta({ description: 'Where events are posted; empty if none is set.' }),
      secret: secret(z.string().meta({ description: 'The new secret. Keep it on the server.' })),
      previous_until: timestamp.nullable().meta({ description: 'Until when the previous secret signs too; null if it no longer does.' }),
    })
    .meta({ id: 'RotatedWebhook' }),
  errors: [],
  store: { GetItem: ['product', 'idempotency'], UpdateItem: ['product'], PutItem: ['idempotency'] },
  secrets: ['encryptionKey'],
  examples: {
    request: { overlap_hours: 24 },
    response: { url: webhookExample.url, secret: webhookExample.secret, previous_until: '2026-11-21T13:52:00.123Z' },
  },
});

const kid = z
  .string()
  .regex(/^[\w-]{43}$/)
  .meta({ description: 'Thumbprint of the key (RFC 7638).', examples: [jwkExample.kid] });

const signingKey = z
  .object({
    kid,
    public_key: z.string().meta({ description: 'Ed25519 public key, SubjectPublicKeyInfo PEM.' }),
    status: z.enum(['current', 'next', 'previous']).meta({
      description: '`next`: published, but signs nothing yet. `current`: signs. `previous`: no longer signs; its tokens still verify.',
    }),
    created_at: timestamp,
  })
  .meta({ id: 'SigningKey' });

const currentExample = { kid: jwkExample.kid, public_key: publicKeyExample, status: 'current', created_at: productExample.created_at };

export const listSigningKeys = endpoint({
  name: 'listSigningKeys',
  method: 'GET',
  path: '/v1/products/{id}/signing-keys',
  tag: 'Products',
  summary: "List the product's signing keys",
  description: 'The keys of the JWK set, the current one first.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  status: 200,
  response: z.array(signingKey),
  errors: [],
  store: { GetItem: ['product'] },
  size: 'standard',
  examples: { response: [currentExample] },
});

export const createSigningKey = endpoint({
  name: 'createSigningKey',
  method: 'POST',
  path: '/v1/products/{id}/signing-keys',
  tag: 'Products',
  summary: 'Create the next signing key',
  description:
    'Publishes a new key in the JWK set. It signs nothing until it is activated: wait until clients have read the set (5 minutes).',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  status: 201,
  response: signingKey.pick({ kid: true, public_key: true, status: true }).meta({ id: 'NextSigningKey' }),
  errors: ['duplicate'],
  store: { BatchGetItem: ['product', 'signingKey'], UpdateItem: ['product'], PutItem: ['signingKey'] },
  secrets: ['signingKey'],
  examples: { response: { kid: jwkExample.kid, public_key: publicKeyExample, status: 'next' } },
});

export const activateSigningKey = endpoint({
  name: 'activateSigningKey',
  method: 'POST',
  path: '/v1/products/{id}/signing-keys/{kid}/activate',
  tag: 'Products',
  summary: 'Activate the next signing key',
  description:
    'The next key signs from now on, within 60 s in every function. The key that was current becomes a previous key, whose tokens still verify. Activating the current key changes nothing.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId, kid }),
  repeatable: true,
  status: 200,
  response: z.array(signingKey),
  errors: [],
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  size: 'standard',
  examples: { response: [currentExample] },
});

export const deleteSigningKey = endpoint({
  name: 'deleteSigningKey',
  method: 'DELETE',
  path: '/v1/products/{id}/signing-keys/{kid}',
  tag: 'Products',
  summary: 'Delete a signing key',
  description:
    'Removes a next or previous key from the JWK set. Clients that follow the set then refuse the tokens that it signed. The current key cannot be deleted (422).',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId, kid }),
  status: 200,
  response: z.array(signingKey),
  errors: ['invalid_request'],
  store: { BatchGetItem: ['product', 'signingKey'], UpdateItem: ['product'], PutItem: ['signingKey'] },
  size: 'standard',
  examples: { response: [currentExample] },
});
