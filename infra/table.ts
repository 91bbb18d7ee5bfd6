import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { MathExpression, Metric, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, ProjectionType, Table as DynamoTable, TableEncryption, type ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { indexes, partitions, writeActions, type Index, type ItemAction, type StoreAccess } from '../lambdas/contract/access';
import type { Alarms } from './alarms';
import type { StageConfig } from './config';
import type { ServiceFunction } from './function';
import { projections } from './projections';

/** The DynamoDB operations that the store uses (`lambdas/store`). */
const operations = ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'];

/** The service's only table. `lambdas/store/keys.ts` describes its items and access patterns. */
export class Table extends Construct {
  readonly table: ITable;

  constructor(scope: Construct, id: string, { config, alarms }: { config: StageConfig; alarms: Alarms }) {
    super(scope, id);
    this.table =
      config.restoredTable === undefined
        ? this.create(config)
        : DynamoTable.fromTableAttributes(this, 'Restored', { tableName: config.restoredTable, globalIndexes: Object.keys(indexes) });
    this.addAlarms(alarms);
  }

  private create(config: StageConfig): DynamoTable {
    const table = new DynamoTable(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: 'ttl',
      deletionProtection: config.retainData,
      removalPolicy: config.retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const [indexName, { partitionKey, sortKey }] of Object.entries(indexes)) {
      const { type, attributes } = projections[indexName as Index];
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: { name: partitionKey, type: AttributeType.STRING },
        sortKey: { name: sortKey, type: AttributeType.STRING },
        projectionType: ProjectionType[type],
        ...(attributes && { nonKeyAttributes: [...attributes] }),
      });
    }
    return table;
  }

  /**
   * The number of transactions that conflicted with another transaction on the same row. The functions retry them, so a conflict is not an
   * error.
   */
  conflicts(): IMetric {
    return this.metric('TransactionConflict');
  }

  /** The number of calls that DynamoDB throttled, either at the table or at an index. */
  throttled(): IMetric {
    return this.sum('throttled', 'ThrottledRequests');
  }

  private metric(metricName: string, dimensions: Readonly<Record<string, string>> = {}): IMetric {
    const dimensionsMap = { TableName: this.table.tableName, ...dimensions };
    return new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, statistic: 'Sum', period: Duration.minutes(5) });
  }

  /** The sum of a metric over all operations. If DynamoDB reports no value for an operation, the value counts as 0. */
  private sum(label: string, metricName: string): IMetric {
    const usingMetrics = Object.fromEntries(
      operations.map((Operation) => [`${label}_${Operation}`, this.metric(metricName, { Operation })]),
    );
    const expression = Object.keys(usingMetrics)
      .map((name) => `FILL(${name}, 0)`)
      .join(' + ');
    return new MathExpression({ label, expression, usingMetrics, period: Duration.minutes(5) });
  }

  private addAlarms(alarms: Alarms): void {
    alarms.add('transaction-conflicts', {
      impact: 'Many simultaneous changes of the same license make its activations slower, and some activations may end with 503.',
      metric: this.conflicts(),
      above: 1000,
      periods: [2, 3],
    });
    alarms.add('table-throttled', {
      impact: 'DynamoDB throttles reads or writes, so requests get slower, and some end with 503.',
      metric: this.throttled(),
      above: 10,
      periods: [2, 3],
    });
    alarms.add('table-errors', {
      impact: 'DynamoDB itself has faults, so the service retries its calls, and some requests end with 503.',
      metric: this.sum('faults', 'SystemErrors'),
      above: 10,
      periods: [2, 3],
    });
  }

  /**
   * Grants a function exactly the access that its row in the contract declares. Each action on the base table is limited to partition keys
   * with the prefixes that the row declares for the action. Queries of indexes are limited to the declared indexes. Actions whose requests
   * need not name a partition key (`Scan`, PartiQL) are never granted.
   *
   * A transaction contains several write actions. AWS doesn't document which partition keys it checks for each of these actions: only the
   * key of the action's own item, or the keys of all items in the transaction. Therefore the condition of a write action requires two
   * things: at least one key is in the partitions that are declared for the action, and all keys are in the partitions that the function
   * writes. If AWS checks only one key, the condition permits exactly the declared partitions. If AWS checks all keys, the condition still
   * permits the transaction.
   */
  grant(fn: ServiceFunction, { indexes: queried = [], ...declared }: StoreAccess): void {
    const actions = Object.keys(declared) as ItemAction[];
    const keys = (...of: readonly ItemAction[]): object => ({
      'dynamodb:LeadingKeys': [...new Set(of.flatMap((action) => declared[action] ?? []))]
        .map((partition) => `${partitions[partition]}*`)
        .sort(),
    });
    for (const action of actions) {
      fn.addToRolePolicy(
        new PolicyStatement({
          actions: [`dynamodb:${action}`],
          resources: [this.table.tableArn],
          conditions: writeActions.includes(action)
            ? { 'ForAnyValue:StringLike': keys(action), 'ForAllValues:StringLike': keys(...writeActions) }
            : { 'ForAllValues:StringLike': keys(action) },
        }),
      );
    }
    if (queried.length > 0) {
      fn.addToRolePolicy(
        new PolicyStatement({ actions: ['dynamodb:Query'], resources: queried.map((index) => `${this.table.tableArn}/index/${index}`) }),
      );
    }
    if (actions.length > 0 || queried.length > 0) fn.addEnvironment('TABLE_NAME', this.table.tableName);
  }
}
