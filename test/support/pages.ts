import { existsSync, readFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import type { LocalRoute } from '../../infra/local/stack';
import { buildSite, cacheControl, contentSecurityPolicy, type Site } from '../../infra/site';

const types: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' };

let site: Site | undefined;

/** Serves the pages beside the API with the headers that they have in front of it; they are built when first asked for. */
export function pages(url: string | undefined): LocalRoute | undefined {
  const [, area, rest] = /^\/(admin|docs)(\/[^?#]*)?(?:[?#]|$)/.exec(url ?? '') ?? [];
  if (area !== 'admin' && area !== 'docs') return undefined;
  return (_request, response) => {
    site ??= buildSite();
    const path = normalize(rest === undefined || rest === '/' ? '/index.html' : rest);
    const file = join(site[area], path);
    if (path.includes('..') || !existsSync(file)) return void response.writeHead(404).end();
    response
      .writeHead(200, {
        'Content-Type': types[extname(file)] ?? 'application/octet-stream',
        'Content-Security-Policy': contentSecurityPolicy,
        'Cache-Control': cacheControl(path),
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      })
      .end(readFileSync(file));
  };
}
