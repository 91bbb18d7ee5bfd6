import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSame } from '../door';

/** AWS Signature Version 4, as S3 verifies it: in the query of a presigned URL, or in the header of a client's call. */

const ALGORITHM = 'AWS4-HMAC-SHA256';
const UNSIGNED = 'UNSIGNED-PAYLOAD';
/** How far the clock of a client's call may differ, in ms. A presigned URL says itself how long it is valid. */
const SKEW_MS = 900_000;
/** A week is the longest that S3 accepts, in seconds. */
const MAX_EXPIRES = 604_800;

export interface SignedRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface SignatureOptions {
  /** The session token that belongs to every access key. */
  readonly sessionToken: string;
  readonly secretKeyOf: (accessKey: string) => string;
  /** Epoch ms by the clock that functions judge by, and by the real one, which signs their calls. */
  readonly now: number;
  readonly realNow: number;
}

/** Why a request is refused. */
export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface Signer {
  readonly accessKey: string;
}

const refuse = (code: string, message: string, status = 403): Refused => ({ status, code, message });
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** RFC 3986, as AWS encodes. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

interface Parts {
  readonly credential: string;
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly token: string | undefined;
  readonly payloadHash: string;
  /** Seconds; undefined for a client's call. */
  readonly expires?: number;
}

function partsOf({ headers }: SignedRequest, query: URLSearchParams): Parts | undefined {
  const header = headers.authorization;
  if (header !== undefined) {
    const [, credential, signedHeaders, signature] =
      /^AWS4-HMAC-SHA256 Credential=([^,\s]+), ?SignedHeaders=([^,\s]+), ?Signature=([0-9a-f]{64})$/.exec(header) ?? [];
    if (credential === undefined || signedHeaders === undefined || signature === undefined) return undefined;
    return {
      credential,
      signedHeaders: signedHeaders.split(';'),
      signature,
      date: String(headers['x-amz-date']),
      token: headers['x-amz-security-token']?.toString(),
      payloadHash: headers['x-amz-content-sha256']?.toString() ?? UNSIGNED,
    };
  }
  if (query.get('X-Amz-Algorithm') !== ALGORITHM) return undefined;
  return {
    credential: query.get('X-Amz-Credential') ?? '',
    signedHeaders: (query.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature: query.get('X-Amz-Signature') ?? '',
    date: query.get('X-Amz-Date') ?? '',
    token: query.get('X-Amz-Security-Token') ?? undefined,
    payloadHash: UNSIGNED,
    expires: Number(query.get('X-Amz-Expires')),
  };
}

/** `20261120T141000Z` in epoch ms; NaN if it is not such a time. */
const timeOf = (date: string): number => Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

function refuseTime({ date, expires }: Parts, { now, realNow }: SignatureOptions): Refused | undefined {
  const signedAt = timeOf(date);
  if (Number.isNaN(signedAt)) return refuse('AuthorizationQueryParametersError', 'X-Amz-Date is not a date', 400);
  if (expires === undefined) {
    return Math.abs(realNow - signedAt) > SKEW_MS ? refuse('RequestTimeTooSkewed', 'The request is too old') : undefined;
  }
  if (!Number.isInteger(expires) || expires < 1 || expires > MAX_EXPIRES)
    return refuse('AuthorizationQueryParametersError', 'X-Amz-Expires is not a number of seconds', 400);
  if (signedAt > now + SKEW_MS) return refuse('AccessDenied', 'Request is not valid yet');
  return now >= signedAt + expires * 1000 ? refuse('AccessDenied', 'Request has expired') : undefined;
}

/** Who signed a request; or why it is refused. */
export function verifySignature(request: SignedRequest, options: SignatureOptions): Signer | Refused {
  const { method, target, headers } = request;
  const [path = '', search = ''] = target.split('?', 2);
  const query = new URLSearchParams(search);
  const parts = partsOf(request, query);
  if (!parts) return refuse('AccessDenied', 'The request is not signed');
  const { credential, date, signedHeaders, signature, token, payloadHash } = parts;
  const [accessKey = '', ...scope] = credential.split('/');
  const [day, region, service, end, ...more] = scope;
  const isScope = day === date.slice(0, 8) && region !== undefined && service === 's3' && end === 'aws4_request' && more.length === 0;
  if (!isScope || !isSame(token, options.sessionToken)) return refuse('InvalidAccessKeyId', 'The access key is not of this run');
  // What decides about a request must be part of what was signed.
  const unsigned = Object.keys(headers).filter((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));
  if (!signedHeaders.includes('host') || unsigned.length > 0)
    return refuse('AccessDenied', `There were headers present in the request which were not signed: ${unsigned.join(', ')}`);

  const canonicalQuery = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const canonicalHeaders = signedHeaders
    .map(
      (name) =>
        `${name}:${String(headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}\n`,
    )
    .join('');
  const canonical = [method, path, canonicalQuery, canonicalHeaders, signedHeaders.join(';'), payloadHash].join('\n');
  const toSign = [ALGORITHM, date, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${options.secretKeyOf(accessKey)}`);
  if (!isSame(signature, hmac(key, toSign).toString('hex')))
    return refuse('SignatureDoesNotMatch', 'The request is not the one that was signed: method, path, query, length or headers differ');
  return refuseTime(parts, options) ?? { accessKey };
}
