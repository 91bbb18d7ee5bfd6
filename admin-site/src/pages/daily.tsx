import type { Overview } from '../api';
import { dayName } from '../format';
import { href } from '../router';
import { number, plural, t } from '../texts';
import { Days, type Series } from '../ui/chart';
import { Panel } from '../ui/page';
import { Views } from '../ui/views';
import classes from './daily.module.css';

/** Charts with a bar per day: issued licenses, renewed licenses and, if the charts are about one product, expiring licenses. */

/** The selectable numbers of days. */
const spans = [7, 30, 90] as const;
export type Span = (typeof spans)[number];
export const DEFAULT_SPAN: Span = 30;
export const spanOf = (text: string | null): Span => spans.find((span) => String(span) === text) ?? DEFAULT_SPAN;

/** The query parameter for a number of days; undefined for the default. */
export const spanQuery = (span: Span): string | undefined => (span === DEFAULT_SPAN ? undefined : String(span));

/** The title above the charts, with links to choose the number of days. */
export function DailyHead({ title, span, to }: { title: string; span: Span; to: (span: Span) => string }) {
  return (
    <div className={classes['head']}>
      <h2>{title}</h2>
      <Views
        label={t('Days shown')}
        views={spans.map((one) => ({ name: plural(one, '{count} day', '{count} days'), to: to(one), isCurrent: one === span }))}
      />
    </div>
  );
}

const issued: readonly Series<'issued'>[] = [
  { name: 'issued', label: t('Issued'), words: (count) => t('{count} issued', { count }), colour: 'accent' },
];
const renewed: readonly Series<'renewed'>[] = [
  { name: 'renewed', label: t('Renewed'), words: (count) => t('{count} renewed', { count }), colour: 'good' },
];
const expiring: readonly Series<'expiring'>[] = [
  { name: 'expiring', label: t('Expiring'), words: (count) => t('{count} expiring', { count }), colour: 'warn' },
];

/** The kinds of events that a chart counts. */
export type Daily = 'issued' | 'renewed' | 'expiring';

/** The URL of the page that lists the licenses issued on a day, or the licenses that expire on that day. */
export function dayList(productId: number, what: 'issued' | 'expiring', date: string): string {
  // The charts count by UTC days.
  const day = `${date}Z`;
  return href(
    `/products/${productId}/licenses`,
    what === 'issued' ? { issued_from: day, issued_to: day } : { status: 'active', expires_from: day, expires_to: day, sort: 'expires_at' },
  );
}

/**
 * @param ahead the numbers of the coming days; undefined to leave out the chart of expiring licenses
 * @param linkOf the URL to which a day's bar links; returns undefined for a bar without a link
 */
export function DailyCharts({
  days,
  ahead,
  linkOf,
}: {
  days: readonly Pick<Overview['days'][number], 'date' | 'issued' | 'renewed'>[];
  ahead?: Overview['expiring_days'];
  linkOf: (what: Daily, date: string) => string | undefined;
}) {
  const span = number(days.length);
  const capped = ahead?.find((day) => day.capped);
  return (
    <div className={classes['three']}>
      <Panel title={t('Issued, last {days} days', { days: span })}>
        <Days
          title={t('Issued by day')}
          days={days}
          series={issued}
          none={t('No license was issued on these days.')}
          linkOf={({ date }) => linkOf('issued', date)}
        />
      </Panel>
      <Panel title={t('Renewed, last {days} days', { days: span })}>
        <Days
          title={t('Renewed by day')}
          days={days}
          series={renewed}
          none={t('No license was renewed on these days.')}
          linkOf={({ date }) => linkOf('renewed', date)}
        />
      </Panel>
      {ahead && (
        <Panel title={t('Expiring, next {days} days', { days: span })}>
          <Days
            title={t('Expiring by day')}
            days={ahead}
            series={expiring}
            none={t('No license expires on these days.')}
            linkOf={({ date }) => linkOf('expiring', date)}
            isCapped={({ date }) => capped !== undefined && date >= capped.date}
          />
          {capped && (
            <p className={classes['note']}>
              {t('There are too many licenses to count all of them. From {date} on, the real numbers may be higher.', {
                date: dayName(capped.date),
              })}
            </p>
          )}
        </Panel>
      )}
    </div>
  );
}
