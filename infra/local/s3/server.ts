import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { FUNCTION_TOKEN, secretKeyOf } from '../credentials';
import { close, listen } from '../door';
import { isAllowed, type Statement } from '../../../test/support/policy';
import { BadDigest, openObjects, type ObjectDescription, type Objects } from './objects';
import { rangeOf } from './range';
import { verifySignature, type Refused } from './signature';

/**
 * The part of S3 that releases need: PUT, GET with ranges, HEAD and DELETE of one object. Each request must be signed by a function, and
 * the function's role must permit the request when the server receives it. Only functions can sign requests. The server refuses requests
 * from web pages of other origins before it checks their signatures.
 */

export interface S3Options {
  /** The folder that stores the objects. */
  readonly folder: string;
  /** Returns the policy statements for an access key. If the access key is unknown, returns undefined, and the key permits nothing. */
  readonly statementsOf: (accessKey: string) => readonly Statement[] | undefined;
  /** Returns the number of milliseconds by which the functions' clock is ahead of the real time. */
  readonly advancedMs?: () => number;
}

export interface S3 {
  readonly endpoint: string;
  /** Lets the pages of an origin, such as `http://127.0.0.1:8787`, send and get files. */
  allowOrigin(origin: string): void;
  stop(): Promise<void>;
}

/** Starts the local S3 on a loopback address that other users of the computer can't easily guess (see door.ts). */
export async function start({ folder, statementsOf, advancedMs = () => 0 }: S3Options): Promise<S3> {
  const clock = (): number => Date.now() + advancedMs();
  const objects = openObjects(folder, clock);
  const origins = new Set<string>();
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const authorize = (signed: IncomingMessage): Refused | undefined => {
      const signer = verifySignature(
        { method: signed.method ?? '', target: signed.url ?? '', headers: signed.headers },
        { sessionToken: FUNCTION_TOKEN, secretKeyOf, now: clock(), realNow: Date.now() },
      );
      if ('code' in signer) return signer;
      return mayCall(statementsOf(signer.accessKey) ?? [], signed)
        ? undefined
        : { status: 403, code: 'AccessDenied', message: 'The role of the signer does not permit this' };
    };
    serve(request, response, { objects, origins, authorize }).catch(() => {
      // After a part of the response has been sent, the only way to report an error is to abort the response.
      if (response.headersSent) response.destroy();
      else refuse(request, response, { status: 500, code: 'InternalError', message: 'The file could not be read or written' });
    });
  });
  const endpoint = await listen(server);
  return {
    endpoint,
    allowOrigin: (origin) => void origins.add(origin),
    stop: () => close(server),
  };
}

interface Context {
  readonly objects: Objects;
  readonly origins: ReadonlySet<string>;
  readonly authorize: (request: IncomingMessage) => Refused | undefined;
}

const actions: Readonly<Record<string, string>> = {
  PUT: 's3:PutObject',
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  DELETE: 's3:DeleteObject',
};

/** The decoded bucket and key of a path like `/bucket/key`. */
function pathOf({ url = '' }: IncomingMessage): { bucket: string; key: string } | undefined {
  const [path = ''] = url.split('?', 1);
  try {
    const [, bucket, key] = /^\/([^/]+)\/(.+)$/s.exec(decodeURIComponent(path)) ?? [];
    return bucket === undefined || key === undefined ? undefined : { bucket, key };
  } catch {
    return undefined;
  }
}

function mayCall(statements: readonly Statement[], request: IncomingMessage): boolean {
  const path = pathOf(request);
  const action = actions[request.method ?? ''];
  return (
    path !== undefined &&
    action !== undefined &&
    isAllowed(statements, { action, resource: `arn:aws:s3:::${path.bucket}/${path.key}`, context: {} })
  );
}

/**
 * Whether a web page of another origin made the request, according to the headers that browsers add. Opening a link (a navigation) does not
 * count.
 */
function isForeign({ headers }: IncomingMessage, origins: ReadonlySet<string>): boolean {
  if (headers.origin !== undefined) return !origins.has(headers.origin);
  const site = headers['sec-fetch-site'];
  return (site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] !== 'navigate';
}

async function serve(request: IncomingMessage, response: ServerResponse, { objects, origins, authorize }: Context): Promise<void> {
  response.setHeader('x-amz-request-id', randomUUID());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (isForeign(request, origins))
    return refuse(request, response, { status: 403, code: 'AccessForbidden', message: 'CORSResponse: This origin is not allowed' });
  const { origin } = request.headers;
  if (origin !== undefined) {
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Vary', 'Origin');
    response.setHeader('Access-Control-Expose-Headers', 'ETag');
    if (request.method === 'OPTIONS') return preflight(request, response);
  }
  const refused = authorize(request);
  if (refused) return refuse(request, response, refused);
  const key = pathOf(request)?.key ?? '';
  if (request.method === 'PUT') return put(request, response, objects, key);
  if (request.method === 'DELETE') {
    objects.delete(key);
    return void response.writeHead(204).end();
  }
  return get(request, response, objects, key);
}

function preflight(request: IncomingMessage, response: ServerResponse): void {
  response
    .writeHead(204, {
      'Access-Control-Allow-Methods': 'GET, HEAD, PUT',
      'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? '',
      'Access-Control-Max-Age': '3000',
    })
    .end();
}

async function put(request: IncomingMessage, response: ServerResponse, objects: Objects, key: string): Promise<void> {
  const length = request.headers['content-length'];
  if (length === undefined)
    return refuse(request, response, { status: 411, code: 'MissingContentLength', message: 'Content-Length is needed' });
  const checksum = request.headers['x-amz-checksum-sha256'];
  try {
    const { sha256 } = await objects.put(key, request, {
      size: Number(length),
      ...(typeof checksum === 'string' && { sha256: Buffer.from(checksum, 'base64').toString('hex') }),
      contentType: request.headers['content-type'] ?? 'application/octet-stream',
    });
    response.writeHead(200, { ETag: etagOf({ sha256 }), 'x-amz-checksum-sha256': base64(sha256) }).end();
  } catch (error) {
    if (!(error instanceof BadDigest)) throw error;
    refuse(request, response, {
      status: 400,
      code: 'BadDigest',
      message: 'The SHA-256 you specified did not match the calculated checksum.',
    });
  }
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const etagOf = ({ sha256 }: Pick<ObjectDescription, 'sha256'>): string => `"${sha256.slice(0, 32)}"`;

async function get(request: IncomingMessage, response: ServerResponse, objects: Objects, key: string): Promise<void> {
  const object = objects.find(key);
  if (!object) return refuse(request, response, { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' });
  const { size, sha256, contentType, modified } = object;
  const { 'if-range': ifRange, range: header } = request.headers;
  const range = ifRange === undefined || ifRange === etagOf(object) ? rangeOf(header, size) : undefined;
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`);
    return refuse(request, response, { status: 416, code: 'InvalidRange', message: 'The requested range is not satisfiable' });
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  response.writeHead(range ? 206 : 200, {
    'Accept-Ranges': 'bytes',
    'Content-Type': contentType,
    'Content-Length': last - first + 1,
    ETag: etagOf(object),
    'Last-Modified': new Date(modified).toUTCString(),
    ...(range && { 'Content-Range': `bytes ${first}-${last}/${size}` }),
    ...(request.headers['x-amz-checksum-mode'] === 'ENABLED' && { 'x-amz-checksum-sha256': base64(sha256) }),
  });
  if (request.method === 'HEAD' || size === 0) return void response.end();
  await pipeline(objects.read(object, first, last), response);
}

/** Responds with an error in the format of S3. The rest of the request is dropped. */
function refuse(request: IncomingMessage, response: ServerResponse, { status, code, message }: Refused): void {
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  if (request.method === 'HEAD') return void response.end();
  const text = message.replace(/[<>&]/g, ' ');
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message></Error>`);
  request.resume();
}
