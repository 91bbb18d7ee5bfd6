import { roleStatements } from '../../../infra/local/roles';
import { templateOf } from './support';

test('a role has its inline policies and the policies attached to it', () => {
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
