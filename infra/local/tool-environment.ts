import { devNull } from 'node:os';
import { adminRoute } from './admin-route';
import { REGION, RUN_TOKEN } from './aws';
import type { LocalRoute } from './gateway';
import type { Endpoints } from './lambda';
import type { Template } from './template';

/**
 * Serves environment variables for an operator's tool, such as `npm run reseal`. With these variables, the tool works on the data of a
 * local run. The variables contain the addresses and credentials of the local AWS services, and the names of resources. Only callers on
 * this computer get the variables, because the local services listen only on this computer.
 */

export const ENVIRONMENT_PATH = '/_local/environment';

/** The stack outputs that `npm run reseal` needs, by the name of the environment variable that contains the output's value. */
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
    // With the following settings, the SDK does not read the user's AWS configuration.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    ...Object.fromEntries(Object.entries(outputs).flatMap(([name, output]) => [[name, template.output(output)]])),
  };
  return adminRoute(adminToken, ({ method, socket }) => (method === 'GET' && isLoopback(socket.remoteAddress) ? environment : undefined));
}
