import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyPage, send, type Answer } from './http';
import type { StackAddresses } from './stack-addresses';
import { startStackChild, type StackChild } from './stack-child';

/** A local stack with its own data folder, in a process that a test kills and starts again. */
export class MortalService {
  private readonly folder = mkdtempSync(join(tmpdir(), 'license-key-service-mortal-'));
  private running: StackChild | undefined;

  /** Starts the stack, and returns the URLs of its services. */
  async start(): Promise<StackAddresses> {
    return (this.running = await startStackChild(this.folder));
  }

  /** Kills the process and all its children with kill -9. */
  async kill(): Promise<void> {
    const child = this.running?.child;
    this.running = undefined;
    if (child?.pid === undefined) return;
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  }

  async destroy(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get<Body>(path: string): Promise<Answer<Body>> {
    return this.send('GET', path);
  }

  /** All rows of a list, from all its pages. */
  async list<Row>(path: string): Promise<Row[]> {
    return (await everyPage<Row>(path, (page) => this.get<Row[]>(page))).flat();
  }

  post<Body>(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.send('POST', path, body, headers);
  }

  private send<Body>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    // A request that the end of the process interrupts gets the same error as a request that starts afterwards.
    if (!this.running) return Promise.reject(Object.assign(new Error('The service is dead'), { code: 'ECONNREFUSED' }));
    const { baseUrl, adminToken } = this.running;
    return send<Body>(path, { method, body, baseUrl, headers: { 'X-Svc-Admin-Token': adminToken, ...headers } });
  }
}
