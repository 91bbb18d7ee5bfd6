/**
 * A function that does only the work that the delivery of a batch of events requires: the calls to AWS with the bare SDK, and a bare POST
 * for each event. The benchmark compares the delivery function with this function.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Agent, request } from 'node:http';

const TableName = process.env['TABLE_NAME'] ?? '';
const table = DynamoDBDocumentClient.from(new DynamoDBClient());
const agent = new Agent({ keepAlive: true });

/** The posted body has the size of a typical event. */
const BODY = Buffer.from(JSON.stringify({ padding: 'a'.repeat(440) }));

const keyOf = (id: string): { pk: string; sk: string } => ({ pk: `EVENT#RAW${id}`, sk: id });

async function claim(id: string): Promise<string> {
  const { Attributes } = await table.send(
    new UpdateCommand({
      TableName,
      Key: keyOf(id),
      UpdateExpression: 'SET lease_until = :until, lease_token = :token, pending_sk = :sweep, #body = if_not_exists(#body, :body)',
      ConditionExpression: 'attribute_not_exists(lease_until) OR lease_until <= :now',
      ExpressionAttributeNames: { '#body': 'body' },
      ExpressionAttributeValues: {
        ':until': 1_800_000_030_000,
        ':token': '0123456789abcdef',
        ':sweep': '1800000030000',
        ':now': 1_800_000_000_000,
        ':body': BODY,
      },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Buffer.from((Attributes as { body: Uint8Array }).body).toString();
}

const post = (url: string, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', agent, headers: { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } },
      (response) => {
        response.resume().once('end', resolve).once('error', reject);
      },
    );
    sent.once('error', reject).end(body);
  });

/**
 * Reads the product, takes a lease on each event and posts the event. Then it records the results of all events and the product's
 * statistics in one transaction.
 */
export async function deliver(url: string, ids: readonly string[]): Promise<void> {
  const product = table.send(new GetCommand({ TableName, Key: { pk: 'PRODUCT#RAW', sk: 'PRODUCT' }, ConsistentRead: true }));
  await Promise.all(
    ids.map(async (id) => {
      const [body] = await Promise.all([claim(id), product]);
      await post(url, body);
    }),
  );
  const recorded = ids.map((id) => ({
    Update: {
      TableName,
      Key: keyOf(id),
      UpdateExpression: 'SET #status = :status, #url = :url, attempts = :one, history = :history REMOVE lease_until, pending_sk',
      ConditionExpression: 'lease_token = :token',
      ExpressionAttributeNames: { '#status': 'status', '#url': 'url' },
      ExpressionAttributeValues: {
        ':status': 'delivered',
        ':url': url,
        ':one': 1,
        ':token': '0123456789abcdef',
        ':history': [{ attempt: 1, at: 1_800_000_000_000, status: 200, error: null, duration_ms: 5 }],
      },
    },
  }));
  const numbers = {
    Update: {
      TableName,
      Key: { pk: 'STATS#RAW', sk: '2027-01-15' },
      UpdateExpression: 'ADD delivered :count',
      ExpressionAttributeValues: { ':count': ids.length },
    },
  };
  await table.send(new TransactWriteCommand({ TransactItems: [...recorded, numbers] }));
}
