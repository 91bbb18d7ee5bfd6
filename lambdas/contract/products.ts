import * as z from 'zod';
import { endpoint } from './endpoint';
import { jwkExample, productExample } from './examples';
import { expiringInList, numbersInList } from './overview';
import { pageById } from './paging';
import { name, pathId, product, shownProduct, slug } from './resources';

export const createProduct = endpoint({
  name: 'createProduct',
  method: 'POST',
  path: '/v1/products',
  tag: 'Products',
  summary: 'Create a product',
  description: 'Creates a product with its API key for client apps and its Ed25519 key pair for offline tokens. Name and slug are unique.',
  credential: 'admin',
  scope: 'manage',
  subject: 'deployment',
  body: z.object({ name, slug }),
  idempotent: true,
  status: 201,
  response: product,
  errors: ['duplicate'],
  store: {
    GetItem: ['idempotency'],
    UpdateItem: ['counter'],
    PutItem: ['product', 'signingKey', 'unique', 'idempotency'],
  },
  secrets: ['signingKey', 'encryptionKey'],
  examples: { request: { name: productExample.name, slug: productExample.slug }, response: productExample },
});

export const listProducts = endpoint({
  name: 'listProducts',
  method: 'GET',
  path: '/v1/products',
  tag: 'Products',
  summary: 'List products',
  description: 'All products in ascending id order. If there are more, a `Link` header with `rel="next"` points at the next page.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'products',
  query: z.object({
    ...pageById,
    include: z
      .enum(['numbers', 'expiring'])
      .optional()
      .meta({ description: 'What to add to each product; needs the scope `read`. `expiring` reads licenses, so ask for it less often.' }),
  }),
  status: 200,
  response: z.array(
    shownProduct
      .extend({
        numbers: numbersInList.optional().meta({
          description: 'Only with `include=numbers`. An event counts once it is settled, usually within seconds, at most two minutes.',
        }),
        expiring: expiringInList.optional().meta({ description: 'Only with `include=expiring`.' }),
      })
      .meta({ id: 'ListedProduct' }),
  ),
  errors: [],
  store: { BatchGetItem: ['product', 'license'], Query: ['stats'], indexes: ['list', 'lookup'] },
  secrets: ['encryptionKey'],
  examples: { response: [productExample] },
});

export const getProduct = endpoint({
  name: 'getProduct',
  method: 'GET',
  path: '/v1/products/{id}',
  tag: 'Products',
  summary: 'Get a product',
  description: 'One product with its API key and public key. The API key is included only for tokens that may see it.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'product',
  params: z.object({ id: pathId }),
  status: 200,
  response: shownProduct,
  errors: [],
  store: { GetItem: ['product'] },
  secrets: ['encryptionKey'],
  examples: { response: productExample },
});

export const getJwks = endpoint({
  name: 'getJwks',
  method: 'GET',
  path: '/v1/products/{id}/jwks.json',
  tag: 'Products',
  summary: "The product's public key as a JWK set",
  description: 'The input that a JOSE library needs to verify offline tokens (RFC 7517, RFC 8037).',
  credential: 'none',
  params: z.object({ id: pathId }),
  status: 200,
  response: z
    .object({
      keys: z.array(
        z.object({
          kty: z.literal('OKP'),
          crv: z.literal('Ed25519'),
          x: z.string().meta({ description: 'The public key, 32 bytes in base64url.' }),
          kid: z.string().meta({ description: 'Thumbprint of the key (RFC 7638); the `kid` of its tokens.' }),
          use: z.literal('sig'),
          alg: z.literal('EdDSA'),
        }),
      ),
    })
    .meta({ id: 'JwkSet' }),
  errors: [],
  store: { GetItem: ['product'] },
  maxAgeSeconds: 300,
  examples: { response: { keys: [jwkExample] } },
});

export const updateProduct = endpoint({
  name: 'updateProduct',
  method: 'PATCH',
  path: '/v1/products/{id}',
  tag: 'Products',
  summary: 'Change a product',
  description: 'Changes the given fields only. The slug never changes: it is in tokens and events.',
  credential: 'admin',
  scope: 'manage',
  subject: 'product',
  params: z.object({ id: pathId }),
  body: z.object({
    name: name.optional(),
    list_devices: z.boolean().optional().meta({ description: 'Whether apps may list the devices of a license. Takes up to 60 s.' }),
  }),
  status: 200,
  response: product,
  errors: ['duplicate'],
  store: { GetItem: ['product'], UpdateItem: ['product'], PutItem: ['unique'], DeleteItem: ['unique'] },
  secrets: ['encryptionKey'],
  examples: { request: { name: productExample.name }, response: productExample },
});
