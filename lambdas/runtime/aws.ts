import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Config } from './config';
import type { FetchSecret } from './secrets';

/**
 * The client of AWS Secrets Manager, which all functions need in addition to the client of the table. The clients of the event queue and of
 * the release files are in `sqs.ts` and `files.ts`. Region, credentials and endpoints come from the environment of the Lambda runtime. The
 * SDK is imported statically. With a dynamic import, esbuild would wrap all code that the SDK shares with the rest of the bundle, and
 * loading the bundle would take longer.
 */

/**
 * Maximum time to connect, and maximum time to receive a response, in ms. If a call takes longer, the client repeats the call within the
 * same request.
 */
export const timeouts = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };

/** Reads secrets. */
export const secretsManager = (config: Config): FetchSecret => {
  return async (name) => {
    const client = new SecretsManagerClient({ requestHandler: timeouts, maxAttempts: 3 });
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: config.secretArns[name] }));
    client.destroy();
    if (!SecretString) throw new Error(`The secret ${name} is empty`);
    return SecretString;
  };
};
