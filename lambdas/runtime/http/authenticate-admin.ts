import type { APIGatewayProxyEvent } from 'aws-lambda';
import { credentialHeaders } from '../../contract/endpoint';
import { fail, type Failure } from '../../contract/errors';
import { deployment, type Actor } from '../../domain/actor';
import type { App } from '../app';
import { count } from '../observability/metrics';
import { header } from './request';

/** Whose admin token a request carries; or the refusal (401), which is counted when a token was presented. (service.md, Authentication) */
export async function authenticateAdmin(app: App, event: APIGatewayProxyEvent): Promise<Failure | Actor> {
  const token = header(event, credentialHeaders.admin);
  if (token === undefined) return fail('unauthorized');
  if (await app.secrets.isAdminToken(token)) return deployment;
  count('refused.admin_token');
  return fail('unauthorized');
}
