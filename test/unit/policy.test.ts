import { permissionsOf, underBothReadings } from '../support/permissions';
import { isAllowed, type PermissionRequest, type Statement } from '../support/policy';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/T';
const dynamodb = (action: string, body: object) =>
  permissionsOf('dynamodb', { target: `DynamoDB_20120810.${action}`, body: JSON.stringify(body) });
const request = (action: string, resource: string, context: PermissionRequest['context'] = {}): PermissionRequest => ({
  action,
  resource,
  context,
});
const allow = (statement: Partial<Statement>): Statement => ({
  Effect: 'Allow',
  Action: ['*'],
  Resource: ['*'],
  Condition: {},
  ...statement,
});

describe('the permissions that a call needs', () => {
  test("a transaction needs the permission of each of its items, with the item's own key", () => {
    const key = { pk: { S: 'LICENSE#1#k' }, sk: { S: 'LICENSE' } };
    expect(
      dynamodb('TransactWriteItems', {
        TransactItems: [
          { Update: { TableName: 'T', Key: key } },
          { Put: { TableName: 'T', Item: { pk: { S: 'EVENT#1' }, sk: { S: 'e' } } } },
          { Delete: { TableName: 'T', Key: key } },
          { ConditionCheck: { TableName: 'T', Key: key } },
        ],
      }).map(({ action, context }) => [action, context['dynamodb:LeadingKeys']]),
    ).toEqual([
      ['dynamodb:UpdateItem', ['LICENSE#1#k']],
      ['dynamodb:PutItem', ['EVENT#1']],
      ['dynamodb:DeleteItem', ['LICENSE#1#k']],
      ['dynamodb:ConditionCheckItem', ['LICENSE#1#k']],
    ]);
  });

  test('a transaction is also checked with the keys of all its items, as AWS may do, so a policy that allows only each single item refuses it', () => {
    const write = (Update: string, Put: string) => ({
      TransactItems: [{ Update: { TableName: 'T', Key: { pk: { S: Update } } } }, { Put: { TableName: 'T', Item: { pk: { S: Put } } } }],
    });
    const asked = underBothReadings(dynamodb('TransactWriteItems', write('LICENSE#1', 'EVENT#1')));
    const allowed = (...statements: Statement[]) => asked.every((permission) => isAllowed(statements, permission));
    const grant = (Action: string, keys: string[], among = keys) =>
      allow({
        Action: [Action],
        Condition: {
          'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': keys },
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': among },
        },
      });
    expect(allowed(grant('dynamodb:UpdateItem', ['LICENSE#*']), grant('dynamodb:PutItem', ['EVENT#*']))).toBe(false);
    const both = ['LICENSE#*', 'EVENT#*'];
    expect(allowed(grant('dynamodb:UpdateItem', ['LICENSE#*'], both), grant('dynamodb:PutItem', ['EVENT#*'], both))).toBe(true);
    // Here the keys are swapped: `UpdateItem` is allowed for events, and `PutItem` for licenses.
    expect(allowed(grant('dynamodb:UpdateItem', ['EVENT#*'], both), grant('dynamodb:PutItem', ['LICENSE#*'], both))).toBe(false);
    expect(underBothReadings(dynamodb('PutItem', { TableName: 'T', Item: { pk: { S: 'a' } } }))).toHaveLength(1);
  });

  test('a query needs permission for its partition, and for the index if it names one', () => {
    const values = { ':list': { S: 'LICENSES#1' }, ':after': { S: '0' } };
    const query = {
      TableName: 'T',
      IndexName: 'list',
      KeyConditionExpression: 'list_pk = :list AND list_sk > :after',
      ExpressionAttributeValues: values,
    };
    expect(dynamodb('Query', query)).toEqual([
      request('dynamodb:Query', `${table}/index/list`, { 'dynamodb:LeadingKeys': ['LICENSES#1'] }),
    ]);
  });

  test('reads and writes of single items and of batches are checked with all their keys', () => {
    expect(dynamodb('GetItem', { TableName: 'T', Key: { pk: { S: 'a' }, sk: { S: 'b' } } })).toEqual([
      request('dynamodb:GetItem', table, { 'dynamodb:LeadingKeys': ['a'] }),
    ]);
    expect(dynamodb('PutItem', { TableName: 'T', Item: { pk: { S: 'a' }, list: { L: [] } } })).toEqual([
      request('dynamodb:PutItem', table, { 'dynamodb:LeadingKeys': ['a'] }),
    ]);
    const Keys = [{ pk: { S: 'a' } }, { pk: { S: 'b' } }];
    expect(dynamodb('BatchGetItem', { RequestItems: { T: { Keys } } })).toEqual([
      request('dynamodb:BatchGetItem', table, { 'dynamodb:LeadingKeys': ['a', 'b'] }),
    ]);
  });

  test('requests to buckets and objects have the names that policies use', () => {
    const s3 = (method: string, path: string, body = '') => permissionsOf('s3', { target: '', body, method, path });
    expect(s3('GET', '/b?list-type=2')).toEqual([request('s3:ListBucket', 'arn:aws:s3:::b')]);
    expect(s3('PUT', '/b/docs/a%20b.html?x-id=PutObject')).toEqual([request('s3:PutObject', 'arn:aws:s3:::b/docs/a b.html')]);
    expect(s3('POST', '/b?delete', '<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>')).toEqual([
      request('s3:DeleteObject', 'arn:aws:s3:::b/a'),
      request('s3:DeleteObject', 'arn:aws:s3:::b/b'),
    ]);
    // A request that the rules do not know needs a permission that no policy contains.
    expect(s3('PUT', '/b')[0]?.action).toBe('s3:PUT bucket');
  });

  test('queues, secrets and mail identities have the names that policies use', () => {
    const send = { target: 'AmazonSQS.SendMessage', body: JSON.stringify({ QueueUrl: 'http://127.0.0.1:1/000000000000/Q' }) };
    expect(permissionsOf('sqs', send)).toEqual([request('sqs:SendMessage', 'arn:aws:sqs:us-east-1:000000000000:Q')]);
    const remove = { target: 'AmazonSQS.DeleteMessageBatch', body: send.body };
    expect(permissionsOf('sqs', remove)[0]?.action).toBe('sqs:DeleteMessage');
    const secret = { target: 'secretsmanager.GetSecretValue', body: JSON.stringify({ SecretId: 'arn:s' }) };
    expect(permissionsOf('secretsManager', secret)).toEqual([request('secretsmanager:GetSecretValue', 'arn:s')]);
    const mail = { target: '', body: new URLSearchParams({ Action: 'SendEmail', Source: 'a@b.co' }).toString() };
    expect(permissionsOf('ses', mail)).toEqual([
      request('ses:SendEmail', 'arn:aws:ses:us-east-1:000000000000:identity/a@b.co', { 'ses:FromAddress': ['a@b.co'] }),
    ]);
  });
});

describe('the evaluation of a policy', () => {
  test.each<[string, Statement[], PermissionRequest, boolean]>([
    ['no statement at all', [], request('a:B', 'r'), false],
    ['an allowed action on its resource', [allow({ Action: ['a:B'], Resource: ['r'] })], request('a:B', 'r'), true],
    ['an allowed action on another resource', [allow({ Action: ['a:B'], Resource: ['r'] })], request('a:B', 'r/index/i'), false],
    ['another action than the allowed one', [allow({ Action: ['a:B'] })], request('a:C', 'r'), false],
    ['an action in other letter case', [allow({ Action: ['A:b'] })], request('a:B', 'r'), true],
    [
      'an action and a resource that match wildcards',
      [allow({ Action: ['a:Get*'], Resource: ['arn:*:x?'] })],
      request('a:GetIt', 'arn:1:2:xy'),
      true,
    ],
    ['a dot that is not a wildcard', [allow({ Resource: ['a.b'] })], request('a:B', 'axb'), false],
    [
      'a denied action that another statement allows',
      [allow({}), { ...allow({ Action: ['a:B'] }), Effect: 'Deny' }],
      request('a:B', 'r'),
      false,
    ],
    [
      'leading keys that all match',
      [allow({ Condition: { 'ForAllValues:StringLike': { k: ['P#*'] } } })],
      request('a:B', 'r', { k: ['P#1', 'P#2'] }),
      true,
    ],
    [
      'several leading keys that must all match, one of which does not',
      [allow({ Condition: { 'ForAllValues:StringLike': { k: ['P#*'] } } })],
      request('a:B', 'r', { k: ['P#1', 'Q#2'] }),
      false,
    ],
    [
      'several leading keys of which one must match, and one does',
      [allow({ Condition: { 'ForAnyValue:StringLike': { k: ['P#*'] } } })],
      request('a:B', 'r', { k: ['P#1', 'Q#2'] }),
      true,
    ],
    ['a missing leading key', [allow({ Condition: { 'ForAnyValue:StringLike': { k: ['P#*'] } } })], request('a:B', 'r'), false],
    ['a value that must be equal, and is', [allow({ Condition: { StringEquals: { k: ['v'] } } })], request('a:B', 'r', { k: ['v'] }), true],
    ['a value that must be equal, and is missing', [allow({ Condition: { StringEquals: { k: ['v'] } } })], request('a:B', 'r'), false],
    ['a condition key that must exist, and is missing', [allow({ Condition: { Null: { k: ['false'] } } })], request('a:B', 'r'), false],
  ])('the policy gives the right result: %s', (_, statements, asked, expected) => {
    expect(isAllowed(statements, asked)).toBe(expected);
  });

  test('an unknown condition operator throws an error and never allows a request', () => {
    expect(() => isAllowed([allow({ Condition: { DateLessThan: { k: ['1'] } } })], request('a:B', 'r', { k: ['0'] }))).toThrow(
      'DateLessThan',
    );
  });
});
