import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileFolders } from '../../lambdas/contract/access';
import { KEPT_FOR_EVER } from '../../lambdas/contract/edge';
import { CHECKSUM, type FileStore } from '../../lambdas/runtime/file-store';
import { securityHeaders } from '../page-headers';
import { isSame } from './admin-route';
import type { LocalRoute } from './http';
import { BadDigest, openObjects, type ObjectDescription, type Objects } from './objects';
import { decode } from './router';

/**
 * The files of releases and the logos, in a folder. As in a deployment, the service signs a URL with which the caller uploads or downloads
 * one file. The signature is valid in this run only, covers everything that the store checks, and expires by the test clock.
 */

const PREFIX = '/_local/files/';
const LOGOS = `/${fileFolders.logos}/`;
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

export interface LocalFiles {
  readonly store: FileStore;
  /** The route of a path that belongs to a file; undefined for other paths. */
  routeOf(path: string): LocalRoute | undefined;
}

/** What the signature of a URL covers. The last three fields are empty for a download. */
interface Grant {
  readonly method: 'GET' | 'PUT';
  readonly key: string;
  /** When the URL expires, in epoch ms. */
  readonly until: number;
  readonly type?: string;
  readonly checksum?: string;
  readonly size?: number;
}

/** @param baseUrl returns the base URL of the run */
export function open(folder: string, now: () => number, baseUrl: () => string): LocalFiles {
  const objects = openObjects(folder, now);
  const secret = randomBytes(32);
  const signatureOf = ({ method, key, until, type, checksum, size }: Grant): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify([method, key, until, type, checksum, size]))
      .digest('base64url');
  const sign = (grant: Grant): string => {
    const query = new URLSearchParams({ until: String(grant.until), signature: signatureOf(grant) });
    return `${baseUrl()}${PREFIX}${grant.key.split('/').map(encodeURIComponent).join('/')}?${query.toString()}`;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '', search] = (request.url ?? '').split('?', 2);
    const key = decode(path.slice(PREFIX.length));
    const query = new URLSearchParams(search);
    const until = Number(query.get('until'));
    const { method, headers } = request;
    const grant: Grant | undefined =
      method === 'PUT'
        ? {
            method,
            key,
            until,
            type: headers['content-type'] ?? '',
            checksum: String(headers[CHECKSUM]),
            size: Number(headers['content-length']),
          }
        : method === 'GET' || method === 'HEAD'
          ? { method: 'GET', key, until }
          : undefined;
    if (!grant || !isSame(query.get('signature'), signatureOf(grant)))
      return refuse(request, response, 403, 'SignatureDoesNotMatch: method, path, length or headers differ from those that were signed');
    if (now() >= until) return refuse(request, response, 403, 'AccessDenied: Request has expired');
    return grant.method === 'PUT' ? put(request, response, objects, grant) : get(request, response, objects, key);
  };

  /** Serves a logo with the headers that CloudFront sends in a deployment. */
  const serveLogo = (request: IncomingMessage, response: ServerResponse): void | Promise<void> => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const key = decode(path.slice(1));
    if (!objects.find(key) || (request.method !== 'GET' && request.method !== 'HEAD'))
      return refuse(request, response, 403, 'AccessDenied: there is no such logo');
    response.setHeader('Cache-Control', KEPT_FOR_EVER);
    return get(request, response, objects, key);
  };

  return {
    routeOf: (path) => (path.startsWith(PREFIX) ? serve : path.startsWith(LOGOS) ? serveLogo : undefined),
    store: {
      signUpload: ({ key, size, sha256, contentType }, seconds, at) => {
        const headers = { 'content-type': contentType, [CHECKSUM]: base64(sha256) };
        const until = at + seconds * 1000;
        return Promise.resolve({
          url: sign({ method: 'PUT', key, until, type: contentType, checksum: headers[CHECKSUM], size }),
          headers,
        });
      },
      signDownload: ({ key }, seconds, at) => Promise.resolve(sign({ method: 'GET', key, until: at + seconds * 1000 })),
      isUploaded: ({ key, size, sha256 }) => {
        const found = objects.find(key);
        return Promise.resolve(found?.size === size && found.sha256 === sha256);
      },
      read: async (key) => {
        const object = objects.find(key);
        return object && buffer(objects.read(object, 0, object.size - 1));
      },
      publish: async ({ key, contentType }, content) => {
        await objects.put(key, Readable.from([content]), { size: content.length, contentType });
      },
      remove: (key) => Promise.resolve(objects.delete(key)),
    },
  };
}

async function put(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Objects,
  { key, type, checksum, size }: Grant,
): Promise<void> {
  const sha256 = Buffer.from(checksum ?? '', 'base64').toString('hex');
  try {
    const stored = await objects.put(key, request, { size: size ?? 0, sha256, contentType: type ?? '' });
    response.writeHead(200, { ETag: etagOf(stored) }).end();
  } catch (error) {
    if (!(error instanceof BadDigest)) throw error;
    refuse(request, response, 400, 'BadDigest: the content does not have the SHA-256 hash or the size that were signed');
  }
}

const etagOf = ({ sha256 }: Pick<ObjectDescription, 'sha256'>): string => `"${sha256.slice(0, 32)}"`;

async function get(request: IncomingMessage, response: ServerResponse, objects: Objects, key: string): Promise<void> {
  const object = objects.find(key);
  if (!object) return refuse(request, response, 404, 'NoSuchKey: there is no such file');
  const { size, contentType, modified } = object;
  const { 'if-range': ifRange, range: header } = request.headers;
  const range = ifRange === undefined || ifRange === etagOf(object) ? rangeOf(header, size) : undefined;
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`);
    return refuse(request, response, 416, 'InvalidRange: the file does not contain this range');
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  response.writeHead(range ? 206 : 200, {
    'Accept-Ranges': 'bytes',
    'Content-Type': contentType,
    'Content-Length': last - first + 1,
    ETag: etagOf(object),
    'Last-Modified': new Date(modified).toUTCString(),
    'X-Content-Type-Options': 'nosniff',
    ...(range && { 'Content-Range': `bytes ${first}-${last}/${size}` }),
  });
  if (request.method === 'HEAD' || size === 0) return void response.end();
  await pipeline(objects.read(object, first, last), response);
}

/**
 * The range of bytes, including both ends, that a `Range` header requests (RFC 9110, 14.2). It is undefined if the whole file must be sent.
 * Like Amazon S3, the store also sends the whole file if a request names several ranges.
 */
export function rangeOf(header: string | undefined, size: number): { first: number; last: number } | 'unsatisfiable' | undefined {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') return Number(to) === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(0, size - Number(to)), last: size - 1 };
  const first = Number(from);
  if (first >= size) return 'unsatisfiable';
  if (to === '') return { first, last: size - 1 };
  return Number(to) < first ? undefined : { first, last: Math.min(Number(to), size - 1) };
}

/** Refuses a request with a text. The rest of the request is dropped. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(request.method === 'HEAD' ? undefined : message);
  request.resume();
}
