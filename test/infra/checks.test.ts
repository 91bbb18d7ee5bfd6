import { CfnResource, Stack } from 'aws-cdk-lib';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { configFor } from '../../infra/config';
import { ServiceStack } from '../../infra/service-stack';
import { combinations } from '../support/stage-options';
import { check, expectNoFindings, stubs } from '../support/stage-synth';

/** This test uses every value of every option. checks.long.ts uses every pair of values of two options. */
test.each(combinations('values').map(({ name, config }) => [name, config] as const))(
  '%s: the template breaks no rule of CloudFormation or AWS Solutions, not even with a warning, without a written reason',
  (_name, config) => expectNoFindings(config),
);

describe('the checks find errors', () => {
  const permission = { Action: 'lambda:InvokeFunction', FunctionName: 'any', Principal: 'apigateway.amazonaws.com' };
  const fn = {
    Code: { ZipFile: 'exports.handler = () => undefined' },
    Handler: 'index.handler',
    Runtime: 'nodejs24.x',
    Role: 'arn:aws:iam::123456789012:role/any',
  };

  const resource = (type: string, properties: object) => (stack: Stack) =>
    new CfnResource(stack, 'Spoiled', { type, properties: { ...properties } });

  test.each<[string, (stack: Stack) => unknown, RegExp]>([
    ['a property that does not exist', resource('AWS::Lambda::Function', { ...fn, Retries: 2 }), /Retries/],
    ['a value out of range', resource('AWS::Lambda::Function', { ...fn, MemorySize: 64 }), /MemorySize/],
    ['a value of the wrong kind', resource('AWS::Lambda::Function', { ...fn, Timeout: 'soon' }), /Timeout/],
    ['a missing property', resource('AWS::Lambda::Permission', { ...permission, Principal: undefined }), /Principal/],
    ['a bucket that takes plain connections', (stack) => new CfnBucket(stack, 'Spoiled'), /AwsSolutions-S10/],
  ])('the synth refuses %s', (_case, spoil, finding) => {
    const spoiled = (): unknown =>
      check((app) => {
        const stack = new Stack(app, 'spoiled');
        spoil(stack);
        return stack;
      });
    expect(spoiled).toThrow(finding);
  });

  test('the synth refuses a stage with more than 450 resources, and says how to reduce them', () => {
    const grown = (): unknown =>
      check((app) => {
        const stack = new ServiceStack(app, 'grown', { config: configFor('dev'), ...stubs });
        for (let n = 0; n < 450; n += 1) new CfnResource(stack, `More${n}`, { type: 'AWS::CloudFormation::WaitConditionHandle' });
        return stack;
      });
    expect(grown).toThrow(/The stack has \d+ resources; CloudFormation allows 500\. Move /);
  });
});
