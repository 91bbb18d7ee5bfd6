import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { SecretName } from '../lambdas/contract/access';
import { accept } from './accept';
import type { StageConfig } from './config';
import type { ServiceFunction } from './function';
import type { OriginSecret } from './origin-secret';
import { removalOf } from './removal';

/** The secrets that this construct creates. */
type OwnSecret = Exclude<SecretName, 'originSecret'>;

const descriptions: Record<OwnSecret, string> = {
  adminToken: 'The admin credential of the license key service (X-Svc-Admin-Token)',
  signingKey: "Encrypts the products' signing keys at rest, newest key first; without this secret the signing keys are lost",
  encryptionKey:
    'Encrypts API keys, webhook secrets, secrets of payment connections, notifications of payment processors and stored responses at rest, newest key first; without this secret the encrypted data is lost',
  portalKey:
    "Hashes the sign-in codes of the buyers' portal, and the devices' refs; a new value makes the codes of the last ten minutes and all refs invalid",
  smtpUrl: 'URL of the SMTP server with its credentials, such as smtps://user:password@host:465; set it after the first deployment',
};

/** The reason why each secret has no automatic rotation. */
const unrotated: Record<OwnSecret, string> = {
  adminToken: "The operator's server has a copy of the admin token, so the token is rotated by hand (docs/runbook.md, admin-token-leaked).",
  signingKey:
    'After an automatic rotation, stored values could not be decrypted, so the key is rotated by hand (docs/runbook.md, encryption-key-leaked).',
  encryptionKey:
    'After an automatic rotation, stored values could not be decrypted, so the key is rotated by hand (docs/runbook.md, encryption-key-leaked).',
  portalKey: 'The key protects codes that expire after ten minutes, and refs that apps and pages list again. Replace a leaked key by hand.',
  smtpUrl: "The operator of the mail server issues the URL's password, so AWS cannot rotate it.",
};

/** The environment variable that contains the ARN of each secret. */
const environmentNames: Record<SecretName, string> = {
  adminToken: 'ADMIN_TOKEN_SECRET_ARN',
  originSecret: 'ORIGIN_SECRET_ARN',
  signingKey: 'SIGNING_KEY_SECRET_ARN',
  encryptionKey: 'ENCRYPTION_KEY_SECRET_ARN',
  portalKey: 'PORTAL_KEY_SECRET_ARN',
  smtpUrl: 'SMTP_URL_SECRET_ARN',
};

/** The service's secrets. They are generated when the stack is first deployed. */
export class Secrets extends Construct {
  private readonly secrets: Partial<Record<SecretName, Secret>>;

  constructor(scope: Construct, id: string, config: StageConfig, { secret: originSecret }: OriginSecret) {
    super(scope, id);
    const removalPolicy = removalOf(config);
    const generate = (name: OwnSecret, constructId: string): Secret => {
      const secret = new Secret(this, constructId, {
        description: descriptions[name],
        generateSecretString: { passwordLength: 48, excludePunctuation: true },
        removalPolicy,
      });
      accept(secret, { 'AwsSolutions-SMG4': unrotated[name] });
      return secret;
    };
    this.secrets = {
      originSecret,
      adminToken: generate('adminToken', 'AdminToken'),
      signingKey: generate('signingKey', 'SigningKey'),
      encryptionKey: generate('encryptionKey', 'EncryptionKey'),
      portalKey: generate('portalKey', 'PortalKey'),
      ...(config.mail.transport === 'smtp' && { smtpUrl: generate('smtpUrl', 'SmtpUrl') }),
    };
  }

  /** Lets a function read a secret, and sets the environment variable with the secret's ARN. */
  grantRead(fn: ServiceFunction, name: SecretName): void {
    const secret = this.get(name);
    secret.grantRead(fn);
    fn.addEnvironment(environmentNames[name], secret.secretArn);
  }

  arn(name: SecretName): string {
    return this.get(name).secretArn;
  }

  private get(name: SecretName): Secret {
    const secret = this.secrets[name];
    if (!secret) throw new Error(`This stage has no secret ${name}`);
    return secret;
  }
}
