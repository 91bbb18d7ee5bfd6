import type { Delivery, License, Payment, Release } from '../api';
import { t } from '../texts';
import classes from './status.module.css';

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'accent';

type AnyStatus = License['status'] | Delivery['status'] | Payment['status'] | Release['status'];

const tones: Readonly<Record<AnyStatus, Tone>> = {
  active: 'good',
  expired: 'warn',
  suspended: 'warn',
  revoked: 'bad',
  delivered: 'good',
  failed: 'bad',
  skipped: 'idle',
  pending: 'accent',
  done: 'good',
  ignored: 'idle',
  held: 'bad',
  waiting: 'accent',
  draft: 'idle',
  published: 'good',
  yanked: 'bad',
};

/** The word for each status in the page's language. */
const names: Readonly<Record<AnyStatus, string>> = {
  active: t('Active'),
  expired: t('Expired'),
  suspended: t('Suspended'),
  revoked: t('Revoked'),
  delivered: t('Delivered'),
  failed: t('Failed'),
  skipped: t('Skipped'),
  pending: t('Pending'),
  done: t('Done'),
  ignored: t('Ignored'),
  held: t('Held'),
  waiting: t('Waiting'),
  draft: t('Draft'),
  published: t('Published'),
  yanked: t('Yanked'),
};

const meanings: Partial<Readonly<Record<AnyStatus, string>>> = {
  suspended: t('The license is refused until it is reinstated'),
  skipped: t('No webhook URL was set, or the webhook does not include this event'),
  held: t('A sale that can’t be processed yet: the reason says what is missing'),
  waiting: t('Processed as soon as the missing notification about the order arrives'),
  ignored: t('Requires no action'),
  draft: t('Offered to nobody until it is published'),
  yanked: t('Yanked: neither offered nor downloadable'),
};

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The name of a status in the page's language. An unknown status is returned with a capital first letter. */
export const statusWords = (status: string): string => (Object.hasOwn(names, status) ? names[status as AnyStatus] : capitalized(status));

/** The words for the result of a delivery. If a mail bounced after its delivery, the words say so. */
export const deliveryWords = ({ status, bounce }: Pick<Delivery, 'status' | 'bounce'>): string =>
  status !== 'delivered' || !bounce ? statusWords(status) : bounce.type === 'complaint' ? t('Reported as spam') : t('Bounced');

/** The result of a delivery as a coloured word. @param words shown instead of the usual words */
export const DeliveryStatus = ({ delivery, words }: { delivery: Pick<Delivery, 'status' | 'bounce'>; words?: string }) => (
  <Status
    status={delivery.status === 'delivered' && delivery.bounce ? 'failed' : delivery.status}
    words={words ?? deliveryWords(delivery)}
  />
);

/** A status as a coloured word. The colour only repeats the meaning of the word. @param words shown instead of the status's name */
export function Status({ status, words }: { status: keyof typeof tones; words?: string }) {
  return (
    <span className={`${classes['status'] ?? ''} ${classes[tones[status]] ?? ''}`} title={meanings[status]}>
      <span className={status === 'pending' ? classes['pulse'] : classes['dot']} />
      {words ?? statusWords(status)}
    </span>
  );
}
