import * as http from 'node:http';
import * as https from 'node:https';
import { guardedLookup } from './webhooks/sender';

/**
 * Requests to payment processors' APIs. Time and response size are limited, and redirects are not followed. Private IP addresses are
 * refused, unless the URL comes from a deployment setting.
 */

/** Maximum size of a response, in bytes. */
const MAX_RESPONSE_BYTES = 5 * 1024 * 1024;

export interface JsonResponse {
  readonly status: number;
  /** The parsed JSON; undefined if the response is not valid JSON. */
  readonly body: unknown;
}

/**
 * Gets a JSON document.
 *
 * @param ms maximum time of the whole request and response
 * @param isSetting true if the URL comes from a deployment setting; such a URL may use `http:` and a private IP address
 * @throws Error if no complete response arrives in time
 */
export function getJson(url: string, headers: Readonly<Record<string, string>>, ms: number, isSetting: boolean): Promise<JsonResponse> {
  const target = new URL(url);
  if (target.protocol !== 'https:' && !isSetting)
    return Promise.reject(new Error("The address of a processor's API must be an https: URL"));
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
