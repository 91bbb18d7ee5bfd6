import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { accept } from './accept';

/**
 * The secret that CloudFront sends in the header `ORIGIN_SECRET_HEADER`. The API uses it to recognize requests that came through
 * CloudFront.
 */
export class OriginSecret extends Construct {
  /** The secret from which functions read the header's value when they need it. */
  readonly secret: Secret;
  /** The header's value, as a reference to the secret. CloudFormation resolves the reference during the deployment. */
  readonly value: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: 'Proves to the API that a request came through CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    accept(this.secret, {
      'AwsSolutions-SMG4':
        'CloudFront and the API must get a new secret at the same time, so only a deployment changes the secret (docs/operations.md).',
    });
    this.value = this.secret.secretValue.unsafeUnwrap();
  }
}
