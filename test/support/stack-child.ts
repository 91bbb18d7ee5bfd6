import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { StackAddresses } from './stack-addresses';

export interface StackChild extends StackAddresses {
  readonly child: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a local run in a process of its own. The process is the leader of a process group, and ends together with this process. */
export async function startStackChild(dataDir: string): Promise<StackChild> {
  const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'test/support/stack-process.ts', dataDir], {
    cwd: resolve(__dirname, '../..'),
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
  });
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('The local run did not start'))),
  ])) as [string];
  return {
    ...(JSON.parse(line) as StackAddresses),
    child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** Tells the helpers in this process, and in processes that it starts, to use a local run. They find it in environment variables. */
export function useStack({ baseUrl, adminToken, mailboxUrl, dynamodb, table, pid }: StackAddresses): void {
  Object.assign(process.env, {
    LKS_BASE_URL: baseUrl,
    LKS_ADMIN_TOKEN: adminToken,
    LKS_MAILBOX_URL: mailboxUrl,
    LKS_DYNAMODB: dynamodb,
    LKS_STACK_TABLE: table,
    LKS_STACK_PID: String(pid),
  });
}
