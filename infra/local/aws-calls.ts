import * as z from 'zod';
import { arn } from './aws';
import type { PermissionRequest } from './iam';

/** What a call to an AWS service asks to do, read off the request as the service itself reads it. */

export type Service = 'dynamodb' | 'sqs' | 'secretsManager' | 'ses';

/** An HTTP call to a service. */
export interface AwsCall {
  /** The `x-amz-target` header, where the protocol has one. */
  readonly target: string;
  readonly body: string;
}

const attribute = z.record(z.string(), z.union([z.string(), z.unknown()]));
const item = z.record(z.string(), attribute);
const named = z.object({ TableName: z.string(), Key: item.optional(), Item: item.optional() });

const dynamodbBody = z.object({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  Key: item.optional(),
  Item: item.optional(),
  KeyConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  ExpressionAttributeValues: item.optional(),
  RequestItems: z.record(z.string(), z.union([z.array(z.record(z.string(), named.partial())), z.object({ Keys: z.array(item) })])).optional(),
  TransactItems: z.array(z.record(z.string(), named)).optional(),
});

/** Every table of this service has a partition key of this name; the first part of an item's key. */
const PARTITION_KEY = 'pk';

const textOf = (value: Record<string, unknown> | undefined): string[] => {
  const text = value?.['S'] ?? value?.['N'];
  return typeof text === 'string' ? [text] : [];
};
const leadingKey = (key: Record<string, Record<string, unknown>> | undefined): string[] => textOf(key?.[PARTITION_KEY]);

const onTable = (action: string, table: string, keys: readonly string[], index?: string): PermissionRequest => ({
  action: `dynamodb:${action}`,
  resource: arn('dynamodb', `table/${table}${index === undefined ? '' : `/index/${index}`}`),
  context: { 'dynamodb:LeadingKeys': keys },
});

/** The partition that a query's condition names: the first equality in it. */
function queriedKey({ KeyConditionExpression = '', ExpressionAttributeValues = {} }: z.infer<typeof dynamodbBody>): string[] {
  const value = /=\s*(:\w+)/.exec(KeyConditionExpression)?.[1];
  return textOf(value === undefined ? undefined : ExpressionAttributeValues[value]);
}

/** A transaction needs the permission of each of its items' actions. */
const transactionActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

function dynamodb({ target, body }: AwsCall): PermissionRequest[] {
  const action = target.split('.').at(-1) ?? '';
  const input = dynamodbBody.parse(JSON.parse(body));
  if (input.TransactItems) {
    return input.TransactItems.flatMap((entry) =>
      Object.entries(entry).map(([kind, { TableName, Key, Item }]) =>
        onTable(transactionActions[kind] ?? kind, TableName, leadingKey(Key ?? Item)),
      ),
    );
  }
  if (input.RequestItems) {
    return Object.entries(input.RequestItems).map(([table, requested]) => {
      const keys = Array.isArray(requested)
        ? requested.flatMap((write) => Object.values(write).flatMap(({ Key, Item }) => leadingKey(Key ?? Item)))
        : requested.Keys.flatMap(leadingKey);
      return onTable(action, table, keys);
    });
  }
  const keys = input.KeyConditionExpression === undefined ? leadingKey(input.Key ?? input.Item) : queriedKey(input);
  return [onTable(action, input.TableName ?? '*', keys, input.IndexName)];
}

function sqs({ target, body }: AwsCall): PermissionRequest[] {
  const action = (target.split('.').at(-1) ?? '').replace(/Batch$/, '');
  const { QueueUrl } = z.object({ QueueUrl: z.string().optional() }).parse(JSON.parse(body));
  return [{ action: `sqs:${action}`, resource: arn('sqs', QueueUrl?.split('/').at(-1) ?? '*'), context: {} }];
}

function secretsManager({ target, body }: AwsCall): PermissionRequest[] {
  const { SecretId = '*' } = z.object({ SecretId: z.string().optional() }).parse(JSON.parse(body));
  return [{ action: `secretsmanager:${target.split('.').at(-1)}`, resource: SecretId, context: {} }];
}

function ses({ body }: AwsCall): PermissionRequest[] {
  const form = new URLSearchParams(body);
  const from = form.get('Source') ?? '';
  return [{ action: `ses:${form.get('Action')}`, resource: arn('ses', `identity/${from}`), context: { 'ses:FromAddress': [from] } }];
}

const readers: Readonly<Record<Service, (call: AwsCall) => PermissionRequest[]>> = { dynamodb, sqs, secretsManager, ses };

/**
 * The permissions of a call under both readings of AWS's documentation, which doesn't say whether an action of a
 * transaction is judged with the leading keys of its own items or with those of the whole transaction. What is
 * allowed here is allowed on AWS either way.
 */
export function underBothReadings(permissions: readonly PermissionRequest[]): PermissionRequest[] {
  if (permissions.length < 2) return [...permissions];
  const keys = [...new Set(permissions.flatMap(({ context }) => context['dynamodb:LeadingKeys'] ?? []))];
  return [...permissions, ...permissions.map((permission) => ({ ...permission, context: { ...permission.context, 'dynamodb:LeadingKeys': keys } }))];
}

/** The permissions that a call needs, all of them. */
export const permissionsOf = (service: Service, call: AwsCall): PermissionRequest[] => readers[service](call);

/** A service's refusal in its own protocol. */
export function accessDenied(service: Service, message: string): { status: number; type: string; body: string } {
  if (service === 'ses') {
    const text = message.replace(/[<>&]/g, ' ');
    return {
      status: 403,
      type: 'text/xml',
      body: `<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${text}</Message></Error></ErrorResponse>`,
    };
  }
  const code = service === 'sqs' ? 'com.amazonaws.sqs#AccessDenied' : 'com.amazon.coral.service#AccessDeniedException';
  return { status: 400, type: 'application/x-amz-json-1.0', body: JSON.stringify({ __type: code, message, Message: message }) };
}
