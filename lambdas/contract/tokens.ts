import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { tokenExample } from './examples';
import { pageById } from './paging';
import { name, pathId } from './resources';
import { limitsRenewals, scopes as scopeNames } from './scopes';
import { secret } from './secret';
import { timestamp, timestampInput } from './text';

/**
 * The endpoints for admin tokens that operators create. The deployment's own admin token cannot be managed with these endpoints
 * (docs/spec/operator.md, Admin tokens).
 */

const scope = documented(z.enum(scopeNames), {
  id: 'Scope',
  description:
    '`read` permits every GET request, except those for the list of tokens and the audit log. `support` permits everything that `read` permits, and to free seats, mail keys, write notes, reissue keys and renew licenses up to the `renewal_days` of the token. `licenses` permits everything that `support` permits without this limit, and every write to licenses and license types. `releases` permits all requests about releases and their files, except the request that sets who may download them. `releases` also permits reading products. `manage` permits everything except managing tokens and reading the audit log. `admin` permits everything. Responses contain secrets, such as API keys, only for tokens with `manage` or `admin`.',
});

const renewalDays = checked(z.int(), z.minimum(1), z.maximum(3650));
/** The limit of renewals if the request that creates a token with the scope `support` names none. */
export const DEFAULT_RENEWAL_DAYS = 30;

const fields = {
  id: checked(z.int(), z.minimum(1)),
  name: z.string(),
  scopes: z.array(scope),
  product_id: documented(z.nullable(checked(z.int(), z.minimum(1))), {
    description: 'The id of the only product that the token can see and change; null: all products.',
  }),
  renewal_days: documented(z.nullable(renewalDays), {
    description:
      'A renewal with this token may set an expiry of at most this number of days from now. Null if the scopes of the token permit no renewal, or every renewal.',
  }),
  expires_at: documented(z.nullable(timestamp), {
    description: 'The time from which the token is refused; null: the token never expires.',
  }),
  created_at: timestamp,
  last_used_on: documented(z.nullable(z.iso.date()), {
    description: 'The last day (UTC) on which the token was used; null if it was never used.',
  }),
};

const listedToken = documented(z.object(fields), { id: 'AdminToken' });
export type AdminTokenView = z.infer<typeof listedToken>;

const { token: tokenText, ...listedExample } = tokenExample;

export const createToken = /* @__PURE__ */ endpoint(() => ({
  name: 'createToken',
  method: 'POST',
  path: '/v1/tokens',
  tag: 'Admin tokens',
  summary: 'Create an admin token',
  description:
    'Creates an admin token. Only this response contains the token itself. A token with a `product_id` can see and change only that product. Requests about resources of other products are refused with 404, and requests about the whole deployment with 403.',
  credential: 'admin',
  scope: 'admin',
  subject: 'deployment',
  body: checked(
    z.object({
      name: documented(name, { description: 'The name of the person or program that uses the token. The audit log shows this name.' }),
      scopes: documented(
        checked(
          z.array(scope),
          z.minLength(1, { error: 'must name at least one scope' }),
          z.maxLength(scopeNames.length, { error: 'must be distinct' }),
          z.refine((names) => new Set(names).size === names.length, { error: 'must be distinct' }),
        ),
        { uniqueItems: true },
      ),
      product_id: documented(z.nullish(checked(z.int(), z.minimum(1))), {
        description: 'The id of the only product that the token can see and change; the default is all products.',
      }),
      renewal_days: documented(z.nullish(renewalDays), {
        description: `Only with the scope \`support\`, and without a scope that permits every renewal: a renewal with the token may set an expiry of at most this number of days from now. The default is ${DEFAULT_RENEWAL_DAYS}.`,
      }),
      expires_at: documented(z.nullish(timestampInput), {
        description: 'The time from which the token is refused, which must be in the future; the default is never.',
      }),
    }),
    z.refine(({ scopes, renewal_days }) => renewal_days == null || limitsRenewals(scopes), {
      path: ['renewal_days'],
      error: 'needs the scope support, without a scope that permits every renewal',
    }),
  ),
  // Only the hash of a token is stored, so the service could not return the token again.
  idempotent: false,
  status: 201,
  response: documented(
    z.object({
      ...fields,
      token: secret(
        documented(z.string(), {
          description:
            'The token, for the header `X-Svc-Admin-Token`. It is shown only once, because the service stores only a hash of the token.',
        }),
      ),
    }),
    { id: 'NewAdminToken' },
  ),
  errors: ['not_found'],
  store: { GetItem: ['product'], UpdateItem: ['counter'], PutItem: ['token', 'tokenList'] },
  examples: {
    request: { name: tokenExample.name, scopes: tokenExample.scopes, renewal_days: tokenExample.renewal_days },
    response: { ...listedExample, last_used_on: null, token: tokenText },
  },
}));

export const listTokens = /* @__PURE__ */ endpoint(() => ({
  name: 'listTokens',
  method: 'GET',
  path: '/v1/tokens',
  tag: 'Admin tokens',
  summary: 'List admin tokens',
  description: 'Returns the tokens that were not revoked, including expired tokens, in ascending id order and in pages.',
  credential: 'admin',
  scope: 'admin',
  subject: 'deployment',
  query: z.object(pageById),
  response: z.array(listedToken),
  store: { Query: ['tokenList'] },
  size: 'standard',
  examples: { response: [listedExample] },
}));

export const revokeToken = /* @__PURE__ */ endpoint(() => ({
  name: 'revokeToken',
  method: 'DELETE',
  path: '/v1/tokens/{id}',
  tag: 'Admin tokens',
  summary: 'Revoke an admin token',
  description: 'Revokes the token. Within 60 s, every function of the service refuses the token.',
  credential: 'admin',
  scope: 'admin',
  subject: 'deployment',
  params: z.object({ id: pathId }),
  response: documented(z.object({ revoked: documented(z.boolean(), { description: 'False if the token was already revoked.' }) }), {
    id: 'TokenRevocation',
  }),
  store: { GetItem: ['tokenList'], UpdateItem: ['tokenList'], DeleteItem: ['token'] },
  examples: { response: { revoked: true } },
}));

export const getCurrentToken = /* @__PURE__ */ endpoint(() => ({
  name: 'getCurrentToken',
  method: 'GET',
  path: '/v1/tokens/current',
  tag: 'Admin tokens',
  summary: 'Describe the token of this request',
  description:
    'Returns the scopes and the product of the admin token that the request was sent with. Every admin token may call this endpoint.',
  credential: 'admin',
  scope: ['read', 'releases'],
  subject: 'caller',
  response: documented(
    z.object({
      actor: documented(z.string(), {
        description:
          "`deployment` for the deployment's own token, otherwise the id of the token. Entries of the audit log have the same value.",
      }),
      name: fields.name,
      scopes: fields.scopes,
      product_id: fields.product_id,
      renewal_days: fields.renewal_days,
    }),
    { id: 'CurrentToken' },
  ),
  store: {},
  examples: {
    response: {
      actor: String(tokenExample.id),
      name: tokenExample.name,
      scopes: tokenExample.scopes,
      product_id: tokenExample.product_id,
      renewal_days: tokenExample.renewal_days,
    },
  },
}));
