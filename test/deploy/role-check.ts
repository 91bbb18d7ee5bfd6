import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod/mini';
import { permissionsOf, underBothReadings, type Service } from '../support/permissions';
import { isAllowed, type Statement } from '../support/policy';

const list = z.pipe(
  z.union([z.string(), z.array(z.string())]),
  z.transform((value) => (typeof value === 'string' ? [value] : value)),
);
// A strict schema refuses NotAction, NotResource and similar elements, because ignoring them would allow or deny the wrong requests.
const documents = z.array(
  z.object({
    Statement: z.array(
      z.strictObject({
        Sid: z.optional(z.string()),
        Effect: z.enum(['Allow', 'Deny']),
        Action: list,
        Resource: list,
        Condition: z._default(z.record(z.string(), z.record(z.string(), list)), {}),
      }),
    ),
  }),
);

/** Reads the statements of a role's policy documents. */
export const statementsOf = (policies: unknown): readonly Statement[] => documents.parse(policies).flatMap(({ Statement }) => Statement);

/** The services that functions call, by the names in the signatures of requests. */
const services: Readonly<Record<string, Service>> = {
  dynamodb: 'dynamodb',
  sqs: 'sqs',
  secretsmanager: 'secretsManager',
  ses: 'ses',
  s3: 's3',
};

export interface RoleCheck {
  /** The URL to which the functions send their requests to AWS. */
  readonly endpoint: string;
  /** A sentence for each request that the role of its function does not allow. */
  readonly refusals: string[];
  /** The functions that made at least one request which their role allows. */
  readonly callers: ReadonlySet<string>;
  /** Sets the emulator that gets the requests which are allowed. */
  forwardTo(endpoint: string): void;
  stop(): void;
}

/**
 * Starts a proxy between the functions and the emulator of AWS. It evaluates the policies of the function's role for each request. The name
 * of the function is its access key, and the session token contains the policies (moto_server.py). A request that is not allowed fails.
 */
export async function startRoleCheck(): Promise<RoleCheck> {
  const refusals: string[] = [];
  const callers = new Set<string>();
  let target = '';

  /** Returns the reason why a request is not allowed; undefined if it is allowed. */
  const refusal = ({ headers, method = '', url: path = '' }: IncomingMessage, body: string): string | undefined => {
    const [, name = '', service = ''] = /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '') ?? [];
    const called = services[service];
    if (called === undefined) return `${name || 'A function'} called ${service || 'AWS without a signature'}`;
    const statements = statementsOf(JSON.parse(Buffer.from(String(headers['x-amz-security-token']), 'base64').toString()));
    const needed = underBothReadings(permissionsOf(called, { target: String(headers['x-amz-target'] ?? ''), body, method, path }));
    const lacking = needed.find((permission) => !isAllowed(statements, permission));
    if (lacking) return `The role of ${name} does not allow ${lacking.action} on ${lacking.resource} (${JSON.stringify(lacking.context)})`;
    callers.add(name);
    return undefined;
  };

  const respond = (received: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const message = refusal(received, body.toString());
    if (message !== undefined) {
      refusals.push(message);
      console.log(`      ${message}`);
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ __type: 'AccessDeniedException', message }));
      return;
    }
    const { method, headers, url = '' } = received;
    const forwarded = request(new URL(url, target), { method, headers: { ...headers, 'x-amz-security-token': 'token' } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', (error) => response.destroy(error));
    forwarded.end(body);
  };

  // The session token may be as long as the policies of a role, 10 KB, in base64.
  const server = createServer({ maxHeaderSize: 65_536 }, (received, response) => {
    const chunks: Buffer[] = [];
    received.on('data', (chunk: Buffer) => chunks.push(chunk));
    received.on('end', () => respond(received, Buffer.concat(chunks), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusals,
    callers,
    forwardTo: (endpoint) => {
      target = endpoint;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
