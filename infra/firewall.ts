import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { ORIGIN_SECRET_HEADER } from '../lambdas/contract/edge';
import { errors, type ErrorName } from '../lambdas/contract/errors';
import { throttleOf } from '../lambdas/contract/endpoint';
import { receivePayment } from '../lambdas/contract/payments';
import type { FirewallConfig } from './config';
import { stackName } from './names';
import { ANY_ADDRESS, POSSIBLE_ADDRESS } from './notifications';
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
  (['unauthorized', 'rate_limited', 'invalid_request'] as const).map((name) => [
    name,
    { contentType: 'APPLICATION_JSON', content: JSON.stringify({ detail: errors[name].detail }) },
  ]),
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

const all = (...statements: readonly CfnWebACL.StatementProperty[]): CfnWebACL.StatementProperty => ({
  andStatement: { statements: [...statements] },
});
const not = (statement: CfnWebACL.StatementProperty): CfnWebACL.StatementProperty => ({ notStatement: { statement } });

/** True if the path ends so. The API's own address has the stage before it. */
const pathEnds = (regexString: string): CfnWebACL.StatementProperty => ({
  regexMatchStatement: { fieldToMatch: { uriPath: {} }, regexString, textTransformations: [{ priority: 0, type: 'URL_DECODE' }] },
});

/** True for a notification of a payment processor, and for whatever is sent to where those arrive. */
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
 * One address may take a tenth of what the route accepts from all: more than any processor sends, and too little to
 * crowd out the others.
 */
const NOTIFICATIONS_PER_MINUTE = (throttleOf(receivePayment).rate / 10) * 60;

export type FirewallProps = FirewallConfig & { readonly stage: string } & (
    | { readonly scope: 'CLOUDFRONT' }
    /** In front of the API itself. What comes through CloudFront was counted there, and has CloudFront's address here. */
    | { readonly scope: 'REGIONAL'; readonly trusted: OriginSecret; readonly stageArn: string }
  );

/** A rule whose name is that of its metric. */
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

/** True if one address sends more than the limit of what `counted` is true for. */
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

/** AWS WAF: limits on the requests of each address, no notifications to addresses that no connection has, and no huge bodies. */
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
        // Notifications are up to 1 MB long (docs/spec/payments.md, Receiving); their function refuses longer ones.
        rule('too-large', block('invalid_request', 413), all(isTooLarge, not(isNotification))),
      ].map((one, priority) => ({ ...one, priority })),
    });
    this.arn = acl.attrArn;
    if (props.scope === 'REGIONAL') new CfnWebACLAssociation(this, 'Association', { resourceArn: props.stageArn, webAclArn: acl.attrArn });
  }
}
