import { RemovalPolicy } from 'aws-cdk-lib';
import type { StageConfig } from './config';

/**
 * The removal policy of secrets and logs. If the stage retains data, they are kept when they are removed from the stack. The exception is a
 * failed first deployment: its secrets and logs are empty, so they are deleted.
 */
export const removalOf = ({ retainData }: StageConfig): RemovalPolicy =>
  retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
