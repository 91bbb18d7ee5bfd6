import { dataOf } from '@license-key-service/admin';
import { readAdminToken } from './admin-token';
import { readServiceTarget, type ServiceValues } from './command-line';
import { sentenceOf, ServiceError } from './service';

/**
 * Access to a service beyond its API, for `reseal` and `keys`: to the table and the secrets of a deployment, with the AWS credentials of the
 * user, or to a local run.
 */

const NAMES = ['TABLE_NAME', 'ENCRYPTION_KEY_SECRET_ARN', 'SIGNING_KEY_SECRET_ARN'] as const;
const OUTPUTS = 'the outputs TableName, EncryptionKeySecret, SigningKeySecret of its stack';

/** The end of the help of a command that needs this access. */
export const accessHelp = (does: string): string => `
Without the following variables, the command ${does} the local run at --base-url.
Of a deployment, set ${NAMES.join(', ')}
to ${OUTPUTS}; the command uses your AWS credentials.`;

/**
 * Runs the work for a deployment, or lets a local run do it.
 *
 * @param path the path of the local run
 * @throws ServiceError with a sentence if the work fails
 */
export async function withAccess<Result extends object>(
  values: ServiceValues,
  inDeployment: (rings: readonly [encryption: string, signing: string]) => Promise<Result>,
  path: string,
  body: object,
): Promise<Result> {
  try {
    return await (NAMES.some((name) => process.env[name]) ? inDeployment(ringsOfDeployment()) : askLocalRun<Result>(values, path, body));
  } catch (error) {
    const { message, cause } = error instanceof Error ? error : new Error(String(error));
    throw new ServiceError(cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message);
  }
}

/** The ids of the secrets with the key rings. */
function ringsOfDeployment(): [string, string] {
  const missing = NAMES.filter((name) => !process.env[name]);
  if (missing.length > 0) throw new Error(`Also set ${missing.join(', ')}. The values of ${NAMES.join(', ')} are ${OUTPUTS}.`);
  return [String(process.env['ENCRYPTION_KEY_SECRET_ARN']), String(process.env['SIGNING_KEY_SECRET_ARN'])];
}

async function askLocalRun<Result extends object>(values: ServiceValues, path: string, body: object): Promise<Result> {
  if (readAdminToken(values, process.env) === undefined)
    throw new Error(`Set ${NAMES.join(', ')} for a deployment, or SVC_ADMIN_TOKEN for the local run.`);
  const { baseUrl, adminToken } = readServiceTarget(values);
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { 'X-Svc-Admin-Token': adminToken, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status === 404) throw new ServiceError(`${baseUrl} is not a local run of this version.`);
    const result = (await response.json()) as Result;
    dataOf({ data: result, error: result, response });
    return result;
  } catch (error) {
    const sentence = sentenceOf(error, baseUrl);
    throw sentence === undefined ? error : new ServiceError(sentence);
  }
}
