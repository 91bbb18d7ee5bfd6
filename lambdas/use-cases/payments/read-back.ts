import { adapters, type ApiResponse, type Notification, type ReadBack } from '../../domain/payments';
import type { Connection } from '../../domain/payments/connection';
import type { App } from '../../runtime/app';
import { log } from '../../runtime/observability/log';
import { getJson } from '../../runtime/payments-api';
import { apiKeyOf } from './secrets';

/** Maximum time, in ms, for all requests to a processor about one notification. (docs/spec/payments.md, Receiving) */
const READ_BACK_MS = 4000;

/** Sends a request to a processor's API. The result is undefined if the API did not respond in time. */
export type AskProcessor = (path: string) => Promise<ApiResponse | undefined>;

/** Creates a function that sends requests to the API of a connection's processor; undefined if the connection has no API key. */
export async function processorApi(app: App, connection: Connection): Promise<AskProcessor | undefined> {
  const apiKey = await apiKeyOf(app, connection);
  if (apiKey === null) return undefined;
  const adapter = adapters[connection.processor];
  const setting = app.config.processorApis[connection.processor];
  const base = setting ?? adapter.apiBase[connection.mode];
  const until = app.realClock() + READ_BACK_MS;
  return async (path) => {
    try {
      return await getJson(`${base}${path}`, adapter.apiHeaders(apiKey), Math.max(1, until - app.realClock()), setting !== undefined);
    } catch (error) {
      log.warn('PROCESSOR_SILENT', { connection_id: connection.id }, error);
      return undefined;
    }
  };
}

const isNeeded = ({ fills }: ReadBack, { customerEmail }: Notification): boolean => fills !== 'email' || customerEmail === null;

/**
 * Completes a notification with data from the processor's API. If there is no API key, or the API does not respond, the data stays missing,
 * because a license that can be issued without the data must not be delayed.
 *
 * @returns the notification, whose field `needs` lists the data that is still missing; or `unproven` if the notification needs proof and
 * the API does not respond. The caller must not process an unproven notification.
 */
export async function readBack(
  app: App,
  connection: Connection,
  notification: Notification,
  isProven = false,
): Promise<Notification | 'unproven'> {
  const needs = notification.needs.filter((need) => isNeeded(need, notification) && !(isProven && need.fills === 'proof'));
  const ask = needs.length > 0 ? await processorApi(app, connection) : undefined;
  if (!ask) return notification;
  const responses = await Promise.all(needs.map(({ path }) => ask(path)));
  let read = notification;
  const unmet: ReadBack[] = [];
  for (const [index, need] of needs.entries()) {
    const response = responses[index];
    const merged = response === undefined ? 'unavailable' : need.merge(read, response);
    if (merged !== 'unavailable') read = merged;
    else if (need.fills === 'proof') return 'unproven';
    else unmet.push(need);
  }
  return { ...read, needs: unmet };
}
