import { permissionsOf, underBothReadings } from '../../../infra/local/aws-calls';
import { isAllowed, type PermissionRequest, type Statement } from '../../../infra/local/iam';
import { roleStatements } from '../../../infra/local/roles';
import { templateOf } from './support';

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

describe('what a call asks for', () => {
  test('a transaction needs the permission of every one of its items, with each item’s own key', () => {
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

  test('a transaction is also judged with the keys of all its items, as AWS may do: a grant that fits each item alone is refused', () => {
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
    // The pairs the other way round: updates of events, puts of licenses.
    expect(allowed(grant('dynamodb:UpdateItem', ['EVENT#*'], both), grant('dynamodb:PutItem', ['LICENSE#*'], both))).toBe(false);
    expect(underBothReadings(dynamodb('PutItem', { TableName: 'T', Item: { pk: { S: 'a' } } }))).toHaveLength(1);
  });

  test('a query names the partition it reads, and the index it reads it in', () => {
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

  test('reads and writes of single items and of batches name all their keys', () => {
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

  test('queues, secrets and mail are named as their policies name them', () => {
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

describe('what a policy answers', () => {
  test.each<[string, Statement[], PermissionRequest, boolean]>([
    ['nothing is allowed by default', [], request('a:B', 'r'), false],
    ['an action and its resource', [allow({ Action: ['a:B'], Resource: ['r'] })], request('a:B', 'r'), true],
    ['another resource', [allow({ Action: ['a:B'], Resource: ['r'] })], request('a:B', 'r/index/i'), false],
    ['another action', [allow({ Action: ['a:B'] })], request('a:C', 'r'), false],
    ['actions in any case', [allow({ Action: ['A:b'] })], request('a:B', 'r'), true],
    ['wildcards', [allow({ Action: ['a:Get*'], Resource: ['arn:*:x?'] })], request('a:GetIt', 'arn:1:2:xy'), true],
    ['a dot is no wildcard', [allow({ Resource: ['a.b'] })], request('a:B', 'axb'), false],
    ['a denial outweighs', [allow({}), { ...allow({ Action: ['a:B'] }), Effect: 'Deny' }], request('a:B', 'r'), false],
    [
      'a leading key that fits',
      [allow({ Condition: { 'ForAllValues:StringLike': { k: ['P#*'] } } })],
      request('a:B', 'r', { k: ['P#1', 'P#2'] }),
      true,
    ],
    [
      'one of several that does not',
      [allow({ Condition: { 'ForAllValues:StringLike': { k: ['P#*'] } } })],
      request('a:B', 'r', { k: ['P#1', 'Q#2'] }),
      false,
    ],
    [
      'one of several that fits',
      [allow({ Condition: { 'ForAnyValue:StringLike': { k: ['P#*'] } } })],
      request('a:B', 'r', { k: ['P#1', 'Q#2'] }),
      true,
    ],
    ['a leading key that is missing', [allow({ Condition: { 'ForAnyValue:StringLike': { k: ['P#*'] } } })], request('a:B', 'r'), false],
    ['a value that equals', [allow({ Condition: { StringEquals: { k: ['v'] } } })], request('a:B', 'r', { k: ['v'] }), true],
    ['a value that is missing', [allow({ Condition: { StringEquals: { k: ['v'] } } })], request('a:B', 'r'), false],
    ['a key that must be there', [allow({ Condition: { Null: { k: ['false'] } } })], request('a:B', 'r'), false],
  ])('%s', (_, statements, asked, expected) => {
    expect(isAllowed(statements, asked)).toBe(expected);
  });

  test('a condition that is not understood is a fault, never a yes', () => {
    expect(() => isAllowed([allow({ Condition: { DateLessThan: { k: ['1'] } } })], request('a:B', 'r', { k: ['0'] }))).toThrow(
      'DateLessThan',
    );
  });

  test('a role has the policies in it and those attached to it', () => {
    const statement = (Action: string) => ({ Effect: 'Allow', Action, Resource: '*' });
    const template = templateOf({
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: { Policies: [{ PolicyName: 'own', PolicyDocument: { Statement: [statement('a:B')] } }] },
      },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { PolicyName: 'p', Roles: [{ Ref: 'Role' }], PolicyDocument: { Version: '2012-10-17', Statement: [statement('c:D')] } },
      },
    });
    template.define('Role', { Ref: 'Role', Arn: 'arn:role' });
    expect(
      roleStatements(template)
        .get('Role')
        ?.map(({ Action }) => Action),
    ).toEqual([['a:B'], ['c:D']]);
  });
});
