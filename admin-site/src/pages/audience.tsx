import { Button } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../../lambdas/contract/platform-name';
import type { Overview } from '../api';
import { country } from '../money';
import { href, Link } from '../router';
import { number, plural, T, t } from '../texts';
import { Ranking } from '../ui/chart';
import { Panel } from '../ui/page';
import { Ago } from '../ui/time';
import classes from './audience.module.css';

/** The devices that were used in the last days, by the version of the app, platform and country. */

type Distribution = NonNullable<Overview['audience']>['versions'];

/** The number of values that are shown before the operator asks for more. */
const FIRST_VALUES = 5;

function ByValue({
  title,
  distribution: { values, other, unknown },
  devices,
  labelOf = (value) => value,
  none,
}: {
  title: string;
  distribution: Distribution;
  devices: number;
  labelOf?: (value: string) => string;
  /** Why no value is known, and what to do. */
  none: string;
}) {
  const [all, setAll] = useState(false);
  // Apps report one platform by several names, so values with the same label are one row.
  const counts = new Map<string, number>();
  for (const { value, devices: count } of values) counts.set(labelOf(value), (counts.get(labelOf(value)) ?? 0) + count);
  const rows = [...counts].map(([label, count]) => ({ id: label, label, count })).sort((a, b) => b.count - a.count);
  const hasMore = rows.length > FIRST_VALUES;
  const rest = [
    ...(other > 0 && (all || !hasMore) ? [{ id: 'other', label: t('All others'), count: other }] : []),
    ...(unknown > 0 ? [{ id: 'unknown', label: t('Not known'), count: unknown }] : []),
  ];
  return (
    <section className={classes['list']} aria-label={title}>
      <h3>{title}</h3>
      {values.length === 0 ? (
        <p className={classes['none']}>{none}</p>
      ) : (
        <Ranking rows={rows.slice(0, all ? undefined : FIRST_VALUES)} rest={rest} of={devices} />
      )}
      {hasMore && (
        <Button variant="default" size="xs" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('Show fewer') : t('Show all {count}', { count: number(rows.length) })}
        </Button>
      )}
    </section>
  );
}

export function Audience({ productId, overview: { audience } }: { productId: number; overview: Overview }) {
  const title = t('Devices in use, last 7 days');
  if (!audience || audience.devices === 0) {
    return (
      <Panel title={title}>
        <p className={classes['none']}>
          <T
            text="No device with a seat was used. Devices appear here about five minutes after your app activates or validates a license: {link}."
            values={{ link: <Link to={href(`/products/${productId}/integration`)}>{t('build it into your app')}</Link> }}
          />
        </p>
      </Panel>
    );
  }
  const { devices, counted_at, versions, platforms, countries } = audience;
  return (
    <Panel
      title={title}
      note={
        <>
          {plural(devices, '{count} device with a seat.', '{count} devices with a seat.')}{' '}
          <T text="Counted {time}." values={{ time: <Ago at={counted_at} /> }} />
        </>
      }
    >
      <div className={classes['lists']}>
        <ByValue
          title={t('App version')}
          distribution={versions}
          devices={devices}
          none={t(
            'No app reports its version. Set the option release of the client library, or send the version when you activate and validate.',
          )}
        />
        <ByValue
          title={t('Platform')}
          distribution={platforms}
          devices={devices}
          labelOf={platformName}
          none={t('No app reports its platform. Send it when you activate.')}
        />
        <ByValue
          title={t('Country')}
          distribution={countries}
          devices={devices}
          labelOf={country}
          none={t('The country is only known for requests through CloudFront, so not in a local run.')}
        />
      </div>
    </Panel>
  );
}
