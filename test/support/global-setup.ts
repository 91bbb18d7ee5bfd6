import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MEMORY } from '../../infra/local/data-dir';
import { ownTable } from './own-table';
import { startStackChild, useStack } from './stack-child';

/** Starts one local run for all tests, in memory, with mail. Each test creates its own products. */
export default async function globalSetup(): Promise<void> {
  // If several groups run, jest calls the setup of each, in any order.
  if (process.env['LKS_BASE_URL'] !== undefined) return;
  const stack = await startStackChild(MEMORY);
  // The SDK warns once per test file that it will stop supporting Node 20. The warnings would hide important output.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  const stages = mkdtempSync(join(tmpdir(), 'lks-stages-'));
  process.env['LKS_STAGES'] = stages;
  useStack(stack);
  process.env['LKS_TABLE'] = await ownTable();
  (globalThis as { stopStack?: () => Promise<void> }).stopStack = async () => {
    await stack.stop();
    rmSync(stages, { recursive: true, force: true });
  };
}
