import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { StackAddresses } from './stack-addresses';

/** Runs bundled functions outside of Lambda: with the table of a local run, its secrets, and emulators of SQS and S3. */

export interface FunctionPeers {
  /** The variables that a deployment sets, and the addresses of the emulators. */
  readonly env: Readonly<Record<string, string>>;
  readonly queueUrl: string;
  stop(): Promise<void>;
}

const SECRETS = {
  adminToken: 'ADMIN_TOKEN_SECRET_ARN',
  originSecret: 'ORIGIN_SECRET_ARN',
  signingKey: 'SIGNING_KEY_SECRET_ARN',
  encryptionKey: 'ENCRYPTION_KEY_SECRET_ARN',
  portalKey: 'PORTAL_KEY_SECRET_ARN',
  smtpUrl: 'SMTP_URL_SECRET_ARN',
} as const;

/** The program of a separate process, because fauxqs is an ES module, which the loaders of jest and tsx can't load. */
const FAUXQS = `
import { startFauxqs } from 'fauxqs';
const server = await startFauxqs({ port: 0, logger: false });
server.createBucket('releases');
console.log(JSON.stringify({ address: server.address, queueUrl: server.createQueue('events').queueUrl }));
process.stdin.resume().once('end', () => process.exit());`;

/** Starts an emulator of SQS and S3 with a queue and a bucket. */
export async function startFauxqs(): Promise<{ readonly address: string; readonly queueUrl: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', FAUXQS], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    ...(JSON.parse(line) as { address: string; queueUrl: string }),
    stop: async () => {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

export async function startFunctionPeers({
  dynamodb,
  table,
  secrets,
}: Pick<StackAddresses, 'dynamodb' | 'table' | 'secrets'>): Promise<FunctionPeers> {
  const { address, queueUrl, stop } = await startFauxqs();
  // The only action of Secrets Manager that functions use. The name of a secret is its ARN.
  const manager = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { SecretId } = JSON.parse(Buffer.concat(chunks).toString()) as { SecretId: keyof typeof SECRETS };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ ARN: SecretId, SecretString: secrets[SecretId] ?? `test-${SecretId}` }));
    })();
  });
  manager.listen(0, '127.0.0.1');
  await once(manager, 'listening');
  return {
    queueUrl,
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
      AWS_ENDPOINT_URL_SQS: address,
      AWS_ENDPOINT_URL_S3: address,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: `http://127.0.0.1:${(manager.address() as AddressInfo).port}`,
      TABLE_NAME: table,
      EVENT_QUEUE_URL: queueUrl,
      FILE_BUCKET: 'releases',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...Object.fromEntries(Object.entries(SECRETS).map(([name, variable]) => [variable, name])),
    },
    stop: async () => {
      const closed = once(manager, 'close');
      manager.close();
      manager.closeAllConnections();
      await Promise.all([closed, stop()]);
    },
  };
}
