import { type Duration } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal, type AddToPrincipalPolicyResult, type PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { accept } from './accept';
import type { StageConfig } from './config';

/**
 * A role with inline permissions. CDK's own role would need an additional policy resource for each function, and CloudFormation allows only
 * 500 resources per stack.
 */
export class InlineRole extends Role {
  private readonly permissions: PolicyDocument;

  constructor(scope: Construct, id: string, service: string) {
    const permissions = new PolicyDocument({ minimize: true });
    super(scope, id, { assumedBy: new ServicePrincipal(service), inlinePolicies: { Permissions: permissions } });
    this.permissions = permissions;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.permissions.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}

export interface FunctionContext {
  readonly config: StageConfig;
  /** Folders with the bundled `index.js`, by source file. */
  readonly bundles: ReadonlyMap<string, string>;
  /** The log group of all functions. */
  readonly logGroup: ILogGroup;
}

export interface ServiceFunctionProps {
  /** The source file, relative to the repository's root. */
  readonly source: string;
  readonly description: string;
  readonly timeout: Duration;
  readonly memoryMb: number;
  /** The function's name. By default CloudFormation generates it. */
  readonly functionName?: string;
}

/** The folder with the bundle of a source file. */
export function bundleOf(bundles: FunctionContext['bundles'], source: string): string {
  const folder = bundles.get(source);
  if (folder === undefined) throw new Error(`There is no bundle of ${source}`);
  return folder;
}

/**
 * A function of the service: Node 24 on arm64, with its own role. All functions write to one log group, so that one query searches the log
 * lines of all functions.
 */
export class ServiceFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    id: string,
    { config, bundles, logGroup }: FunctionContext,
    { source, description, timeout, memoryMb, functionName }: ServiceFunctionProps,
  ) {
    // Each function gets its own role, because Lambda's default role could write to every log group of the account.
    const role = new InlineRole(scope, `${id}Role`, 'lambda.amazonaws.com');
    logGroup.grantWrite(role);
    if (config.tracing) accept(role, { 'AwsSolutions-IAM5[Resource::*]': 'A policy cannot name a trace as a resource.' });
    super(scope, id, {
      role,
      logGroup,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundleOf(bundles, source)),
      description,
      timeout,
      memorySize: memoryMb,
      ...(functionName !== undefined && { functionName }),
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: {
        STAGE: config.stage,
        LOG_LEVEL: config.logLevel,
      },
    });
  }
}
