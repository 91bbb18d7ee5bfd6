import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REGION } from '../support/permissions';
import type { IndexDescription } from '../support/index-changes';
import type { Template } from '../support/template';
import type { Emulator } from './emulator';

/** What a stack has created, as the services of AWS describe it (deployed.py). */
export interface Deployed {
  /** The type and the physical id of each resource, by logical id. */
  readonly resources: Readonly<Record<string, readonly [type: string, physicalId: string]>>;
  readonly outputs: Readonly<Record<string, string>>;
  /** The template that CloudFormation has got. */
  readonly template: Template;
  readonly functions: ReadonlyArray<{
    readonly FunctionName: string;
    readonly Description: string;
    readonly Role: string;
    readonly Environment?: { readonly Variables: Readonly<Record<string, string>> };
  }>;
  /** The policy documents of each role, by name. */
  readonly roles: Readonly<Record<string, readonly unknown[]>>;
  readonly tables: ReadonlyArray<{
    readonly KeySchema: unknown;
    readonly GlobalSecondaryIndexes: readonly IndexDescription[];
  }>;
  /** The methods of the API with their integrations. */
  readonly methods: ReadonlyArray<{ readonly route: string; readonly type: string; readonly uri: string; readonly credentials?: string }>;
  readonly rules: ReadonlyArray<{
    readonly Description: string;
    readonly Arn: string;
    readonly ScheduleExpression: string;
    readonly State: string;
    readonly Targets: ReadonlyArray<{ readonly Arn: string; readonly Policy: { readonly Statement: readonly object[] } }>;
  }>;
  readonly mappings: ReadonlyArray<{ readonly EventSourceArn: string; readonly FunctionArn: string; readonly State: string }>;
  /** The attributes of each queue, by URL. */
  readonly queues: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The bucket of each object, by key. */
  readonly pages: Readonly<Record<string, string>>;
}

/** Reads what a stack has created. */
export async function readDeployed({ python, endpoint }: Emulator, stack: string): Promise<Deployed> {
  const { stdout } = await promisify(execFile)(python, [join(__dirname, 'deployed.py'), endpoint, REGION, stack], { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as Deployed;
}
