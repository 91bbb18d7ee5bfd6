/** The AWS account and region that the local run imitates. */
import { createHash, randomBytes } from 'node:crypto';
import { Agent, request, type OutgoingHttpHeaders } from 'node:http';

export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';
export const PARTITION = 'aws';
export const URL_SUFFIX = 'amazonaws.com';

/** The secret credential of the current run. Callers of the local AWS services send it as their session token. */
export const RUN_TOKEN = randomBytes(32).toString('base64url');
/** The header in which AWS clients send their session token. */
export const TOKEN_HEADER = 'x-amz-security-token';

/** Builds the ARN of a regional resource. */
export const arn = (service: string, resource: string): string => `arn:${PARTITION}:${service}:${REGION}:${ACCOUNT}:${resource}`;

/** Derives an identifier of `length` lower-case letters and digits from a text. The same text always gives the same identifier. */
export const stableId = (text: string, length: number): string =>
  BigInt(`0x${createHash('sha256').update(text).digest('hex')}`)
    .toString(36)
    .padStart(length, '0')
    .slice(-length);

/**
 * Calls an action of an AWS JSON protocol with this run's credential. The emulators require a signature but don't check it.
 *
 * @param target protocol target, such as `DynamoDB_20120810.CreateTable`
 * @throws {AwsError} if the service refuses the request
 */
export async function callAws<Output>(
  endpoint: string,
  target: string,
  input: object,
  { accessKeyId = 'local', signal }: { accessKeyId?: string; signal?: AbortSignal } = {},
): Promise<Output> {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': target,
    'x-amz-date': '20260101T000000Z',
    [TOKEN_HEADER]: RUN_TOKEN,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20260101/${REGION}/any/aws4_request, SignedHeaders=host, Signature=0`,
  };
  const { status, text } = await post(endpoint, headers, JSON.stringify(input), signal);
  if (status < 300) return JSON.parse(text) as Output;
  throw new AwsError(target, status, text);
}

const agent = new Agent({ keepAlive: true });

/** Sends a POST request. It does not use `fetch`, because polling a queue with `fetch` takes a seventh of the main thread's time. */
function post(
  endpoint: string,
  headers: OutgoingHttpHeaders,
  body: string,
  signal: AbortSignal | undefined,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      endpoint,
      { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) }, signal },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject).once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent
      .once('error', (error: NodeJS.ErrnoException) => {
        // The service closed a reused connection before it read the request, so sending the request again can't execute it twice.
        if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(post(endpoint, headers, body, signal));
        else reject(error);
      })
      .end(body);
  });
}

/** An error response of a local AWS service. */
export class AwsError extends Error {
  /** The exception's short name, such as `ResourceNotFoundException`, without its namespace. */
  readonly code: string;

  constructor(target: string, status: number, body: string) {
    const { __type = `HTTP ${status}`, message, Message = body } = parseError(body);
    const code = __type.split('#').at(-1)!;
    super(`${target} was refused: ${code}: ${message ?? Message}`);
    this.code = code;
  }
}

function parseError(body: string): { __type?: string; message?: string; Message?: string } {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    // The body is not JSON, so the error message contains the body itself.
    return {};
  }
}
