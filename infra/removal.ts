import { RemovalPolicy } from 'aws-cdk-lib';
import type { StageConfig } from './config';

/**
 * The removal policy of secrets and logs. If the stage retains data, CloudFormation does not delete a secret or a log that is removed from
 * the stack. CloudFormation deletes the secrets and logs of a failed first deployment, because they contain no data yet.
 */
export const removalOf = ({ retainData }: StageConfig): RemovalPolicy =>
  retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
