import { createReadStream } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The request that uploads a file, as the service describes it. */
export interface Upload {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An upload is aborted if no byte was transferred for this number of milliseconds. */
const SILENCE_MS = 60_000;

/** The object store refused the upload: the bytes differ from the declared ones, or the upload URL has expired. */
export class UploadRefused extends Error {}

/**
 * Sends a file. It does not use `fetch`, because `fetch` sends a stream without its length.
 *
 * @param onProgress is called with the number of bytes that were just sent
 */
export async function send(
  path: string,
  size: number,
  { method, url, headers }: Upload,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
    method,
    headers: { ...headers, 'content-length': size },
    timeout: SILENCE_MS,
  });
  request.once('timeout', () => request.destroy(new Error(`No byte was sent for ${SILENCE_MS / 1000} s`)));
  const responded = new Promise<{ status: number; text: string }>((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject).once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onProgress(chunk.length);
      done(null, chunk);
    },
  });
  const sent = pipeline(createReadStream(path), counted, request);
  // If the store refuses the upload, sending the file fails as well. That error is ignored, because the response contains the reason.
  const [response] = await Promise.all([responded, sent.catch(() => undefined)]);
  if (response.status < 300) return;
  const [, reason = response.text] = /<Message>([^<]*)<\/Message>/.exec(response.text) ?? [];
  const refusal = `The upload was refused with ${response.status}: ${reason}`;
  throw response.status < 500 ? new UploadRefused(refusal) : new Error(refusal);
}
