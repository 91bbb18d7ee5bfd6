import type { App } from '../app';
import { header, type RequestEvent } from './request';
import { basePath } from './response';

/**
 * The base URL for links to the service, without a trailing slash. It is the deployment's public URL, or the URL of this request if no
 * public URL is set.
 */
export function serviceUrl(app: Pick<App, 'config'>, event: RequestEvent): string {
  const { publicUrl } = app.config;
  if (publicUrl !== undefined) return publicUrl;
  const protocol = header(event, 'x-forwarded-proto') ?? 'http';
  return `${protocol}://${header(event, 'host') ?? 'localhost'}${basePath(event)}`;
}
