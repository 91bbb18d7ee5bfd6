import {
  Aws,
  CfnCondition,
  CfnDeletionPolicy,
  CfnParameter,
  CfnResource,
  CfnRule,
  Fn,
  Lazy,
  Token,
  type CfnOutput,
  type CfnParameterProps,
} from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { accept } from './accept';
import { ASSETS_BUCKET, ASSETS_PREFIX, type AssetParameters } from './asset-parameters';
import { stages, type StageConfig } from './config';
import { stackName } from './names';
import { ServiceStack, type Code } from './service-stack';

/**
 * The stack of the template that is launched without Node: the stage production, whose most important settings are parameters of the
 * template. All other settings have the defaults of production. (docs/decisions.md 140)
 */

const STAGE = 'production';

/** The name that the stack has in the documents. The command line deploys the stage with the same name. */
export const LAUNCHED_STACK = stackName(STAGE);

const ADDRESS = '[^\\s@<>]+@[A-Za-z0-9.-]+';

type SettingName = 'AlarmEmail' | 'MonthlyBudgetUsd' | 'RetainData' | 'DomainName' | 'CertificateArn' | 'MailFrom';

interface Setting extends CfnParameterProps {
  /** The label of the parameter in the console. */
  readonly label: string;
  readonly group: string;
}

const settings: Readonly<Record<SettingName, Setting>> = {
  AlarmEmail: {
    group: 'Operation',
    label: 'E-mail address for alarms',
    description:
      'Receives the alarms and the budget warnings. If it is empty, nobody receives them. The recipient must confirm the subscription in a mail from AWS.',
    default: '',
    allowedPattern: `^(${ADDRESS})?$`,
    constraintDescription: 'AlarmEmail must be empty or a plain e-mail address.',
  },
  MonthlyBudgetUsd: {
    group: 'Operation',
    label: 'Monthly budget of the AWS account, in US dollars',
    description: 'AWS sends a warning at 80 % of this amount. An alarm warns if an hour costs more than the budget of a day.',
    type: 'Number',
    default: stages['production']?.monthlyBudgetUsd,
    minValue: 1,
  },
  RetainData: {
    group: 'Operation',
    label: 'Keep the data when the stack is deleted',
    description:
      'true: the table, the secrets, the logs and the files of releases remain when the stack is deleted. false: they are deleted.',
    default: 'true',
    allowedValues: ['true', 'false'],
  },
  DomainName: {
    group: 'Domain',
    label: 'Domain name of the service',
    description:
      'Such as licenses.example.com. Create a CNAME record from it to the output NameTarget. If it is empty, the service has a name of CloudFront, which must not be in apps that you ship.',
    default: '',
    allowedPattern: '^([a-z0-9-]+(\\.[a-z0-9-]+)+)?$',
    constraintDescription: 'DomainName must be empty or a bare name in lower case, such as licenses.example.com.',
  },
  CertificateArn: {
    group: 'Domain',
    label: 'Certificate for the domain name',
    description: 'The ARN of a certificate of AWS Certificate Manager in us-east-1; CloudFront accepts no other region.',
    default: '',
    allowedPattern: '^(arn:aws[a-z-]*:acm:us-east-1:[0-9]{12}:certificate/[^ ]+)?$',
    constraintDescription: 'CertificateArn must be empty or the ARN of a certificate in us-east-1.',
  },
  MailFrom: {
    group: 'Mail',
    label: "Sender's address of all mails",
    description: 'An address that you have verified in Amazon SES in the region of the stack. If it is empty, the service sends no mail.',
    default: '',
    allowedPattern: `^(${ADDRESS})?$`,
    constraintDescription: 'MailFrom must be empty or a plain e-mail address. Write an internationalized domain in ASCII (xn--).',
  },
};

/** The value of a parameter in the template. */
const valueOf = (name: SettingName): string => Fn.ref(name);

/** Describes the parameters to the console. */
const consoleInterface = () => {
  const groups = [...new Set(Object.values(settings).map(({ group }) => group))].map((group) => ({
    Label: { default: group },
    Parameters: Object.entries(settings).flatMap(([name, setting]) => (setting.group === group ? [name] : [])),
  }));
  const labels = Object.entries(settings).map(([name, { label }]) => [name, { default: label }]);
  return {
    ParameterGroups: [...groups, { Label: { default: 'Files of the functions' }, Parameters: [ASSETS_BUCKET, ASSETS_PREFIX] }],
    ParameterLabels: {
      ...(Object.fromEntries(labels) as object),
      [ASSETS_BUCKET]: { default: 'Bucket' },
      [ASSETS_PREFIX]: { default: 'Prefix' },
    },
  };
};

/**
 * Creates the stack. It has the constructs of a stage that sets every setting with a parameter. The conditions, which decide whether a
 * parameter is set, are then added to the few resources that depend on them.
 *
 * @param synthesizer takes the assets of the stack
 */
export function createLaunchStack(scope: Construct, code: Code, synthesizer: AssetParameters): ServiceStack {
  const domainName = Lazy.string({
    produce: () => Fn.conditionIf(hasDomain.logicalId, valueOf('DomainName'), distribution.attrDomainName).toString(),
  });
  const config: StageConfig = {
    ...(stages[STAGE] as StageConfig),
    alarmEmail: valueOf('AlarmEmail'),
    monthlyBudgetUsd: Token.asNumber(valueOf('MonthlyBudgetUsd')),
    domain: { name: domainName, certificateArn: valueOf('CertificateArn') },
    // The functions send no mail if the sender's address is empty.
    mail: { transport: 'ses', from: valueOf('MailFrom') },
  };
  const stack = new ServiceStack(scope, LAUNCHED_STACK, { config, ...code, synthesizer });
  stack.addTransform('AWS::LanguageExtensions');
  stack.templateOptions.metadata = { 'AWS::CloudFormation::Interface': consoleInterface() };
  for (const [name, { label, group, ...props }] of Object.entries(settings)) new CfnParameter(stack, name, props);

  const isSet = (name: SettingName) => Fn.conditionNot(Fn.conditionEquals(valueOf(name), ''));
  const hasAlarmEmail = new CfnCondition(stack, 'HasAlarmEmail', { expression: isSet('AlarmEmail') });
  const hasDomain = new CfnCondition(stack, 'HasDomain', { expression: isSet('DomainName') });
  const retainsData = new CfnCondition(stack, 'RetainsData', { expression: Fn.conditionEquals(valueOf('RetainData'), 'true') });
  new CfnRule(stack, 'DomainHasCertificate', {
    ruleCondition: isSet('DomainName'),
    assertions: [{ assert: isSet('CertificateArn'), assertDescription: 'If DomainName is set, CertificateArn must be set.' }],
  });

  const resources = stack.node.findAll().filter((construct) => CfnResource.isCfnResource(construct));
  const distribution = resources.find((resource) => resource instanceof CfnDistribution) as CfnDistribution;
  nameOnlyIf(hasDomain, distribution);
  accept(distribution, {
    'AwsSolutions-CFR4':
      "CloudFront's own certificate does not allow choosing a TLS version. If `DomainName` is set, the minimum is TLS 1.2.",
  });
  (stack.node.findChild('Edge').node.findChild('NameTarget') as CfnOutput).condition = hasDomain;

  for (const resource of resources) {
    const isForEmail = resource instanceof CfnSubscription && resource.protocol === 'email';
    if (isForEmail || resource instanceof CfnBudget) resource.cfnOptions.condition = hasAlarmEmail;
    const { deletionPolicy } = resource.cfnOptions;
    const holdsData = [CfnTable, CfnSecret, CfnLogGroup, CfnBucket].some((type) => resource instanceof type);
    if (!holdsData || deletionPolicy === undefined || deletionPolicy === CfnDeletionPolicy.DELETE) continue;
    const policy = Fn.conditionIf(retainsData.logicalId, deletionPolicy, CfnDeletionPolicy.DELETE);
    resource.addOverride('DeletionPolicy', policy);
    resource.addOverride('UpdateReplacePolicy', Fn.conditionIf(retainsData.logicalId, CfnDeletionPolicy.RETAIN, CfnDeletionPolicy.DELETE));
    if (resource instanceof CfnTable) resource.deletionProtectionEnabled = Fn.conditionIf(retainsData.logicalId, true, false);
  }
  stack.emptyFilesOnDeletion(Fn.conditionIf(retainsData.logicalId, 'false', 'true').toString());
  return stack;
}

/** Gives a distribution its own domain name and certificate only if a condition is true. */
function nameOnlyIf({ logicalId }: CfnCondition, distribution: CfnDistribution): void {
  const config = distribution.distributionConfig as CfnDistribution.DistributionConfigProperty;
  const { minimumProtocolVersion, sslSupportMethod } = config.viewerCertificate as CfnDistribution.ViewerCertificateProperty;
  distribution.distributionConfig = {
    ...config,
    aliases: Token.asList(Fn.conditionIf(logicalId, [valueOf('DomainName')], Aws.NO_VALUE)),
    viewerCertificate: Fn.conditionIf(
      logicalId,
      {
        AcmCertificateArn: valueOf('CertificateArn'),
        MinimumProtocolVersion: minimumProtocolVersion,
        SslSupportMethod: sslSupportMethod,
      },
      Aws.NO_VALUE,
    ),
  };
}
