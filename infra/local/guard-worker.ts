import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { accessDenied, permissionsOf, underBothReadings, type AwsCall, type Service } from './aws-calls';
import type { GuardData } from './guard';
import { isAllowed, type PermissionRequest } from './iam';

/** Runs on a thread of its own: passes calls on to the services, and refuses what the caller's role doesn't allow. */

const { services, callers } = workerData as GuardData;
const agent = new Agent({ keepAlive: true });

const callerOf = ({ headers }: IncomingMessage): string => /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

/** The first permission that the call needs and its caller lacks. */
function missing(service: Service, caller: string, call: AwsCall): PermissionRequest | undefined {
  const statements = callers[caller]?.statements;
  // Whoever is no function of the template is the one who runs it.
  if (!statements) return undefined;
  return underBothReadings(permissionsOf(service, call)).find((permission) => !isAllowed(statements, permission));
}

async function serve(service: Service, target: URL, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);

  const caller = callerOf(incoming);
  const lacking = missing(service, caller, { target: String(incoming.headers['x-amz-target'] ?? ''), body: body.toString() });
  if (lacking) {
    const message = `User: ${callers[caller]?.name} is not authorized to perform: ${lacking.action} on resource: ${lacking.resource} (${JSON.stringify(lacking.context)}) because no identity-based policy allows it`;
    const denied = accessDenied(service, message);
    parentPort?.postMessage({ denied: message });
    outgoing.writeHead(denied.status, { 'content-type': denied.type, 'content-length': Buffer.byteLength(denied.body) }).end(denied.body);
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const { method, url, headers } = incoming;
    request({ agent, host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing).once('finish', resolve).once('error', reject);
      answer.once('error', reject);
    })
      .once('error', reject)
      .end(body);
  });
}

/** Opens the guarded door to one service; gives its address. */
async function open(service: Service, endpoint: string): Promise<{ address: string; server: Server }> {
  const target = new URL(endpoint);
  const server = createServer((incoming, outgoing) => {
    // A service that can't be reached looks to the caller as it would without us: the connection breaks.
    serve(service, target, incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function main(): Promise<void> {
  const doors = await Promise.all(
    Object.entries(services).map(async ([service, endpoint]) => [service, (await open(service as Service, endpoint)).address] as const),
  );
  parentPort?.postMessage({ doors: Object.fromEntries(doors) });
}

void main();
