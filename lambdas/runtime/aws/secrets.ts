import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Config } from '../config';
import type { FetchSecret } from '../secrets';
import { timeouts } from './timeouts';

/** Reads secrets from AWS Secrets Manager. */
export const secretsManager = (config: Config): FetchSecret => {
  return async (name) => {
    const client = new SecretsManagerClient({ requestHandler: timeouts, maxAttempts: 3 });
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: config.secretArns[name] }));
    client.destroy();
    if (!SecretString) throw new Error(`The secret ${name} is empty`);
    return SecretString;
  };
};
