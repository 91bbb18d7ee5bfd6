import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import { ACCOUNT, PARTITION } from './aws';
import type { Service } from './aws-calls';
import { roleStatements, type Statement } from './iam';
import { credentialsOf, type Endpoints } from './lambda';
import type { Template } from './template';

/**
 * IAM, enforced: functions reach the local services only through doors that know whose credentials a call
 * carries, and refuse (AccessDenied) what the function's role in the template doesn't allow.
 */

export interface GuardData {
  readonly services: Readonly<Partial<Record<Service, string>>>;
  /** By access key id. */
  readonly callers: Readonly<Record<string, { readonly name: string; readonly statements: readonly Statement[] }>>;
}

/** Doors to the services. */
export interface Guard {
  /** Where functions find the services. */
  readonly endpoints: Endpoints;
  stop(): Promise<void>;
}

const roleOf = z.object({ Role: z.string() });

/** The statements of each function's role, by the function's access key id. */
function callersOf(template: Template): GuardData['callers'] {
  for (const { id } of template.resources('AWS::IAM::Role')) {
    template.define(id, { Ref: id, Arn: `arn:${PARTITION}:iam::${ACCOUNT}:role/${id}` });
  }
  const statements = roleStatements(template);
  const byArn = new Map([...statements].map(([id, list]) => [String(template.resolve({ 'Fn::GetAtt': [id, 'Arn'] }, id)), list]));
  return Object.fromEntries(
    template.resources('AWS::Lambda::Function').map((resource) => {
      const { Role } = template.read(resource, roleOf);
      return [credentialsOf(resource.id).AWS_ACCESS_KEY_ID, { name: resource.id, statements: byArn.get(Role) ?? [] }];
    }),
  );
}

/**
 * Opens the doors.
 *
 * @param options.onDenied told of every refusal
 */
export async function start(
  template: Template,
  endpoints: Endpoints,
  { onDenied }: { onDenied: (message: string) => void },
): Promise<Guard> {
  const { outputFiles } = buildSync({
    entryPoints: [join(__dirname, 'guard-worker.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
  const data: GuardData = { services: { ...endpoints }, callers: callersOf(template) };
  const worker = new Worker(outputFiles[0]?.text ?? '', { eval: true, workerData: data, env: {} });
  const doors = await new Promise<Endpoints>((resolve, reject) => {
    worker.once('error', reject);
    worker.on('message', (message: { doors?: Endpoints; denied?: string }) => {
      if (message.doors) resolve(message.doors);
      if (message.denied !== undefined) onDenied(message.denied);
    });
  });
  return { endpoints: doors, stop: async () => void (await worker.terminate()) };
}
