import { RemovalPolicy } from 'aws-cdk-lib';
import type { StageConfig } from './config';

/**
 * What happens to secrets and logs when they leave the stack. If data is retained they stay, unless the deployment that created them
 * failed, because then they are empty.
 */
export const removalOf = ({ retainData }: StageConfig): RemovalPolicy =>
  retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
