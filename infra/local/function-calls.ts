import { ClientRequest } from 'node:http';
import { TOKEN_HEADER } from './aws';
import { permissionsOf, underBothReadings, type Service } from '../../test/support/permissions';
import { isAllowed, type Statement } from '../../test/support/policy';

/** The function whose AWS requests are checked. */
export interface Caller {
  /** The function's logical id. */
  readonly name: string;
  /** The policy statements of the function's role. */
  readonly statements: readonly Statement[];
  /** The base URLs of the local AWS services, by the names of the services. */
  readonly services: Readonly<Partial<Record<Service, string>>>;
  /**
   * The credential that the local services require. It is added after signing, so that the function never sees it and no presigned URL
   * contains it.
   */
  readonly token: string;
}

/** Returns an error message that names the first missing permission, as AWS does; undefined if the caller has all permissions. */
function denial({ name, statements }: Caller, service: Service, target: string, body: string): string | undefined {
  const lacking = underBothReadings(permissionsOf(service, { target, body })).find((permission) => !isAllowed(statements, permission));
  return (
    lacking &&
    `User: ${name} is not authorized to perform: ${lacking.action} on resource: ${lacking.resource} (${JSON.stringify(lacking.context)}) because no identity-based policy allows it`
  );
}

/**
 * Enforces IAM for the function in this thread. If the function's role does not allow a request to a local service, the request fails with
 * AccessDeniedException and is not sent. The check runs in the function's thread, because a proxy would add a connection to every request.
 *
 * @param onDenied called with the reason of each refusal
 */
export function holdToRole(caller: Caller, onDenied: (reason: string) => void): void {
  const services = new Map(Object.entries(caller.services).map(([service, endpoint]) => [new URL(endpoint).host, service as Service]));
  const send = Reflect.get(ClientRequest.prototype, 'end') as (...parts: readonly unknown[]) => ClientRequest;
  Object.defineProperty(ClientRequest.prototype, 'end', {
    configurable: true,
    writable: true,
    value(this: ClientRequest, ...parts: readonly unknown[]) {
      const service = services.get(String(this.getHeader('host')));
      if (service !== undefined) {
        const [body] = parts;
        const reason = denial(caller, service, String(this.getHeader('x-amz-target') ?? ''), textOf(body));
        if (reason !== undefined) {
          onDenied(reason);
          return this.destroy(
            Object.assign(new Error(reason), {
              name: 'AccessDeniedException',
              $fault: 'client',
              $metadata: { httpStatusCode: 400, attempts: 1 },
            }),
          );
        }
        this.setHeader(TOKEN_HEADER, caller.token);
      }
      return Reflect.apply(send, this, parts);
    },
  });
}

/** The text of a request body. The AWS clients pass each body as a whole. A streamed body can't be checked, so it counts as empty. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return '{}';
}
