import type { PermissionRequest } from './policy';

/** Determines which permissions an AWS request needs. The rules are the same as on AWS. */

/** The account and region in which the emulators of AWS services run. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';

const arn = (service: string, resource: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

export type Service = 'dynamodb' | 'sqs' | 'secretsManager' | 'ses' | 's3';

/** An HTTP request to an AWS service. */
export interface AwsCall {
  /** The `x-amz-target` header, if the protocol has one. */
  readonly target: string;
  readonly body: string;
  /** The method and the path with the query. Only the actions of S3 depend on them. */
  readonly method?: string;
  readonly path?: string;
}

/*
 * The code below reads every AWS request of a Lambda function before the request is sent. It parses bodies by hand, because checking a
 * complete schema would take longer than the request itself.
 */
type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The name of the partition key in the service's table. */
const PARTITION_KEY = 'pk';

/** Returns a list with the value of a DynamoDB attribute, or an empty list if the value is neither a string nor a number. */
function keyText(attribute: unknown): string[] {
  const { S, N } = fieldsOf(attribute);
  const text = textOf(S ?? N);
  return text === undefined ? [] : [text];
}
/** Returns a list with the partition key of an operation, which is in the operation's `Key` or `Item`. */
const leadingKey = ({ Key, Item }: Fields): string[] => keyText(fieldsOf(Key ?? Item)[PARTITION_KEY]);

const onTable = (action: string, table: string, keys: readonly string[], index?: string): PermissionRequest => ({
  action: `dynamodb:${action}`,
  resource: arn('dynamodb', `table/${table}${index === undefined ? '' : `/index/${index}`}`),
  context: { 'dynamodb:LeadingKeys': keys },
});

/** Returns a list with the partition key of a query: the value of the first equality in the key condition. */
function queriedKey({ KeyConditionExpression, ExpressionAttributeValues }: Fields): string[] {
  const value = /=\s*(:\w+)/.exec(textOf(KeyConditionExpression) ?? '')?.[1];
  return keyText(value === undefined ? undefined : fieldsOf(ExpressionAttributeValues)[value]);
}

/** The permission that each kind of operation in a transaction needs. */
const transactionActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** Returns the permissions that a DynamoDB request with the input `value` needs. */
export function tablePermissions(action: string, value: unknown): PermissionRequest[] {
  const input = fieldsOf(value);
  if (input['TransactItems'] !== undefined) {
    return listOf(input['TransactItems']).flatMap((entry) =>
      Object.entries(fieldsOf(entry)).map(([kind, value]) => {
        const item = fieldsOf(value);
        return onTable(transactionActions[kind] ?? kind, textOf(item['TableName']) ?? '*', leadingKey(item));
      }),
    );
  }
  if (input['RequestItems'] !== undefined) {
    return Object.entries(fieldsOf(input['RequestItems'])).map(([table, requested]) => {
      const keys = Array.isArray(requested)
        ? requested.flatMap((write) => Object.values(fieldsOf(write)).flatMap((entry) => leadingKey(fieldsOf(entry))))
        : listOf(fieldsOf(requested)['Keys']).flatMap((Key) => leadingKey({ Key }));
      return onTable(action, table, keys);
    });
  }
  const keys = input['KeyConditionExpression'] === undefined ? leadingKey(input) : queriedKey(input);
  return [onTable(action, textOf(input['TableName']) ?? '*', keys, textOf(input['IndexName']))];
}

const dynamodb = ({ target, body }: AwsCall): PermissionRequest[] => tablePermissions(target.split('.').at(-1) ?? '', JSON.parse(body));

function sqs({ target, body }: AwsCall): PermissionRequest[] {
  const action = (target.split('.').at(-1) ?? '').replace(/Batch$/, '');
  const queueUrl = textOf(fieldsOf(JSON.parse(body))['QueueUrl']);
  return [{ action: `sqs:${action}`, resource: arn('sqs', queueUrl?.split('/').at(-1) ?? '*'), context: {} }];
}

function secretsManager({ target, body }: AwsCall): PermissionRequest[] {
  const id = textOf(fieldsOf(JSON.parse(body))['SecretId']) ?? '*';
  return [{ action: `secretsmanager:${target.split('.').at(-1)}`, resource: id, context: {} }];
}

function ses({ body }: AwsCall): PermissionRequest[] {
  const form = new URLSearchParams(body);
  const from = form.get('Source') ?? '';
  return [{ action: `ses:${form.get('Action')}`, resource: arn('ses', `identity/${from}`), context: { 'ses:FromAddress': [from] } }];
}

/** The permission for each request to a bucket or an object, by its method and the subresource in its query. */
const s3Actions: ReadonlyMap<string, string> = new Map([
  ['GET bucket', 's3:ListBucket'],
  ['GET bucket versions', 's3:ListBucketVersions'],
  ['GET bucket tagging', 's3:GetBucketTagging'],
  ['POST bucket delete', 's3:DeleteObject'],
  ['GET object', 's3:GetObject'],
  ['HEAD object', 's3:GetObject'],
  ['PUT object', 's3:PutObject'],
  ['DELETE object', 's3:DeleteObject'],
]);

function s3({ method = '', path = '', body }: AwsCall): PermissionRequest[] {
  const { pathname, searchParams } = new URL(path, 'http://s3');
  const [bucket = '', ...key] = decodeURIComponent(pathname).slice(1).split('/');
  const isObject = key.join('') !== '';
  const subresource = ['versions', 'tagging', 'delete'].find((name) => searchParams.has(name));
  const request = [method, isObject ? 'object' : 'bucket', subresource].filter(Boolean).join(' ');
  const keys = subresource === 'delete' ? [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map((found) => found[1]) : [key.join('/')];
  return keys.map((name) => ({
    action: s3Actions.get(request) ?? `s3:${request}`,
    resource: `arn:aws:s3:::${bucket}${name === '' ? '' : `/${name}`}`,
    context: {},
  }));
}

const readers: Readonly<Record<Service, (call: AwsCall) => PermissionRequest[]>> = { dynamodb, sqs, secretsManager, ses, s3 };

/**
 * Adds further permissions to those that the operations of a transaction need. A policy can have conditions on partition keys. AWS's
 * documentation doesn't say which keys AWS compares with these conditions: the key of the operation's own item, or the keys of all items of
 * the transaction. The result contains the permissions for both cases. If a function has all of them, AWS permits its request.
 */
export function underBothReadings(permissions: readonly PermissionRequest[]): PermissionRequest[] {
  if (permissions.length < 2) return [...permissions];
  const keys = [...new Set(permissions.flatMap(({ context }) => context['dynamodb:LeadingKeys'] ?? []))];
  return [
    ...permissions,
    ...permissions.map((permission) => ({ ...permission, context: { ...permission.context, 'dynamodb:LeadingKeys': keys } })),
  ];
}

/** Returns all permissions that a request needs. */
export const permissionsOf = (service: Service, call: AwsCall): PermissionRequest[] => readers[service](call);
