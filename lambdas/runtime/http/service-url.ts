import type { App } from '../app';
import { header, type RequestEvent } from './request';
import { basePath } from './response';

/**
 * The service's URL to give to others, without a trailing slash: the deployment's public address, or the address of this request if no
 * public address is set.
 */
export function serviceUrl(app: Pick<App, 'config'>, event: RequestEvent): string {
  const { publicUrl } = app.config;
  if (publicUrl !== undefined) return publicUrl;
  const protocol = header(event, 'x-forwarded-proto') ?? 'http';
  return `${protocol}://${header(event, 'host') ?? 'localhost'}${basePath(event)}`;
}
