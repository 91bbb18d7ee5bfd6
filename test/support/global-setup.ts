import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as dynoxide from '../../infra/local/dynoxide';
import { MEMORY, start } from '../../infra/local/stack';
import { browserPath } from './browser';
import { openDatabase } from './open-database';
import { ownTable } from './own-table';
import { startOfRun } from './start';
import { synthesize } from './synth';

/** Starts one local stack for the whole test run: the synthesized template, in memory, with mail. Each test creates its own products. */
export default async function globalSetup(): Promise<void> {
  const clocks = process.env['LKS_START'] ?? startOfRun(Date.now());
  if (clocks !== undefined) process.env['LKS_START'] = clocks;
  process.stderr.write(
    clocks === undefined ? 'The clocks of tests start at the real time\n' : `The clocks of tests start at LKS_START=${clocks}\n`,
  );
  // Unpacks the browser before the workers start. Otherwise all workers would unpack it at the same time.
  await browserPath();
  const assembly = synthesize({ stage: 'local', mailTransport: 'ses', mailFrom: 'licenses@example.com', mailsPerSecond: '50' });
  const given = process.env['DYNAMODB_ENDPOINT'];
  const database = given === undefined && dynoxide.findBinary() !== undefined ? await openDatabase(dynoxide.program(undefined)) : undefined;
  // Tests send more requests per second than one operator, so the limits are off here. Other tests check the limits.
  const stack = await start({
    assembly,
    dataDir: MEMORY,
    mailbox: true,
    dynamodbEndpoint: database?.endpoint ?? given,
    throttle: false,
  });
  // The SDK warns once per test file that it will stop supporting Node 20. The warnings would hide important output.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  process.env['LKS_BASE_URL'] = stack.baseUrl;
  process.env['LKS_ASSEMBLY'] = assembly;
  const stages = mkdtempSync(join(tmpdir(), 'lks-stages-'));
  process.env['LKS_STAGES'] = stages;
  process.env['LKS_ADMIN_TOKEN'] = stack.adminToken;
  process.env['LKS_DYNAMODB'] = stack.endpoints.dynamodb;
  process.env['LKS_SESSION_TOKEN'] = stack.sessionToken;
  process.env['LKS_MAILBOX_URL'] = stack.mailboxUrl;
  process.env['LKS_ENDPOINTS'] = JSON.stringify(stack.endpoints);
  process.env['LKS_STACK_PID'] = String(process.pid);
  process.env['LKS_STACK_TABLE'] = Object.values(stack.tableNames)[0];
  process.env['LKS_TABLE'] = await ownTable();
  (globalThis as { stopStack?: () => Promise<void> }).stopStack = async () => {
    await stack.stop();
    await database?.stop();
    for (const folder of [assembly, stages]) rmSync(folder, { recursive: true, force: true });
  };
}
