import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { accept } from './accept';

/** The secret header by which the API recognizes requests through CloudFront (`ORIGIN_SECRET_HEADER` in the contract). */
export class OriginSecret extends Construct {
  /** Functions read the secret here when they need it. */
  readonly secret: Secret;
  /** The header's value: a reference to the secret, which CloudFormation resolves during the deployment. */
  readonly value: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'Proves to the API that a request came through CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    accept(this.secret, {
      'AwsSolutions-SMG4': 'CloudFront and the API must change together, so only a deployment changes it (docs/operations.md).',
    });
    this.value = this.secret.secretValue.unsafeUnwrap();
  }
}
