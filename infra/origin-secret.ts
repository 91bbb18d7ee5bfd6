import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { accept } from './accept';

/** How the API recognizes what comes through CloudFront: by a secret in a header (`ORIGIN_SECRET_HEADER` in the contract). */
export class OriginSecret extends Construct {
  /** For the functions, which read it when they need it. */
  readonly secret: Secret;
  /** The header's value: a reference to the secret, which CloudFormation resolves when it deploys. */
  readonly value: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'Proves to the API that a request came through CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    accept(this.secret, {
      'AwsSolutions-SMG4': 'CloudFront and the API have to change together: it is changed by a deployment (docs/operations.md).',
    });
    this.value = this.secret.secretValue.unsafeUnwrap();
  }
}
