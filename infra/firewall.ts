import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { EXPOSED_HEADERS, ORIGIN_SECRET_HEADER } from '../lambdas/contract/edge';
import { errors, type ErrorName } from '../lambdas/contract/errors';
import { throttleOf } from '../lambdas/contract/endpoint';
import { receivePayment } from '../lambdas/contract/payments';
import type { FirewallConfig } from './config';
import { stackName } from './names';
import { ANY_ADDRESS, POSSIBLE_ADDRESS } from './notifications';
import type { OriginSecret } from './origin-secret';

/**
 * Maximum size of the body of a request other than a payment notification. AWS WAF can't inspect larger bodies, and the service would
 * refuse them anyway.
 */
const MAX_BODY_KB = 64;

/**
 * The `X-Request-Id` of a blocked request. AWS WAF can only send fixed texts, and a blocked request has no id because it does not reach the
 * service.
 */
const BLOCKED_REQUEST_ID = 'blocked-by-firewall';

/** Blocks a request with the service's own error response. AWS WAF accepts only some statuses; 422 is not among them. */
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
        'Access-Control-Expose-Headers': EXPOSED_HEADERS,
      }).map(([header, value]) => ({ name: header, value })),
    },
  },
});

const bodies = Object.fromEntries(
  (['unauthorized', 'rate_limited', 'invalid_request'] as const).map((name) => [
    name,
    { contentType: 'APPLICATION_JSON', content: JSON.stringify({ detail: errors[name].detail }) },
  ]),
);

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Sampled requests are off, because samples would contain URLs with license keys.
  sampledRequestsEnabled: false,
});

/** Matches requests that came through CloudFront. */
const throughCloudFront = ({ value }: OriginSecret): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    fieldToMatch: { singleHeader: { Name: ORIGIN_SECRET_HEADER.toLowerCase() } },
    positionalConstraint: 'EXACTLY',
    searchString: value,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

/** Matches bodies that are too large, including bodies that AWS WAF can't inspect because of their size. */
const isTooLarge: CfnWebACL.StatementProperty = {
  sizeConstraintStatement: {
    fieldToMatch: { body: { oversizeHandling: 'MATCH' } },
    comparisonOperator: 'GT',
    size: MAX_BODY_KB * 1024,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
};

const all = (...statements: readonly CfnWebACL.StatementProperty[]): CfnWebACL.StatementProperty => ({
  andStatement: { statements: [...statements] },
});
const not = (statement: CfnWebACL.StatementProperty): CfnWebACL.StatementProperty => ({ notStatement: { statement } });

/** Matches paths by their end only, because a path at the API's own URL begins with the stage's name. */
const pathEnds = (regexString: string): CfnWebACL.StatementProperty => ({
  regexMatchStatement: { fieldToMatch: { uriPath: {} }, regexString, textTransformations: [{ priority: 0, type: 'URL_DECODE' }] },
});

/** Matches every request to a URL for payment notifications. */
const isNotification = all(
  {
    byteMatchStatement: {
      fieldToMatch: { method: {} },
      positionalConstraint: 'EXACTLY',
      searchString: receivePayment.method,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  },
  pathEnds(ANY_ADDRESS),
);

/**
 * The maximum number of notifications per minute from one IP address: a tenth of the route's limit. No processor needs more.
 * One IP address cannot use the whole limit of the route, so notifications of other senders are still accepted.
 */
const NOTIFICATIONS_PER_MINUTE = (throttleOf(receivePayment).rate / 10) * 60;

export type FirewallProps = FirewallConfig & { readonly stage: string } & (
    | { readonly scope: 'CLOUDFRONT' }
    /**
     * The firewall of the API's own URL. It does not limit requests that came through CloudFront, for two reasons: CloudFront's firewall
     * has already counted these requests, and this firewall sees only CloudFront's IP address, not the caller's.
     */
    | { readonly scope: 'REGIONAL'; readonly trusted: OriginSecret; readonly stageArn: string }
  );

/** A rule with a metric of the same name. */
const rule = (
  name: string,
  action: CfnWebACL.RuleActionProperty,
  statement: CfnWebACL.StatementProperty,
): Omit<CfnWebACL.RuleProperty, 'priority'> => ({
  name,
  action,
  statement,
  visibilityConfig: visible(name),
});

/** Matches the requests of an IP address that exceeds the limit. Only requests that match `counted` count towards the limit. */
const limit = (
  props: FirewallProps,
  most: { readonly limit: number; readonly evaluationWindowSec: number },
  counted: CfnWebACL.StatementProperty,
): CfnWebACL.StatementProperty => ({
  rateBasedStatement: {
    aggregateKeyType: 'IP',
    ...most,
    scopeDownStatement: props.scope === 'REGIONAL' ? all(not(throughCloudFront(props.trusted)), counted) : counted,
  },
});

/**
 * AWS WAF. It limits the requests of each IP address. It refuses bodies that are too large, and notifications to URLs that no payment
 * connection can have.
 */
export class Firewall extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: props.scope,
      defaultAction: { allow: {} },
      // The metric's name contains the stage's name, so different stages have separate metrics.
      visibilityConfig: visible(stackName(props.stage)),
      customResponseBodies: bodies,
      associationConfig: {
        requestBody: { [props.scope === 'CLOUDFRONT' ? 'CLOUDFRONT' : 'API_GATEWAY']: { defaultSizeInspectionLimit: `KB_${MAX_BODY_KB}` } },
      },
      rules: [
        rule('impossible-address', block('unauthorized'), all(isNotification, not(pathEnds(POSSIBLE_ADDRESS)))),
        rule(
          'too-many-requests',
          block('rate_limited'),
          limit(props, { limit: props.requestsPer5Minutes, evaluationWindowSec: 300 }, not(isNotification)),
        ),
        rule(
          'too-many-notifications',
          block('rate_limited'),
          limit(props, { limit: NOTIFICATIONS_PER_MINUTE, evaluationWindowSec: 60 }, isNotification),
        ),
        // Notifications may be up to 1 MB long (docs/spec/payments.md, Receiving). The function that receives them refuses longer
        // notifications.
        rule('too-large', block('invalid_request', 413), all(isTooLarge, not(isNotification))),
      ].map((one, priority) => ({ ...one, priority })),
    });
    this.arn = acl.attrArn;
    if (props.scope === 'REGIONAL') new CfnWebACLAssociation(this, 'Association', { resourceArn: props.stageArn, webAclArn: acl.attrArn });
  }
}
