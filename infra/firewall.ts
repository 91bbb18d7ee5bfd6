import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { ORIGIN_SECRET_HEADER } from '../lambdas/contract/edge';
import { errors, type ErrorName } from '../lambdas/contract/errors';
import { receivePayment } from '../lambdas/contract/payments';
import type { FirewallConfig } from './config';
import { stackName } from './names';
import type { OriginSecret } from './origin-secret';

/** Bodies up to this size reach the service, which refuses larger ones itself; AWS WAF can't inspect more. */
const MAX_BODY_KB = 64;

/** What `X-Request-Id` says of a request that never reached the service: AWS WAF knows fixed texts only. */
const BLOCKED_REQUEST_ID = 'blocked-by-firewall';

/** Blocks with the service's own response. AWS WAF accepts only some statuses, 422 not among them. */
const block = (name: ErrorName, status: number = errors[name].status): CfnWebACL.RuleActionProperty => ({
  block: {
    customResponse: {
      responseCode: status,
      customResponseBodyKey: name,
      responseHeaders: Object.entries({
        'X-Svc-Error-Code': errors[name].code,
        'X-Request-Id': BLOCKED_REQUEST_ID,
        'Cache-Control': 'no-store',
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': 'X-Request-Id,X-Svc-Error-Code',
      }).map(([header, value]) => ({ name: header, value })),
    },
  },
});

const bodies = Object.fromEntries(
  (['rate_limited', 'invalid_request'] as const).map((name) => [name, { contentType: 'APPLICATION_JSON', content: JSON.stringify({ detail: errors[name].detail }) }]),
);

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples would keep request addresses, and with them license keys.
  sampledRequestsEnabled: false,
});

/** True if the request came through CloudFront. */
const throughCloudFront = ({ value }: OriginSecret): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    fieldToMatch: { singleHeader: { Name: ORIGIN_SECRET_HEADER.toLowerCase() } },
    positionalConstraint: 'EXACTLY',
    searchString: value,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

/** A body that is larger than can be inspected matches as well. */
const isTooLarge: CfnWebACL.StatementProperty = {
  sizeConstraintStatement: {
    fieldToMatch: { body: { oversizeHandling: 'MATCH' } },
    comparisonOperator: 'GT',
    size: MAX_BODY_KB * 1024,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
};

/** Notifications of payment processors are up to 1 MB long (docs/spec/payments.md, Receiving); their function refuses longer ones. */
const [NOTIFICATIONS = receivePayment.path] = receivePayment.path.split('{');

/** True for a request to an address that takes notifications. The API's own address has the stage before the path. */
const isNotification: CfnWebACL.StatementProperty = {
  byteMatchStatement: {
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'CONTAINS',
    searchString: NOTIFICATIONS,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
};

export type FirewallProps = FirewallConfig & { readonly stage: string } &
  (
    | { readonly scope: 'CLOUDFRONT' }
    /** In front of the API itself. What comes through CloudFront was counted there, and has CloudFront's address here. */
    | { readonly scope: 'REGIONAL'; readonly trusted: OriginSecret; readonly stageArn: string }
  );

/** AWS WAF: a limit on the requests of each address, and no huge bodies. */
export class Firewall extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: props.scope,
      defaultAction: { allow: {} },
      // By this name the metrics of its rules are distinguished from those of another stage.
      visibilityConfig: visible(stackName(props.stage)),
      customResponseBodies: bodies,
      associationConfig: { requestBody: { [props.scope === 'CLOUDFRONT' ? 'CLOUDFRONT' : 'API_GATEWAY']: { defaultSizeInspectionLimit: `KB_${MAX_BODY_KB}` } } },
      rules: [
        {
          name: 'too-many-requests',
          priority: 0,
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              limit: props.requestsPer5Minutes,
              evaluationWindowSec: 300,
              ...(props.scope === 'REGIONAL' && { scopeDownStatement: { notStatement: { statement: throughCloudFront(props.trusted) } } }),
            },
          },
          action: block('rate_limited'),
          visibilityConfig: visible('too-many-requests'),
        },
        {
          name: 'too-large',
          priority: 1,
          statement: { andStatement: { statements: [isTooLarge, { notStatement: { statement: isNotification } }] } },
          action: block('invalid_request', 413),
          visibilityConfig: visible('too-large'),
        },
      ],
    });
    this.arn = acl.attrArn;
    if (props.scope === 'REGIONAL') new CfnWebACLAssociation(this, 'Association', { resourceArn: props.stageArn, webAclArn: acl.attrArn });
  }
}
