import { RemovalPolicy } from 'aws-cdk-lib';
import type { StageConfig } from './config';

/**
 * What becomes of secrets and logs when they leave the stack. If data is to be kept they stay, unless the
 * deployment that made them failed: then they hold nothing yet.
 */
export const removalOf = ({ retainData }: StageConfig): RemovalPolicy =>
  retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
