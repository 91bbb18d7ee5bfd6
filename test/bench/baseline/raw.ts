/**
 * Functions that do only the work that validate and activate require: the calls to AWS with the bare SDK. The benchmark compares the
 * handlers with these functions.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { BatchGetCommand, DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';

const TableName = process.env['TABLE_NAME'] ?? '';
const table = DynamoDBDocumentClient.from(new DynamoDBClient());
const queue = new SQSClient({ useQueueUrlAsEndpoint: false });

/** Reads a license and a device from the table. */
export async function read(pk: string, fingerprint: string): Promise<void> {
  const Keys = [
    { pk, sk: 'LICENSE' },
    { pk, sk: `DEVICE#${fingerprint}` },
  ];
  await table.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }));
}

/** Writes a license, a device and an event of typical sizes. */
export async function write(pk: string, fingerprint: string, sequence: number): Promise<void> {
  const id = randomBytes(16).toString('hex');
  await table.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Update: {
            TableName,
            Key: { pk, sk: 'LICENSE' },
            UpdateExpression:
              'SET #status = :status, expires_at = :expires_at, seats_used = :seats_used, epoch = :epoch, #sequence = :next, revoked_at = :revoked_at',
            ConditionExpression: 'attribute_not_exists(#sequence) OR #sequence = :read',
            ExpressionAttributeNames: { '#status': 'status', '#sequence': 'sequence' },
            ExpressionAttributeValues: {
              ':status': 'active',
              ':expires_at': null,
              ':seats_used': sequence,
              ':epoch': 1,
              ':revoked_at': null,
              ':next': sequence + 1,
              ':read': sequence,
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        {
          Put: {
            TableName,
            Item: {
              pk: `EVENT#RAW${id}`,
              sk: id,
              event: 'activated',
              product_id: 1,
              license_id: 1,
              sequence,
              created_at: 1_800_000_000_000,
              status: 'recorded',
              attempts: 0,
              round: 0,
              history: [],
              url: '',
              body: randomBytes(450),
              ttl: 1_800_000_000,
            },
            ConditionExpression: 'attribute_not_exists(pk)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        {
          Put: {
            TableName,
            Item: {
              pk,
              sk: `DEVICE#${fingerprint}`,
              list_pk: 'RAW',
              list_sk: fingerprint,
              fingerprint,
              name: "Ada's MacBook",
              platform: 'darwin',
              epoch: 1,
              bound_at: 1_800_000_000_000,
            },
            ConditionExpression: 'attribute_not_exists(pk) OR epoch < :epoch',
            ExpressionAttributeValues: { ':epoch': 1 },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
      ],
      ClientRequestToken: id,
    }),
  );
}

/** Sends the queue message that starts a delivery. No event has the id in the message, so the delivery function ignores the message. */
export async function send(): Promise<void> {
  await queue.send(
    new SendMessageCommand({
      QueueUrl: process.env['EVENT_QUEUE_URL'],
      MessageBody: JSON.stringify({ event_id: randomBytes(16).toString('hex') }),
      DelaySeconds: 0,
    }),
  );
}
