/**
 * Starts a local run in a separate process: `stack-process.ts <data folder>`. Tests send more requests per second than one operator, so the
 * request limits are off. Other tests check them.
 */
import type { SecretName } from '../../lambdas/contract/access';
import { TABLE } from '../../infra/local/database';
import { start } from '../../infra/local/stack';
import type { StackAddresses } from './stack-addresses';

const names: readonly SecretName[] = ['adminToken', 'originSecret', 'signingKey', 'encryptionKey', 'portalKey'];

async function main(dataDir = ''): Promise<void> {
  process.env['UV_THREADPOOL_SIZE'] = '64';
  const {
    baseUrl,
    adminToken,
    mailboxUrl = '',
    database,
    fetchSecret,
    stop,
  } = await start({
    dataDir,
    dynamodbEndpoint: process.env['DYNAMODB_ENDPOINT'],
    // Tests send many reminders.
    config: { mail: { transport: 'ses', from: 'licenses@example.com' }, mailsPerSecond: 50 },
    longestPeriod: 5000,
    throttle: false,
  });
  const values = await Promise.all(names.map(async (name) => [name, await fetchSecret(name)] as const));
  const secrets = Object.fromEntries(values);
  const addresses = { baseUrl, adminToken, mailboxUrl, dynamodb: database.endpoint, table: TABLE, secrets, pid: process.pid };
  console.log(JSON.stringify(addresses satisfies StackAddresses));
  // The pipe closes when the process that started this one ends.
  process.stdin.resume().once('end', () => void stop().then(() => process.exit()));
}

void main(process.argv[2]);
