import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { errors, type ErrorName } from '../lambdas/contract/errors';
import type { FirewallConfig } from './config';

/** Bodies up to here reach the service, which refuses them above as well; AWS WAF can look no further. */
const MAX_BODY_KB = 64;

/** Blocks with the service's own answer. */
const block = (name: ErrorName): CfnWebACL.RuleActionProperty => ({
  block: {
    customResponse: {
      responseCode: errors[name].status,
      customResponseBodyKey: name,
      responseHeaders: [{ name: 'X-Svc-Error-Code', value: errors[name].code }],
    },
  },
});

const bodies = Object.fromEntries(
  (['rate_limited', 'invalid_request'] as const).map((name) => [name, { contentType: 'APPLICATION_JSON', content: JSON.stringify({ detail: errors[name].detail }) }]),
);

/** AWS WAF in front of the distribution: so many requests of one address, and no huge bodies. */
export class Firewall extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { requestsPer5Minutes }: FirewallConfig) {
    super(scope, id);
    const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
      metricName,
      cloudWatchMetricsEnabled: true,
      // Samples would keep request addresses, and with them license keys.
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visible('firewall'),
      customResponseBodies: bodies,
      associationConfig: { requestBody: { CLOUDFRONT: { defaultSizeInspectionLimit: `KB_${MAX_BODY_KB}` } } },
      rules: [
        {
          name: 'too-many-requests',
          priority: 0,
          statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPer5Minutes, evaluationWindowSec: 300 } },
          action: block('rate_limited'),
          visibilityConfig: visible('too-many-requests'),
        },
        {
          name: 'too-large',
          priority: 1,
          // What is larger than can be looked at matches.
          statement: {
            sizeConstraintStatement: {
              fieldToMatch: { body: { oversizeHandling: 'MATCH' } },
              comparisonOperator: 'GT',
              size: MAX_BODY_KB * 1024,
              textTransformations: [{ priority: 0, type: 'NONE' }],
            },
          },
          action: block('invalid_request'),
          visibilityConfig: visible('too-large'),
        },
      ],
    });
    this.arn = acl.attrArn;
  }
}
