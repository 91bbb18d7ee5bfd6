import { freePort, loopbackAddress } from '../../infra/local/door';
import type { Program } from '../../infra/local/emulator';
import { start, type WatchedProcess } from '../../infra/local/watched-process';

/**
 * Starts an emulator without the proxy that checks the local run's callers (infra/local/emulator-door.ts). The proxy would take a twentieth
 * of the processor time of each call. The tests of the local run and the stacks that tests start as processes use the proxy.
 */
export async function openDatabase({ args, ...program }: Program): Promise<WatchedProcess & { readonly endpoint: string }> {
  const host = loopbackAddress();
  const port = await freePort(host);
  const endpoint = `http://${host}:${port}`;
  const database = await start({ ...program, args: args(host, port), endpoint, onFailure: (error) => console.error(error.message) });
  return { ...database, endpoint };
}
