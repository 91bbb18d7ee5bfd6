import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import * as z from 'zod/mini';
import { pagesFolder } from '../built';
import { cacheControl, contentType, securityHeaders } from '../page-headers';
import { isPackage, root } from '../root';
import type { LocalRoute } from './http';
import { decode } from './router';

/** Serves the pages with the paths and headers of a deployment. */

/** The result of the distribution's function: either the path of a file, or a response that ends the request. */
const viewerRequest = z.union([
  z.object({ statusCode: z.int(), headers: z.record(z.string(), z.object({ value: z.string() })), body: z.string() }),
  z.object({ uri: z.string() }),
]);

/**
 * Builds the pages, or finds them in the cache, and returns their folder. Another process builds them, because building takes some seconds,
 * in which this process must respond to requests.
 */
async function build(): Promise<string> {
  if (isPackage) return pagesFolder();
  const script = "console.log(require('./infra/site').keptFolder())";
  const { stdout } = await promisify(execFile)(process.execPath, ['--require', 'tsx/cjs', '--eval', script], { cwd: root });
  return stdout.trim();
}

/** Returns a function that finds the route of a page. Its result is undefined if the path belongs to the API. */
export function createPages(): (method: string, path: string) => LocalRoute | undefined {
  const context = createContext({});
  runInContext(readFileSync(join(root, 'infra/viewer-request.js'), 'utf8'), context);
  let folder: Promise<string> | undefined;

  const serve = async (method: string, path: string, ifNoneMatch: string | undefined, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    context['event'] = { context: { requestId: response.getHeader('X-Request-Id') ?? randomUUID() }, request: { method, uri: path } };
    const seen = viewerRequest.parse(runInContext('handler(event)', context));
    if ('statusCode' in seen) {
      for (const [name, { value }] of Object.entries(seen.headers)) response.setHeader(name, value);
      return void response.writeHead(seen.statusCode).end(seen.body);
    }
    const key = decode(seen.uri);
    // After a failure, the next request builds the pages again.
    const built = await (folder ??= build()).catch((error: unknown) => {
      folder = undefined;
      throw error;
    });
    const file = join(built, key);
    if (!existsSync(file)) return void response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such file');
    const content = readFileSync(file);
    const etag = `"${createHash('md5').update(content).digest('hex')}"`;
    response.setHeader('ETag', etag).setHeader('Cache-Control', cacheControl(key));
    if (ifNoneMatch === etag) return void response.writeHead(304).end();
    response.writeHead(200, { 'Content-Type': contentType(key), 'Content-Length': content.length });
    response.end(method === 'HEAD' ? undefined : content);
  };

  return (method, path) =>
    /^\/(admin|docs)(\/|$)|^\/portal\//.test(path)
      ? (request, response) => serve(method, path, request.headers['if-none-match'], response)
      : undefined;
}
