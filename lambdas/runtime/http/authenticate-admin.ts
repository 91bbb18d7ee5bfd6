import type { APIGatewayProxyEvent } from 'aws-lambda';
import { credentialHeaders } from '../../contract/endpoint';
import { fail, type Failure } from '../../contract/errors';
import { deployment, type Actor } from '../../domain/actor';
import { actorOf } from '../../domain/admin-token';
import { isAdminToken } from '../../domain/credentials';
import type { App } from '../app';
import { refuseCredential } from './refuse-credential';
import { originOf } from './request-origin';
import { header } from './request';

/**
 * Returns the actor whose admin token a request contains, or a refusal (401). A refusal is counted if the request contained a token. A text
 * that does not have the format of admin tokens can only be the deployment's own token, and is checked without reading the table.
 * (docs/spec/service.md, Authentication)
 */
export async function authenticateAdmin(app: App, event: APIGatewayProxyEvent): Promise<Failure | Actor> {
  const presented = header(event, credentialHeaders.admin);
  if (presented === undefined) return fail('unauthorized');
  const token = isAdminToken(presented) ? await app.tokens.find(app.table, presented) : undefined;
  if (token) return actorOf(token);
  if (await app.secrets.isAdminToken(presented)) return deployment;
  return refuseCredential('refused.admin_token', event.resource, await originOf(app, event));
}
