import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { jwkExample, productExample } from './examples';
import { TRIALS_PER_HOUR } from './limits';
import { expiringInList, numbersInList } from './overview';
import { pageById } from './paging';
import { name, pathId, product, shownProduct, slug } from './resources';

export const createProduct = /* @__PURE__ */ endpoint(() => ({
  name: 'createProduct',
  method: 'POST',
  path: '/v1/products',
  tag: 'Products',
  summary: 'Create a product',
  description:
    'Creates a product with an API key for client apps and an Ed25519 key pair for offline tokens. The name and the slug must be unique.',
  credential: 'admin',
  scope: 'manage',
  subject: 'deployment',
  body: z.object({ name, slug }),
  idempotent: true,
  status: 201,
  response: product,
  errors: ['duplicate'],
  store: {
    UpdateItem: ['counter'],
    PutItem: ['product', 'signingKey', 'unique'],
  },
  secrets: ['signingKey'],
  examples: { request: { name: productExample.name, slug: productExample.slug }, response: productExample },
}));

export const listProducts = /* @__PURE__ */ endpoint(() => ({
  name: 'listProducts',
  method: 'GET',
  path: '/v1/products',
  tag: 'Products',
  summary: 'List products',
  description:
    'Returns all products in ascending id order. If there are more products, a `Link` header with `rel="next"` has the URL of the next page.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'products',
  query: z.object({
    ...pageById,
    include: documented(z.optional(z.enum(['numbers', 'expiring'])), {
      description:
        'Additional fields of each product, for tokens with the scope `read`. Request `expiring` less often than `numbers`: `expiring` is slower and costs more, because the service reads licenses to count them.',
    }),
  }),
  response: z.array(
    documented(
      z.extend(shownProduct, {
        numbers: documented(z.optional(numbersInList), {
          description:
            'The statistics of the product, present only with `include=numbers`. The service counts a change after the first attempt to deliver the event that reports the change, usually within seconds. It counts a failed delivery after the last attempt. An event that is not posted is counted within two minutes.',
        }),
        expiring: documented(z.optional(expiringInList), {
          description: 'The licenses of the product that expire soon or have expired unnoticed, present only with `include=expiring`.',
        }),
      }),
      { id: 'ListedProduct' },
    ),
  ),
  store: { BatchGetItem: ['product', 'license'], Query: ['stats'], indexes: ['list', 'lookup'] },
  secrets: ['encryptionKey'],
  examples: { response: [productExample] },
}));

export const getProduct = /* @__PURE__ */ endpoint(() => ({
  name: 'getProduct',
  method: 'GET',
  path: '/v1/products/{id}',
  tag: 'Products',
  summary: 'Get a product',
  description: 'Returns the product with its API key and public key. Only tokens that may see secrets get the API key.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'product',
  params: z.object({ id: pathId }),
  response: shownProduct,
  store: { GetItem: ['product'] },
  secrets: ['encryptionKey'],
  examples: { response: productExample },
}));

export const getJwks = /* @__PURE__ */ endpoint(() => ({
  name: 'getJwks',
  method: 'GET',
  path: '/v1/products/{id}/jwks.json',
  tag: 'Products',
  summary: "Get the product's public keys as a JWK set",
  description: 'Returns the public keys with which a JOSE library verifies offline tokens (RFC 7517, RFC 8037).',
  credential: 'none',
  params: z.object({ id: pathId }),
  response: documented(
    z.object({
      keys: z.array(
        z.object({
          kty: z.literal('OKP'),
          crv: z.literal('Ed25519'),
          x: documented(z.string(), { description: 'The public key, 32 bytes in base64url.' }),
          kid: documented(z.string(), {
            description: 'The thumbprint of the key (RFC 7638). It is the `kid` of the tokens that the key signed.',
          }),
          use: z.literal('sig'),
          alg: z.literal('EdDSA'),
        }),
      ),
    }),
    { id: 'JwkSet' },
  ),
  store: { GetItem: ['product'] },
  maxAgeSeconds: 300,
  examples: { response: { keys: [jwkExample] } },
}));

export const updateProduct = /* @__PURE__ */ endpoint(() => ({
  name: 'updateProduct',
  method: 'PATCH',
  path: '/v1/products/{id}',
  tag: 'Products',
  summary: 'Change a product',
  description: 'Changes only the fields in the body. The slug cannot be changed, because tokens and events contain it.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    name: z.optional(name),
    list_devices: documented(z.optional(z.boolean()), {
      description: 'Whether apps may list the devices of a license. A change takes effect within 60 s.',
    }),
    trials_per_hour: documented(z.optional(checked(z.int(), z.minimum(1), z.maximum(TRIALS_PER_HOUR.highest))), {
      description: `The maximum number of trials that apps may start within an hour, counted from the first; ${TRIALS_PER_HOUR.default} for a new product. A change takes effect within 60 s.`,
    }),
  }),
  response: product,
  errors: ['duplicate'],
  store: { GetItem: ['product'], UpdateItem: ['product'], PutItem: ['unique'], DeleteItem: ['unique'] },
  secrets: ['encryptionKey'],
  examples: { request: { name: productExample.name }, response: productExample },
}));
