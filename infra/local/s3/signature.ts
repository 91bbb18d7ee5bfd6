import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSame } from '../door';

/** Verifies AWS Signature Version 4 as S3 does: in the query of a presigned URL, or in the header of an AWS client's request. */

const ALGORITHM = 'AWS4-HMAC-SHA256';
const UNSIGNED = 'UNSIGNED-PAYLOAD';
/**
 * Maximum difference between the clocks of the client and the server, in milliseconds. It applies to signed headers; a presigned URL
 * contains its own time of validity.
 */
const SKEW_MS = 900_000;
/** Maximum validity of a presigned URL that S3 accepts: a week, in seconds. */
const MAX_EXPIRES = 604_800;

export interface SignedRequest {
  readonly method: string;
  /** The path and the query, unchanged. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export interface SignatureOptions {
  /** The session token of every access key. */
  readonly sessionToken: string;
  readonly secretKeyOf: (accessKey: string) => string;
  /** The time of the functions' clock and the real time, both in epoch milliseconds. AWS clients sign their requests with the real time. */
  readonly now: number;
  readonly realNow: number;
}

/** The error response to a request that is refused. */
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

/** Encodes a text by RFC 3986, as AWS does. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

interface Parts {
  readonly credential: string;
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly token: string | undefined;
  readonly payloadHash: string;
  /** The validity of a presigned URL in seconds; undefined for a request with signed headers. */
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

/** Converts a time like `20261120T141000Z` to epoch milliseconds; NaN if the text is not such a time. */
const timeOf = (date: string): number => Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));

function refuseTime({ date, expires }: Parts, { now, realNow }: SignatureOptions): Refused | undefined {
  const signedAt = timeOf(date);
  if (Number.isNaN(signedAt)) return refuse('AuthorizationQueryParametersError', 'X-Amz-Date is not a date', 400);
  if (expires === undefined) {
    return Math.abs(realNow - signedAt) > SKEW_MS ? refuse('RequestTimeTooSkewed', 'The time of the request is wrong') : undefined;
  }
  if (!Number.isInteger(expires) || expires < 1 || expires > MAX_EXPIRES)
    return refuse('AuthorizationQueryParametersError', 'X-Amz-Expires must be a number of seconds from 1 to 604800', 400);
  if (signedAt > now + SKEW_MS) return refuse('AccessDenied', 'Request is not valid yet');
  return now >= signedAt + expires * 1000 ? refuse('AccessDenied', 'Request has expired') : undefined;
}

/** Verifies the signature of a request. Returns the signer, or the reason to refuse the request. */
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
  if (!isScope) {
    const reason = 'The scope of the credential must be the day of X-Amz-Date, a region, s3 and aws4_request';
    return refuse('AuthorizationQueryParametersError', reason, 400);
  }
  if (!isSame(token, options.sessionToken)) return refuse('InvalidAccessKeyId', 'The access key does not belong to this run');
  // The host and all `x-amz-` headers must be signed, because the holder of a presigned URL could add or change unsigned headers.
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
