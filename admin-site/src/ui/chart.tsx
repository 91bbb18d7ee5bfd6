import { useState, type KeyboardEvent } from 'react';
import { dateOf } from '../../../lambdas/domain/time';
import { dayName } from '../format';
import { Link } from '../router';
import { number, percent, t } from '../texts';
import { axisTop } from './axis';
import classes from './chart.module.css';
import hidden from './hidden.module.css';

/** One of the numbers that a chart shows for each day, with a label and a colour. */
export interface Series<Name extends string> {
  readonly name: Name;
  readonly label: string;
  /** The label with a number: `3 issued`. */
  readonly words: (count: string) => string;
  readonly colour: 'accent' | 'good' | 'warn' | 'bad' | 'idle';
}

function Legend<Name extends string>({
  series,
  totals,
  linkOf,
}: {
  series: readonly Series<Name>[];
  totals: Readonly<Record<Name, number>>;
  linkOf?: ((name: Name) => string) | undefined;
}) {
  return (
    <ul className={classes['legend']}>
      {series.map(({ name, label, colour }) => (
        <li key={name}>
          <span className={`${classes['swatch'] ?? ''} ${classes[colour] ?? ''}`} />
          {linkOf ? <Link to={linkOf(name)}>{label}</Link> : label} <strong>{number(totals[name])}</strong>
        </li>
      ))}
    </ul>
  );
}

type Day<Name extends string> = Readonly<Record<Name, number>> & { readonly date: string };

const sum = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number =>
  rows.reduce((total, row) => total + row[name], 0);
const totalsOf = <Name extends string>(
  rows: readonly Readonly<Record<Name, number>>[],
  series: readonly Series<Name>[],
): Record<Name, number> => Object.fromEntries(series.map(({ name }) => [name, sum(rows, name)])) as Record<Name, number>;

/** A stripe pattern for failures, because colour alone must not mark them. Charts refer to the pattern by its id. */
const Stripes = ({ id, scale = 1 }: { id: string; scale?: number }) => (
  <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform={`rotate(45) scale(${scale})`}>
    <rect className={classes['stripeGround']} width="5" height="5" />
    <rect className={classes['stripe']} width="1.8" height="5" />
  </pattern>
);

/** Defines the stripe patterns that the charts of a page share. */
const Defined = () => (
  <svg className={hidden['hidden']} aria-hidden="true">
    <defs>
      <Stripes id="stripes" />
    </defs>
  </svg>
);

const today = (): string => dateOf(Date.now());

/** If a chart shows more than this number of days, its bars have almost no gaps. */
const MANY = 45;

/** The keys that move the focus to another bar. Each function returns the index of the bar that gets the focus. */
const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/**
 * A chart with one stacked bar for each day. The line below the chart shows the numbers of the bar that has the focus or is under the
 * pointer. Screen readers read the numbers as the name of each link, or as a table if no bar is a link.
 *
 * @param none the message if all numbers are 0
 * @param linkOf returns the URL to which the bar of a day leads. An empty day has no link. The Tab key reaches one of the links, and the
 * arrow keys move the focus to the other links
 * @param isCapped returns true if the real numbers of a day may be higher than the shown numbers
 */
export function Days<Name extends string>({
  title,
  days,
  series,
  none,
  linkOf,
  isCapped = () => false,
}: {
  title: string;
  days: readonly Day<Name>[];
  series: readonly Series<Name>[];
  none: string;
  linkOf?: (day: Day<Name>) => string | undefined;
  isCapped?: (day: Day<Name>) => boolean;
}) {
  const [read, setRead] = useState<string>();
  const [reached, setReached] = useState<string>();
  const totalOf = (day: Day<Name>): number => series.reduce((total, { name }) => total + day[name], 0);
  const most = Math.max(0, ...days.map(totalOf));
  if (most === 0) return <p className={classes['none']}>{none}</p>;
  const top = axisTop(most);
  const words = (day: Day<Name>): string =>
    `${dayName(day.date)}: ${series.map(({ name, words: inWords }) => inWords(isCapped(day) ? t('{count} or more', { count: number(day[name]) }) : number(day[name]))).join(', ')}`;
  const endName = (day: Day<Name> | undefined): string | undefined => day && (day.date === today() ? t('Today') : dayName(day.date));
  const targets = new Map(
    days.flatMap((day) => (totalOf(day) > 0 && linkOf?.(day) !== undefined ? [[day.date, linkOf(day) as string] as const] : [])),
  );
  const tabStop = reached !== undefined && targets.has(reached) ? reached : [...targets.keys()].at(-1);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const bars = [...event.currentTarget.querySelectorAll('a')];
    const to = moves[event.key]?.(
      bars.findIndex((bar) => bar === document.activeElement),
      bars.length,
    );
    if (to === undefined) return;
    event.preventDefault();
    bars[Math.min(Math.max(to, 0), bars.length - 1)]?.focus();
  };
  return (
    <figure className={classes['figure']}>
      <Defined />
      <Legend series={series} totals={totalsOf(days, series)} />
      <div className={classes['plot']}>
        <span className={classes['axis']} aria-hidden="true">
          <span>{number(top)}</span>
          <span>{number(top / 2)}</span>
          <span>0</span>
        </span>
        <div
          className={`${classes['days'] ?? ''} ${days.length > MANY ? (classes['many'] ?? '') : ''}`}
          {...(targets.size > 0 ? { role: 'group', 'aria-label': title, onKeyDown } : { 'aria-hidden': true })}
          onMouseLeave={() => setRead(undefined)}
          onBlur={() => setRead(undefined)}
        >
          {days.map((day) => {
            const target = targets.get(day.date);
            const show = (): void => setRead(words(day));
            const bars = series.map(({ name, colour }) => day[name] > 0 && <Bar key={name} colour={colour} share={day[name] / top} />);
            return target === undefined ? (
              <div
                key={day.date}
                className={classes['day']}
                onMouseEnter={show}
                {...(targets.size > 0 && totalOf(day) > 0 && { role: 'img', 'aria-label': words(day) })}
              >
                {bars}
              </div>
            ) : (
              <Link
                key={day.date}
                to={target}
                className={classes['day']}
                aria-label={words(day)}
                tabIndex={day.date === tabStop ? 0 : -1}
                onMouseEnter={show}
                onFocus={() => {
                  setReached(day.date);
                  show();
                }}
              >
                {bars}
              </Link>
            );
          })}
        </div>
      </div>
      <div className={classes['ends']} aria-hidden="true">
        <span>{endName(days[0])}</span>
        <strong>{read}</strong>
        <span>{endName(days.at(-1))}</span>
      </div>
      {targets.size === 0 && (
        <div className={hidden['hidden']}>
          <table>
            <caption>{title}</caption>
            <tbody>
              {days.map((day) => (
                <tr key={day.date}>
                  <td>{words(day)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
}

/** A part of a day's bar. Its height is an attribute, because the page's policy refuses inline styles. */
const Bar = ({ colour, share }: { colour: Series<string>['colour']; share: number }) => (
  <svg className={classes['bar']} height={`${Math.max(share * 100, 1)}%`}>
    <rect className={classes[colour]} width="100%" height="100%" />
  </svg>
);

/** Horizontal bars, one per row, divided into shares. */
export function Shares<Name extends string>({
  rows,
  series,
  linkOf,
}: {
  rows: readonly (Readonly<Record<Name, number>> & { readonly id: number; readonly label: string })[];
  series: readonly Series<Name>[];
  linkOf: (row: { readonly id: number }) => string;
}) {
  const totalOf = (row: Readonly<Record<Name, number>>): number => series.reduce((total, { name }) => total + row[name], 0);
  const top = Math.max(1, ...rows.map(totalOf));
  return (
    <figure className={classes['figure']}>
      <Defined />
      <Legend series={series} totals={totalsOf(rows, series)} />
      <ul className={classes['shares']}>
        {rows.map((row) => {
          let left = 0;
          return (
            <li key={row.id}>
              <span className={classes['shareName']}>
                <Link to={linkOf(row)} title={row.label}>
                  <bdi>{row.label}</bdi>
                </Link>
                <span className={hidden['hidden']}>: {series.map(({ name, words }) => words(number(row[name]))).join(', ')}</span>
              </span>
              <strong>{number(totalOf(row))}</strong>
              <svg className={classes['share']} aria-hidden="true">
                <rect className={classes['track']} width="100%" height="100%" />
                {series.map(({ name, colour }) => {
                  const width = (row[name] / top) * 100;
                  left += width;
                  return <rect key={name} className={classes[colour]} x={`${left - width}%`} width={`${width}%`} height="100%" />;
                })}
              </svg>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}

interface Ranked {
  readonly id: string;
  readonly label: string;
  readonly count: number;
}

/**
 * Horizontal bars for the most frequent values, with their shares of all.
 *
 * @param rest what the values leave out; shown at the end, in another colour
 * @param of the number of which the counts are shares
 */
export const Ranking = ({ rows, rest, of }: { rows: readonly Ranked[]; rest: readonly Ranked[]; of: number }) => (
  <ul className={`${classes['shares'] ?? ''} ${classes['ranking'] ?? ''}`}>
    {[...rows, ...rest].map(({ id, label, count }, place) => (
      <li key={`${place < rows.length ? 'value' : 'rest'} ${id}`}>
        <span className={classes['shareName']} title={label}>
          <bdi>{label}</bdi>
        </span>
        <span className={classes['rank']}>
          <strong>{number(count)}</strong> {percent(count / of)}
        </span>
        <svg className={classes['share']} aria-hidden="true">
          <rect className={classes['track']} width="100%" height="100%" />
          <rect className={place < rows.length ? classes['accent'] : classes['idle']} width={`${(count / of) * 100}%`} height="100%" />
        </svg>
      </li>
    ))}
  </ul>
);

/** A ring divided into shares, with the total in the middle. */
export function Ring<Name extends string>({
  counts,
  series,
  unit,
  linkOf,
}: {
  counts: Readonly<Record<Name, number>>;
  series: readonly Series<Name>[];
  unit: string;
  linkOf?: (name: Name) => string;
}) {
  const total = series.reduce((sum, { name }) => sum + counts[name], 0);
  let before = 0;
  return (
    <figure className={classes['ringFigure']}>
      <div className={classes['ringBox']}>
        <svg className={classes['ring']} viewBox="0 0 42 42" aria-hidden="true">
          <defs>
            <Stripes id="ring-stripes" scale={0.28} />
          </defs>
          <circle className={classes['ringTrack']} cx="21" cy="21" r="15.915" />
          {total > 0 &&
            series.map(({ name, colour }) => {
              const share = (counts[name] / total) * 100;
              before += share;
              return (
                <circle
                  key={name}
                  className={`${classes['arc'] ?? ''} ${classes[colour] ?? ''}`}
                  cx="21"
                  cy="21"
                  r="15.915"
                  strokeDasharray={`${share} ${100 - share}`}
                  strokeDashoffset={25 - before + share}
                />
              );
            })}
        </svg>
        <div className={classes['ringText']}>
          <strong>{number(total)}</strong>
          <span>{unit}</span>
        </div>
      </div>
      <Legend series={series} totals={counts} linkOf={linkOf} />
    </figure>
  );
}
