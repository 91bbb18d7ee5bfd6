import { date, number } from '../format';
import classes from './chart.module.css';

/** What a chart shows of one thing. */
export interface Series<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly colour: 'accent' | 'good' | 'warn' | 'bad' | 'idle';
}

function Legend<Name extends string>({ series, totals }: { series: readonly Series<Name>[]; totals: Readonly<Record<Name, number>> }) {
  return (
    <ul className={classes['legend']}>
      {series.map(({ name, label, colour }) => (
        <li key={name}>
          <span className={`${classes['swatch'] ?? ''} ${classes[colour] ?? ''}`} />
          {label} <strong>{number(totals[name])}</strong>
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

/** Days as stacked bars. Each bar tells its numbers on hover; screen readers get a table. */
export function Days<Name extends string>({ title, days, series }: { title: string; days: readonly Day<Name>[]; series: readonly Series<Name>[] }) {
  const top = ceiling(Math.max(0, ...days.map((day) => series.reduce((total, { name }) => total + day[name], 0))));
  const first = days[0];
  const last = days.at(-1);
  const words = (day: Day<Name>): string => `${date(`${day.date}T12:00:00Z`)}: ${series.map(({ name, label }) => `${number(day[name])} ${label.toLowerCase()}`).join(', ')}`;
  return (
    <figure className={classes['figure']}>
      <Legend series={series} totals={totalsOf(days, series)} />
      <div className={classes['plot']}>
        <span className={classes['axis']} aria-hidden="true">
          <span>{number(top)}</span>
          <span>0</span>
        </span>
        <svg className={classes['days']} viewBox={`0 0 ${days.length * 10} 100`} preserveAspectRatio="none" aria-hidden="true">
          <line className={classes['grid']} x1="0" x2={days.length * 10} y1="0.5" y2="0.5" />
          <line className={classes['grid']} x1="0" x2={days.length * 10} y1="50" y2="50" />
          <line className={classes['grid']} x1="0" x2={days.length * 10} y1="99.5" y2="99.5" />
          {days.map((day, place) => {
            let below = 0;
            return (
              <g key={day.date} className={classes['day']}>
                <title>{words(day)}</title>
                <rect className={classes['hit']} x={place * 10} y="0" width="10" height="100" />
                {series.map(({ name, colour }) => {
                  const height = (day[name] / top) * 100;
                  below += height;
                  return <rect key={name} className={classes[colour]} x={place * 10 + 1.5} y={100 - below} width="7" height={height} />;
                })}
              </g>
            );
          })}
        </svg>
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

/** Shares of wholes as horizontal bars, one for each row. */
export function Shares<Name extends string>({ rows, series }: {
  rows: readonly (Readonly<Record<Name, number>> & { readonly id: number; readonly label: string })[];
  series: readonly Series<Name>[];
}) {
  const totalOf = (row: Readonly<Record<Name, number>>): number => series.reduce((total, { name }) => total + row[name], 0);
  const top = Math.max(1, ...rows.map(totalOf));
  return (
    <figure className={classes['figure']}>
      <Legend series={series} totals={totalsOf(rows, series)} />
      <ul className={classes['shares']}>
        {rows.map((row) => {
          let left = 0;
          return (
            <li key={row.id}>
              <span className={classes['shareName']}>
                <bdi>{row.label}</bdi>
                <span className={classes['hidden']}>: {series.map(({ name, label }) => `${number(row[name])} ${label.toLowerCase()}`).join(', ')}</span>
              </span>
              <strong>{number(totalOf(row))}</strong>
              <svg className={classes['share']} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect className={classes['track']} width="100" height="10" />
                {series.map(({ name, colour }) => {
                  const width = (row[name] / top) * 100;
                  left += width;
                  return <rect key={name} className={classes[colour]} x={left - width} width={width} height="10" />;
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
export function Ring<Name extends string>({ counts, series, unit }: { counts: Readonly<Record<Name, number>>; series: readonly Series<Name>[]; unit: string }) {
  const total = series.reduce((sum, { name }) => sum + counts[name], 0);
  let before = 0;
  return (
    <figure className={classes['ringFigure']}>
      <div className={classes['ringBox']}>
        <svg className={classes['ring']} viewBox="0 0 42 42" aria-hidden="true">
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
      <Legend series={series} totals={counts} />
    </figure>
  );
}
