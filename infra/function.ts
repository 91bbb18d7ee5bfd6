import { type Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { accept } from './accept';
import type { StageConfig } from './config';
import { removalOf } from './removal';

export interface HouseFunctionProps {
  readonly config: StageConfig;
  /** Folder with the bundled `index.js`. */
  readonly bundle: string;
  readonly description: string;
  readonly timeout: Duration;
  readonly memoryMb: number;
}

/** A function as this house builds it: Node 24 on arm64, a role of its own, traced, logs kept for a stated time. */
export class HouseFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { config, bundle, description, timeout, memoryMb }: HouseFunctionProps) {
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: config.logRetentionDays as RetentionDays,
      removalPolicy: removalOf(config),
    });
    // The role that Lambda would get by default may write every log of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    if (config.tracing) accept(role, { 'AwsSolutions-IAM5[Resource::*]': 'Traces belong to no resource that could be named.' });
    super(scope, id, {
      role,
      logGroup,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(bundle),
      description,
      timeout,
      memorySize: memoryMb,
      tracing: config.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      environment: {
        STAGE: config.stage,
        LOG_LEVEL: config.logLevel,
        NODE_OPTIONS: '--enable-source-maps',
      },
    });
  }
}
