import { credentialHeaders, isAudited } from '../../contract/endpoint';
import { fail, isFailure, type Failure } from '../../contract/errors';
import { seesSecrets } from '../../contract/secret';
import { deployment, type Actor } from '../../domain/actor';
import { actorOf } from '../../domain/admin-token';
import { isAdminToken } from '../../domain/credentials';
import type { App } from '../app';
import { auditTrailOf } from './audit-trail';
import { refuseOtherProduct, refuseScope } from './authorize';
import { idempotency } from './idempotency';
import { refuseCredential } from './refuse-credential';
import { header, type ApiRequest } from './request';
import { originOf } from './request-origin';
import type { Access } from './serve';

/**
 * The access to the endpoints for operators. A request needs an admin token (401) with the permission for the endpoint (403). A token that
 * is bound to a product gets 404 for the resources of other products. The first transaction of a write also writes the request's entry in
 * the audit log.
 */
export const operator: Access<'admin', { readonly actor: Actor; readonly seesSecrets: boolean }, { readonly app: App }> = {
  authenticate: async (request) => {
    const actor = await authenticate(request);
    if (isFailure(actor)) return actor;
    return refuseScope(request.row, actor) ?? { actor, seesSecrets: seesSecrets(actor.scopes) };
  },
  load: async (request) => {
    const { app, row, params, actor } = request;
    const hidden = await refuseOtherProduct(app, row, params, actor);
    return hidden ?? { app: isAudited(row) ? app.recording(await auditTrailOf(request)) : app };
  },
  idempotency,
};

/**
 * Returns the actor whose admin token a request contains, or a refusal (401). A refusal is counted if the request contained a token. A text
 * that does not have the format of admin tokens can only be the deployment's own token, and is checked without reading the table.
 * (docs/spec/service.md, Authentication)
 */
async function authenticate({ app, event }: ApiRequest): Promise<Failure | Actor> {
  const presented = header(event, credentialHeaders.admin);
  if (presented === undefined) return fail('unauthorized');
  const token = isAdminToken(presented) ? await app.tokens.find(app.table, presented) : undefined;
  if (token) return actorOf(token);
  if (await app.secrets.isAdminToken(presented)) return deployment;
  return refuseCredential('refused.admin_token', event.resource, await originOf(app, event));
}
