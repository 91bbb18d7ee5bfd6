import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { accept } from './accept';

/**
 * How the API recognizes what comes through CloudFront: by a header that CloudFront sets on every request, whatever
 * its caller sent. It is `Referer` because that is the one header with a secret's worth of room that the resource
 * policy of a REST API can look at.
 */
export class OriginSecret extends Construct {
  /** The header's name. */
  readonly header = 'Referer';
  /** Its value: a reference to the secret, which CloudFormation resolves when it deploys. */
  readonly value: string;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      description: 'Proves to the API that a request came through CloudFront',
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
    });
    accept(secret, { 'AwsSolutions-SMG4': 'CloudFront and the API have to change together: it is changed by a deployment (docs/operations.md).' });
    this.value = secret.secretValue.unsafeUnwrap();
  }
}
