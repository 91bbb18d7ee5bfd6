import assert from 'node:assert/strict';
import { endpoints } from '../../lambdas/contract';
import { indexes } from '../../lambdas/contract/access';
import { credentialHeaders, type Endpoint } from '../../lambdas/contract/endpoint';
import { workers } from '../../lambdas/contract/workers';
import { indexProblems, type IndexDescription } from '../support/index-changes';
import { isAllowed } from '../support/policy';
import { only, type Template } from '../support/template';
import type { Deployed } from './deployed';
import { functionName, invoke } from './gateway';
import { statementsOf } from './role-check';

/** Checks of a deployed stack. What should exist is derived from the contract and the template. */

const roleName = (arn = ''): string => arn.split('/').at(-1) ?? '';

/** The only element of a list. */
function one<Item>(items: readonly Item[], what: string): Item {
  assert.equal(items.length, 1, `Expected one ${what}, found ${items.length}`);
  return items[0]!;
}

/** Whether a role allows an action on a resource. */
const allows = ({ roles }: Deployed, role: string | undefined, action: string, resource: string): boolean =>
  isAllowed(statementsOf(roles[roleName(role)] ?? []), { action, resource, context: {} });

/** The stack has created exactly the resources of the template. */
export function checkResources({ resources, template }: Deployed): void {
  const wanted = Object.entries(template.Resources).map(([id, { Type }]) => [id, Type]);
  assert.deepEqual(
    Object.entries(resources)
      .map(([id, [type]]) => [id, type])
      .sort(),
    wanted.sort(),
  );
}

/** The table has its key and its indexes. */
export function checkTable({ tables, template }: Deployed): void {
  const { KeySchema, GlobalSecondaryIndexes: deployed } = one(tables, 'table');
  const { Properties } = only(template, 'AWS::DynamoDB::Table')[1];
  assert.deepEqual(KeySchema, Properties['KeySchema']);
  const found = deployed.map(({ IndexName, KeySchema, Projection }) => ({ IndexName, KeySchema, Projection }));
  assert.deepEqual(found, Properties['GlobalSecondaryIndexes']);
  const keys = Object.entries(indexes).map(([name, { partitionKey, sortKey }]) => [name, partitionKey, sortKey]);
  assert.deepEqual(
    found.map(({ IndexName, KeySchema }) => [
      IndexName,
      ...(KeySchema as { AttributeName: string }[]).map(({ AttributeName }) => AttributeName),
    ]),
    keys,
  );
}

/** The API has exactly the contract's routes, and API Gateway may invoke the function of each route. */
export function checkRoutes(deployed: Deployed): void {
  const routes = deployed.methods.filter(({ route }) => !route.startsWith('OPTIONS '));
  assert.deepEqual(routes.map(({ route }) => route).sort(), endpoints.map(({ method, path }) => `${method} ${path}`).sort());
  for (const { route, uri, credentials } of routes) {
    const [arn = ''] = /arn:aws:lambda:[^/]+/.exec(uri) ?? [];
    assert.ok(
      deployed.functions.some(({ FunctionName }) => FunctionName === functionName(arn)),
      `${route} names no function: ${uri}`,
    );
    assert.ok(allows(deployed, credentials, 'lambda:InvokeFunction', arn), `${route}: ${credentials} may not invoke ${arn}`);
  }
}

/** The schedules start their workers, and the event queue starts its worker. */
export function checkWorkers(deployed: Deployed): void {
  for (const { name, description, trigger, timeoutSeconds } of workers) {
    // The stage sends no mail, so it has no worker for bounces.
    if (trigger === 'bounces') continue;
    const { FunctionName, Role } = one(
      deployed.functions.filter(({ Description }) => Description === description),
      `function ${name}`,
    );
    if (trigger === 'queue') {
      const mapping = one(deployed.mappings, 'event source mapping');
      assert.deepEqual([functionName(mapping.FunctionArn), mapping.State], [FunctionName, 'Enabled']);
      const queue = one(
        Object.values(deployed.queues).filter(({ QueueArn }) => QueueArn === mapping.EventSourceArn),
        'queue of the mapping',
      );
      const { deadLetterTargetArn } = JSON.parse(queue['RedrivePolicy'] ?? '{}') as { deadLetterTargetArn?: string };
      assert.ok(
        Object.values(deployed.queues).some(({ QueueArn }) => QueueArn === deadLetterTargetArn && QueueArn !== mapping.EventSourceArn),
      );
      // AWS requires that no message becomes visible again while the function still handles it.
      assert.ok(Number(queue['VisibilityTimeout']) >= timeoutSeconds);
      for (const action of ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'])
        assert.ok(allows(deployed, Role, action, mapping.EventSourceArn), `${name} may not ${action}`);
    } else {
      const rule = one(
        deployed.rules.filter(({ Description }) => Description === description),
        `schedule of ${name}`,
      );
      const { everyMinutes } = trigger;
      assert.deepEqual([rule.ScheduleExpression, rule.State], [`rate(${everyMinutes} minute${everyMinutes === 1 ? '' : 's'})`, 'ENABLED']);
      const { Arn, Policy } = one(rule.Targets, `target of ${name}`);
      assert.equal(functionName(Arn), FunctionName);
      // The policy of the function lets this schedule invoke it.
      assert.ok(JSON.stringify(Policy).includes(rule.Arn), `${name} refuses its schedule: ${JSON.stringify(Policy)}`);
    }
  }
}

/** The custom resource has put the pages into their bucket. */
export function checkPages({ pages }: Deployed): void {
  for (const page of ['admin/index.html', 'docs/index.html', 'portal/index.html']) assert.ok(page in pages, `${page} is missing`);
}

/** An id that no resource has, in the format of the contract's path parameters. */
const UNKNOWN_ID = '999999';

/**
 * Every function loads with its deployed code and environment, and handles an event. A function of a route gets a request without a
 * credential, which it must refuse, and a request of an operator for resources that do not exist. A worker gets the event of its trigger.
 */
export async function checkFunctions(deployed: Deployed, emulator: string, baseUrl: string, adminToken: string): Promise<void> {
  const statusOf = async ({ method, path }: Endpoint, headers: Record<string, string>): Promise<[status: number, body: string]> => {
    const url = `${baseUrl}${path.replace(/\{\w+\}/g, UNKNOWN_ID)}`;
    const response = await fetch(url, { method, headers, redirect: 'manual', ...(method !== 'GET' && { body: '{}' }) });
    return [response.status, await response.text()];
  };
  const failures: string[] = [];
  for (const row of endpoints) {
    const [refused] = await statusOf(row, {});
    const [status, body] = await statusOf(row, { [credentialHeaders.admin]: adminToken });
    // The public routes of the portal first look for the product in the path.
    if ((row.credential === 'admin' || row.credential === 'product') && refused !== 401)
      failures.push(`${row.name} responds with ${refused} to a request without a credential`);
    if (refused >= 500 || status >= 500) failures.push(`${row.name} responds with ${refused} and ${status} ${body}`);
  }
  for (const { name, description, trigger } of workers) {
    if (trigger === 'bounces') continue;
    const { FunctionName } = one(
      deployed.functions.filter(({ Description }) => Description === description),
      `function ${name}`,
    );
    await invoke(emulator, FunctionName, trigger === 'queue' ? { Records: [] } : {}).catch((error: unknown) =>
      failures.push(String(error)),
    );
  }
  assert.deepEqual(failures, []);
}

/**
 * The update has kept the resources that must survive it, and CloudFormation could make it: one update changes at most one index, and
 * creates new resources before it deletes old ones, so a new resource cannot take the name of an old one.
 */
export function checkUpdate(before: Deployed, after: Deployed): void {
  for (const [id, { Type, DeletionPolicy }] of Object.entries(before.template.Resources)) {
    // The policy of a template with parameters is a condition.
    if (!/Retain/.test(JSON.stringify(DeletionPolicy ?? ''))) continue;
    assert.equal(after.resources[id]?.[1], before.resources[id]?.[1], `The update replaces or removes the ${Type} ${id}`);
  }
  const owners = new Map(Object.entries(before.resources).map(([id, [type, name]]) => [`${type} ${name}`, id]));
  for (const [id, [type, name]] of Object.entries(after.resources)) {
    const owner = owners.get(`${type} ${name}`) ?? id;
    assert.equal(id, owner, `${id} would be created with the name ${name} while ${owner} still has this name`);
  }
  assert.deepEqual(indexProblems(indexesOf(before.template), indexesOf(after.template)), []);
}

const indexesOf = (template: Template): readonly IndexDescription[] =>
  only(template, 'AWS::DynamoDB::Table')[1].Properties['GlobalSecondaryIndexes'] as readonly IndexDescription[];
