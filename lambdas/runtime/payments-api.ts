import * as http from 'node:http';
import * as https from 'node:https';
import { guardedLookup } from './webhooks/sender';

/**
 * Reads from payment processors' APIs: bounded in time and size, without redirects, and never from private addresses unless a setting names
 * one.
 */

/** Largest response that is read, in bytes. */
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;

export interface JsonResponse {
  readonly status: number;
  /** The parsed JSON; undefined if it is none. */
  readonly body: unknown;
}

/**
 * Gets JSON.
 *
 * @param ms the whole exchange ends by then
 * @param isSetting true: the address is a deployment setting, which may be a private one and use `http:`
 * @throws when there is no complete response in time
 */
export function getJson(url: string, headers: Readonly<Record<string, string>>, ms: number, isSetting: boolean): Promise<JsonResponse> {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !isSetting) return Promise.reject(new Error('A processor is asked over https: only'));
  return new Promise((resolve, reject) => {
    const request = (target.protocol === 'https:' ? https : http).request(target, {
      headers: { Accept: 'application/json', ...headers },
      signal: AbortSignal.timeout(ms),
      ...(!isSetting && { lookup: guardedLookup }),
    });
    request.once('error', reject);
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_RESPONSE_BYTES) request.destroy(new Error('The response of the processor is too large'));
        else chunks.push(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) }));
    });
    request.end();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
