import * as z from 'zod/mini';
import { fail } from '../../lambdas/contract/errors';
import { bounceTypes, type BounceType } from '../../lambdas/contract/events';
import type { App } from '../../lambdas/runtime/app';
import { adminRoute } from './admin-route';
import type { LocalRoute } from './http';
import { workerHandler } from './workers';

/** Lets a tester report that a mail bounced, because no mail of a local run leaves this computer. */

/** The path on which a bounce is reported. */
export const BOUNCES_PATH = '/_local/mail/bounces';

const report = z.object({ event_id: z.string(), to: z.string(), type: z._default(z.enum(bounceTypes), 'permanent') });

/** The notification that Amazon SES would publish about a mail, as the function gets it. */
export function bounceNotification(event_id: string, to: string, type: BounceType, at: Date): object {
  const timestamp = at.toISOString();
  const bounce = {
    bounceType: type === 'permanent' ? 'Permanent' : 'Transient',
    bounceSubType: type === 'permanent' ? 'General' : 'MailboxFull',
    bouncedRecipients: [{ emailAddress: to, status: type === 'permanent' ? '5.1.1' : '4.2.2' }],
    timestamp,
  };
  const complaint = { complainedRecipients: [{ emailAddress: to }], complaintFeedbackType: 'abuse', timestamp };
  const Message = JSON.stringify({
    eventType: type === 'complaint' ? 'Complaint' : 'Bounce',
    ...(type === 'complaint' ? { complaint } : { bounce }),
    mail: { timestamp, destination: [to], tags: { event_id: [event_id] } },
  });
  return { Records: [{ EventSource: 'aws:sns', Sns: { MessageId: event_id, Timestamp: timestamp, Message } }] };
}

/** The route on which callers with the admin token report a bounce. */
export const route = (app: App, adminToken: string): LocalRoute =>
  adminRoute(adminToken, async ({ method }, body) => {
    if (method !== 'POST') return undefined;
    const { data } = report.safeParse(body);
    if (!data) return fail('invalid_request', `event_id and to are required; type is one of ${bounceTypes.join(', ')}`);
    await workerHandler<object, void>('bounces')(bounceNotification(data.event_id, data.to, data.type, new Date()), { app });
    return { reported: true };
  });
