import type { SNSEvent } from 'aws-lambda';
import { readMailFeedback, stopsMails } from '../domain/mail-feedback';
import { getApp, type Invocation } from '../runtime/app';
import { log } from '../runtime/observability/log';
import { getDelivery, recordBounce } from '../store/events/record';
import { suppress } from '../store/suppressions';

/**
 * Records that a mail bounced or was reported as spam (docs/spec/mail.md, Bounces and complaints). A topic passes the notifications of
 * Amazon SES. A notification that arrives twice changes nothing further.
 */
export const handler = async ({ Records }: SNSEvent, context: Invocation): Promise<void> => {
  const { table } = getApp(context);
  for (const { Sns } of Records) {
    const feedback = readMailFeedback(Sns.Message);
    const delivery = feedback && (await getDelivery(table, feedback.event_id));
    if (!feedback || delivery?.channel !== 'mail') {
      log.warn('BOUNCE_IGNORED', { message_id: Sns.MessageId });
      continue;
    }
    const { event_id, address, at, type, reason } = feedback;
    const bounce = { at, type, reason };
    if (stopsMails(feedback)) await suppress(table, delivery.product_id, address, bounce);
    await recordBounce(table, event_id, bounce);
    log.warn('MAIL_BOUNCED', { event_id, product_id: delivery.product_id, type, reason });
  }
};
