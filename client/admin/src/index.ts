export { createAdminClient, nextCursor, type AdminClient, type AdminClientOptions, type ListPath, type Page } from './client';
export { AdminApiError, dataOf } from './result';
export { verifyWebhook, WebhookVerificationError, type WebhookEvent, type WebhookHeaders } from './webhook';
export type { components, operations, paths } from './generated/openapi';
