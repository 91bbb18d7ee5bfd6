import { date, number } from '../format';
import { Link } from '../router';
import classes from './chart.module.css';

/** What a chart shows of one thing. */
export interface Series<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly colour: 'accent' | 'good' | 'warn' | 'bad' | 'idle';
}

function Legend<Name extends string>({ series, totals, linkOf }: { series: readonly Series<Name>[]; totals: Readonly<Record<Name, number>>; linkOf?: ((name: Name) => string) | undefined }) {
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

const sum = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number => rows.reduce((total, row) => total + row[name], 0);
const totalsOf = <Name extends string>(rows: readonly Readonly<Record<Name, number>>[], series: readonly Series<Name>[]): Record<Name, number> =>
  Object.fromEntries(series.map(({ name }) => [name, sum(rows, name)])) as Record<Name, number>;

/** A round number at or above the largest value, so that the axis can be read. */
function ceiling(value: number): number {
  if (value <= 5) return Math.max(1, value);
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * step).find((candidate) => candidate >= value) ?? value;
}

/** Stripes, so that failures differ by more than their hue. Charts refer to them by their id. */
const Stripes = ({ id, scale = 1 }: { id: string; scale?: number }) => (
  <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform={`rotate(45) scale(${scale})`}>
    <rect className={classes['stripeGround']} width="5" height="5" />
    <rect className={classes['stripe']} width="1.8" height="5" />
  </pattern>
);

/** The stripes for the charts of a page. */
const Defined = () => (
  <svg className={classes['hidden']} aria-hidden="true">
    <defs>
      <Stripes id="stripes" />
    </defs>
  </svg>
);

/**
 * Days as stacked bars. Each bar shows its numbers on hover; screen readers get a table.
 *
 * @param none what is said if there is nothing to show
 * @param onChoose where a click on a day leads, for pointers: whatever it leads to is linked elsewhere too
 */
export function Days<Name extends string>({ title, days, series, none, onChoose }: {
  title: string;
  days: readonly Day<Name>[];
  series: readonly Series<Name>[];
  none: string;
  onChoose?: (day: Day<Name>) => void;
}) {
  const totalOf = (day: Day<Name>): number => series.reduce((total, { name }) => total + day[name], 0);
  const most = Math.max(0, ...days.map(totalOf));
  const first = days[0];
  const last = days.at(-1);
  const words = (day: Day<Name>): string => `${date(`${day.date}T12:00:00Z`)}: ${series.map(({ name, label }) => `${number(day[name])} ${label.toLowerCase()}`).join(', ')}`;
  if (most === 0) return <p className={classes['none']}>{none}</p>;
  const top = ceiling(most);
  const half = top / 2;
  return (
    <figure className={classes['figure']}>
      <Defined />
      <Legend series={series} totals={totalsOf(days, series)} />
      <div className={classes['plot']}>
        <span className={classes['axis']} aria-hidden="true">
          <span>{number(top)}</span>
          <span>{Number.isInteger(half) ? number(half) : ''}</span>
          <span>0</span>
        </span>
        <div className={classes['days']} aria-hidden="true">
          {days.map((day) => (
            <div key={day.date} className={`${classes['day'] ?? ''} ${onChoose && totalOf(day) > 0 ? (classes['leads'] ?? '') : ''}`} title={words(day)} {...(onChoose && totalOf(day) > 0 && { onClick: () => onChoose(day) })}>
              {series.map(({ name, colour }) => day[name] > 0 && <Bar key={name} colour={colour} share={day[name] / top} />)}
            </div>
          ))}
        </div>
      </div>
      <div className={classes['ends']} aria-hidden="true">
        <span>{first && date(`${first.date}T12:00:00Z`)}</span>
        <span>{last && 'Today'}</span>
      </div>
      <div className={classes['hidden']}>
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
    </figure>
  );
}

/** A part of a day's bar. Its height is an attribute: the page's policy refuses styles in elements. */
const Bar = ({ colour, share }: { colour: Series<string>['colour']; share: number }) => (
  <svg className={classes['bar']} height={`${Math.max(share * 100, 1)}%`}>
    <rect className={classes[colour]} width="100%" height="100%" />
  </svg>
);

/** Shares of wholes as horizontal bars, one for each row. */
export function Shares<Name extends string>({ rows, series, linkOf }: {
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
                <span className={classes['hidden']}>: {series.map(({ name, label }) => `${number(row[name])} ${label.toLowerCase()}`).join(', ')}</span>
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

/** Shares of one whole as a ring with the total in its middle. */
export function Ring<Name extends string>({ counts, series, unit, linkOf }: { counts: Readonly<Record<Name, number>>; series: readonly Series<Name>[]; unit: string; linkOf?: (name: Name) => string }) {
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
              return <circle key={name} className={`${classes['arc'] ?? ''} ${classes[colour] ?? ''}`} cx="21" cy="21" r="15.915" strokeDasharray={`${share} ${100 - share}`} strokeDashoffset={25 - before + share} />;
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
