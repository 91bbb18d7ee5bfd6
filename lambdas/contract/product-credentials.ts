import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { jwkExample, productExample, publicKeyExample, webhookExample } from './examples';
import { pathId, product } from './resources';
import { secret } from './secret';
import { timestamp } from './text';

/**
 * The endpoints that rotate a product's credentials. The previous credential stays valid for some time, so that no request is refused
 * (docs/spec/operator.md, Rotation).
 */

const overlapHours = (max: number, preset: number) =>
  documented(z._default(checked(z.int(), z.minimum(0), z.maximum(max)), preset), {
    description: `The number of hours for which the previous key or secret remains valid. With 0, it becomes invalid within 60 s.`,
  });

export const rotateApiKey = /* @__PURE__ */ endpoint(() => ({
  name: 'rotateApiKey',
  method: 'POST',
  path: '/v1/products/{id}/api-key/rotate',
  tag: 'Products',
  summary: "Rotate the product's API key",
  description:
    'Gives the product a new API key. The previous key remains valid during the overlap, so that apps in use can be updated. At most two keys are valid at a time.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ overlap_hours: overlapHours(8760, 720) }),
  bodyOptional: true,
  idempotent: true,
  response: product,
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  examples: { request: { overlap_hours: 720 }, response: productExample },
}));

const previousKeyPath = '/v1/products/{id}/api-key/previous';

export const getPreviousApiKey = /* @__PURE__ */ endpoint(() => ({
  name: 'getPreviousApiKey',
  method: 'GET',
  path: previousKeyPath,
  tag: 'Products',
  summary: 'Get the previous API key’s end',
  description: 'Says until when the previous API key of the product is valid. Both fields are null if only the current key is valid.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  response: documented(
    z.object({
      hint: documented(z.nullable(z.string()), { description: 'The last 4 characters of the previous key; null if they are not known.' }),
      valid_until: z.nullable(timestamp),
    }),
    { id: 'PreviousApiKey' },
  ),
  store: { GetItem: ['product'] },
  examples: { response: { hint: 'x7Qd', valid_until: '2026-12-20T13:52:00.123Z' } },
}));

export const endPreviousApiKey = /* @__PURE__ */ endpoint(() => ({
  name: 'endPreviousApiKey',
  method: 'DELETE',
  path: previousKeyPath,
  tag: 'Products',
  summary: 'End the previous API key',
  description:
    'Makes the previous API key of the product invalid within 60 s. If only the current key is valid, the request changes nothing.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  response: documented(z.object({ ended: z.boolean() }), { id: 'EndedApiKey' }),
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  examples: { response: { ended: true } },
}));

export const rotateWebhookSecret = /* @__PURE__ */ endpoint(() => ({
  name: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/products/{id}/webhook/rotate',
  tag: 'Webhooks',
  summary: "Rotate the product's webhook secret",
  description:
    'Gives the product a new webhook secret. During the overlap, `webhook-signature` contains two signatures: first with the new secret, then with the previous secret. `X-Svc-Signature` uses only the new secret.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({ overlap_hours: overlapHours(168, 24) }),
  bodyOptional: true,
  idempotent: true,
  response: documented(
    z.object({
      url: documented(z.string(), { description: 'The URL to which events are posted; empty if no URL is set.' }),
      secret: secret(documented(z.string(), { description: 'The new secret. Keep it only on the server.' })),
      previous_until: documented(z.nullable(timestamp), {
        description: 'The time until which events are also signed with the previous secret; null if only the new secret signs.',
      }),
    }),
    { id: 'RotatedWebhook' },
  ),
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  examples: {
    request: { overlap_hours: 24 },
    response: { url: webhookExample.url, secret: webhookExample.secret, previous_until: '2026-11-21T13:52:00.123Z' },
  },
}));

const kid = documented(checked(z.string(), z.regex(/^[\w-]{43}$/)), {
  description: 'The thumbprint of the key (RFC 7638).',
  examples: [jwkExample.kid],
});

const signingKey = documented(
  z.object({
    kid,
    public_key: documented(z.string(), { description: 'The Ed25519 public key, as SubjectPublicKeyInfo PEM.' }),
    status: documented(z.enum(['current', 'next', 'previous']), {
      description:
        '`next`: the key is published, but signs nothing yet. `current`: the key signs tokens. `previous`: the key no longer signs tokens, but its tokens are still valid.',
    }),
    created_at: timestamp,
  }),
  { id: 'SigningKey' },
);

const currentExample = { kid: jwkExample.kid, public_key: publicKeyExample, status: 'current', created_at: productExample.created_at };

export const listSigningKeys = /* @__PURE__ */ endpoint(() => ({
  name: 'listSigningKeys',
  method: 'GET',
  path: '/v1/products/{id}/signing-keys',
  tag: 'Products',
  summary: "List the product's signing keys",
  description: 'Returns the keys of the JWK set, the current key first.',
  credential: 'admin',
  scope: 'read',
  subject: 'product',
  params: z.object({ id: pathId }),
  response: z.array(signingKey),
  store: { GetItem: ['product'] },
  size: 'standard',
  examples: { response: [currentExample] },
}));

export const createSigningKey = /* @__PURE__ */ endpoint(() => ({
  name: 'createSigningKey',
  method: 'POST',
  path: '/v1/products/{id}/signing-keys',
  tag: 'Products',
  summary: 'Create the next signing key',
  description:
    'Publishes a new key in the JWK set. The key signs nothing until it is activated. Wait 5 minutes before you activate the key, so that clients can read the new JWK set first.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  // A product has only one next signing key, so a repeated request is refused.
  idempotent: false,
  status: 201,
  response: documented(z.pick(signingKey, { kid: true, public_key: true, status: true }), { id: 'NextSigningKey' }),
  errors: ['next_key_exists'],
  store: { BatchGetItem: ['product', 'signingKey'], UpdateItem: ['product'], PutItem: ['signingKey'] },
  secrets: ['signingKey'],
  examples: { response: { kid: jwkExample.kid, public_key: publicKeyExample, status: 'next' } },
}));

export const activateSigningKey = /* @__PURE__ */ endpoint(() => ({
  name: 'activateSigningKey',
  method: 'POST',
  path: '/v1/products/{id}/signing-keys/{kid}/activate',
  tag: 'Products',
  summary: 'Activate the next signing key',
  description:
    'The next key becomes the current key, which signs all tokens. Within 60 s, every function of the service signs with the new current key. The replaced key becomes a previous key. Tokens that a previous key signed remain valid. Activating the current key changes nothing.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId, kid }),
  repeatable: true,
  response: z.array(signingKey),
  store: { GetItem: ['product'], UpdateItem: ['product'] },
  size: 'standard',
  examples: { response: [currentExample] },
}));

export const deleteSigningKey = /* @__PURE__ */ endpoint(() => ({
  name: 'deleteSigningKey',
  method: 'DELETE',
  path: '/v1/products/{id}/signing-keys/{kid}',
  tag: 'Products',
  summary: 'Delete a signing key',
  description:
    'Removes a key with the status `next` or `previous` from the JWK set. Clients that read the JWK set then refuse the tokens that this key signed. The current key cannot be deleted (422).',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId, kid }),
  response: z.array(signingKey),
  errors: ['invalid_request'],
  store: { BatchGetItem: ['product', 'signingKey'], UpdateItem: ['product'], PutItem: ['signingKey'] },
  size: 'standard',
  examples: { response: [currentExample] },
}));
