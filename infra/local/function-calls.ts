import { ClientRequest } from 'node:http';
import { TOKEN_HEADER } from './aws';
import { permissionsOf, underBothReadings, type Service } from './aws-calls';
import { isAllowed, type Statement } from './iam';

/** The function whose calls are checked. */
export interface Caller {
  /** The function's logical id. */
  readonly name: string;
  /** The policies of its role. */
  readonly statements: readonly Statement[];
  /** The local services by name. */
  readonly services: Readonly<Partial<Record<Service, string>>>;
  /** What these services ask for. The function itself never sees it, so that nothing that it signs contains it. */
  readonly token: string;
}

/** A message like AWS's about the first permission that the caller lacks; undefined if it lacks none. */
function denial({ name, statements }: Caller, service: Service, target: string, body: string): string | undefined {
  const lacking = underBothReadings(permissionsOf(service, { target, body })).find((permission) => !isAllowed(statements, permission));
  return (
    lacking &&
    `User: ${name} is not authorized to perform: ${lacking.action} on resource: ${lacking.resource} (${JSON.stringify(lacking.context)}) because no identity-based policy allows it`
  );
}

/**
 * IAM for the function in this thread: a call to a local service that its role does not allow fails with AccessDeniedException instead of
 * being sent. The check runs in the function's thread, because a proxy between the function and the service would add a connection to every
 * call.
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

/** A body that is passed as a whole, as the AWS clients do. A streamed body can't be checked and so is not allowed. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
  return '{}';
}
