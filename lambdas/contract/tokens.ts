import * as z from 'zod';
import { endpoint } from './endpoint';
import { tokenExample } from './examples';
import { pageById } from './paging';
import { name, pathId } from './resources';
import { scopes as scopeNames } from './scopes';
import { secret } from './secret';
import { timestamp, timestampInput } from './text';

/** Admin tokens that operators create. The deployment's own admin token is not one of them (docs/spec/operator.md, Admin tokens). */

const scope = z.enum(scopeNames).meta({
  id: 'Scope',
  description:
    '`read`: every GET except those of releases, without secrets. `licenses`: also every write on licenses and license types. `releases`: releases and their files; it can also read products, without secrets. `manage`: everything except tokens and the audit log. `admin`: everything.',
});

const fields = {
  id: z.int().min(1),
  name: z.string(),
  scopes: z.array(scope),
  product_id: z.int().min(1).nullable().meta({ description: 'The only product that the token can see and change; null: all products.' }),
  expires_at: timestamp.nullable().meta({ description: 'The token is refused from this moment on; null: it never expires.' }),
  created_at: timestamp,
  last_used_on: z.iso.date().nullable().meta({ description: 'The last day (UTC) on which it was used; null if it was never used.' }),
};

const listedToken = z.object(fields).meta({ id: 'AdminToken' });
export type AdminTokenView = z.infer<typeof listedToken>;

const { token: tokenText, ...listedExample } = tokenExample;

export const createToken = endpoint({
  name: 'createToken',
  method: 'POST',
  path: '/v1/tokens',
  tag: 'Admin tokens',
  summary: 'Create an admin token',
  description:
    '`token` is shown only in this response. With `product_id` the token can see and change that product only: resources of other products are 404, and resources of no product are 403.',
  credential: 'admin',
  scope: 'admin',
  subject: 'deployment',
  body: z.object({
    name: name.meta({ description: 'The person or program that uses it; the audit log shows it.' }),
    scopes: z
      .array(scope)
      .min(1, { error: 'must name at least one scope' })
      .max(scopeNames.length, { error: 'must be distinct' })
      .refine((names) => new Set(names).size === names.length, { error: 'must be distinct' })
      .meta({ uniqueItems: true }),
    product_id: z.int().min(1).nullish().meta({ description: 'Binds the token to this product.' }),
    expires_at: timestampInput.nullish().meta({ description: 'In the future; default never.' }),
  }),
  status: 201,
  response: z
    .object({
      ...fields,
      token: secret(
        z.string().meta({ description: 'The token, for `X-Svc-Admin-Token`. Shown only this once: the service keeps only a hash of it.' }),
      ),
    })
    .meta({ id: 'NewAdminToken' }),
  errors: ['not_found'],
  store: { GetItem: ['product'], UpdateItem: ['counter'], PutItem: ['token', 'tokenList'] },
  examples: {
    request: { name: tokenExample.name, scopes: tokenExample.scopes },
    response: { ...listedExample, last_used_on: null, token: tokenText },
  },
});

export const listTokens = endpoint({
  name: 'listTokens',
  method: 'GET',
  path: '/v1/tokens',
  tag: 'Admin tokens',
  summary: 'List admin tokens',
  description: 'The tokens that were not revoked, including expired ones, in ascending id order, paged like every list.',
  credential: 'admin',
  scope: 'admin',
  subject: 'deployment',
  query: z.object(pageById),
  status: 200,
  response: z.array(listedToken),
  errors: [],
  store: { Query: ['tokenList'] },
  size: 'standard',
  examples: { response: [listedExample] },
});

export const revokeToken = endpoint({
  name: 'revokeToken',
  method: 'DELETE',
  path: '/v1/tokens/{id}',
  tag: 'Admin tokens',
  summary: 'Revoke an admin token',
  description: 'The token is refused everywhere within 60 s.',
  credential: 'admin',
  scope: 'admin',
  subject: 'deployment',
  params: z.object({ id: pathId }),
  status: 200,
  response: z.object({ revoked: z.boolean().meta({ description: 'False if it was already revoked.' }) }).meta({ id: 'TokenRevocation' }),
  errors: [],
  store: { GetItem: ['tokenList'], UpdateItem: ['tokenList'], DeleteItem: ['token'] },
  examples: { response: { revoked: true } },
});

export const getCurrentToken = endpoint({
  name: 'getCurrentToken',
  method: 'GET',
  path: '/v1/tokens/current',
  tag: 'Admin tokens',
  summary: 'Describe the token of this request',
  description: 'Shows the scopes and limits of the admin token that the request carries. Every admin token may call it.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'caller',
  status: 200,
  response: z
    .object({
      actor: z.string().meta({ description: "`deployment`, or the token's id, as in the audit log." }),
      name: fields.name,
      scopes: fields.scopes,
      product_id: fields.product_id,
    })
    .meta({ id: 'CurrentToken' }),
  errors: [],
  store: {},
  examples: {
    response: { actor: String(tokenExample.id), name: tokenExample.name, scopes: tokenExample.scopes, product_id: tokenExample.product_id },
  },
});
