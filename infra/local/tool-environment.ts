import { devNull } from 'node:os';
import { adminRoute } from './admin-route';
import { REGION, RUN_TOKEN } from './aws';
import type { LocalRoute } from './gateway';
import type { Endpoints } from './lambda';
import type { Template } from './template';

/**
 * What an operator's tool needs to work on the data of a local run, as it works on those of a deployment with AWS
 * credentials: the environment variables that lead its AWS clients to the stand-ins, and what it is to work on. The
 * stand-ins listen on this machine alone, so this is served to nobody else.
 */

export const ENVIRONMENT_PATH = '/_local/environment';

/** By the variables' names, the stack outputs that tools work on (`npm run reseal`). */
const outputs = { TABLE_NAME: 'TableName', ENCRYPTION_KEY_SECRET_ARN: 'EncryptionKeySecret', SIGNING_KEY_SECRET_ARN: 'SigningKeySecret' };

const isLoopback = (address = ''): boolean => /^(::1|(::ffff:)?127\.[\d.]+)$/.test(address);

export function route(template: Template, endpoints: Endpoints, adminToken: string): LocalRoute {
  const environment = {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: RUN_TOKEN,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    // Keeps the SDK from reading the AWS configuration of the user who runs the tool.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...Object.fromEntries(Object.entries(outputs).flatMap(([name, output]) => [[name, template.output(output)]])),
  };
  return adminRoute(adminToken, ({ method, socket }) => (method === 'GET' && isLoopback(socket.remoteAddress) ? environment : undefined));
}
