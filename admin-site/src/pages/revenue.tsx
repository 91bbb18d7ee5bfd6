import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Overview } from '../api';
import { money } from '../currency';
import { monthName } from '../format';
import { href, Link } from '../router';
import { number, t } from '../texts';
import { Panel, Stack } from '../ui/page';
import { Table } from '../ui/table';
import classes from './revenue.module.css';

/** The revenue of a product by month, and its new, renewed and lost subscriptions. Each currency has its own table. */

type Month = Overview['revenue'][number];

/** The number of months that are shown before the operator asks for more. */
const FIRST_MONTHS = 6;

function Net({ month: { net, currency }, most }: { month: Month; most: number }) {
  return (
    <span className={classes['net']}>
      <span>{money(net, currency)}</span>
      <svg className={classes['bar']} aria-hidden="true">
        <rect className={classes['track']} width="100%" height="100%" />
        <rect className={classes['value']} width={`${most > 0 ? Math.max(0, (net / most) * 100) : 0}%`} height="100%" />
      </svg>
    </span>
  );
}

function OfCurrency({ productId, currency, months }: { productId: number; currency: string | null; months: readonly Month[] }) {
  const [all, setAll] = useState(false);
  const title = currency === null ? t('Revenue') : t('Revenue in {currency}', { currency });
  const most = Math.max(...months.map(({ net }) => net));
  return (
    <Panel
      title={title}
      note={t('Paid minus refunded, by month (UTC). Test orders don’t count.')}
      action={<Link to={href(`/products/${productId}/payments`)}>{t('Orders')}</Link>}
    >
      <Stack>
        <Table
          label={title}
          items={months.slice(0, all ? undefined : FIRST_MONTHS)}
          id={({ month }) => month}
          columns={[
            { name: t('Month'), cell: ({ month }) => <strong>{monthName(month)}</strong> },
            { name: t('Net'), cell: (month) => <Net month={month} most={most} /> },
            { name: t('Refunded'), right: true, cell: ({ refunded }) => money(refunded, currency) },
            { name: t('Fees'), right: true, extra: true, cell: ({ fees }) => (fees === 0 ? '—' : money(fees, currency)) },
            { name: t('New subscriptions'), right: true, cell: ({ subscriptions }) => number(subscriptions.new) },
            { name: t('Renewed'), right: true, cell: ({ subscriptions }) => number(subscriptions.renewed) },
            { name: t('Lost'), right: true, cell: ({ subscriptions }) => number(subscriptions.lost) },
          ]}
        />
        {!all && months.length > FIRST_MONTHS && (
          <div>
            <Button variant="default" size="xs" onClick={() => setAll(true)}>
              {t('Show all {count}', { count: number(months.length) })}
            </Button>
          </div>
        )}
      </Stack>
    </Panel>
  );
}

export function Revenue({ productId, overview }: { productId: number; overview: Overview }) {
  const newestFirst = overview.revenue.toReversed();
  return [...new Set(newestFirst.map(({ currency }) => currency))].map((currency) => (
    <OfCurrency
      key={currency}
      productId={productId}
      currency={currency}
      months={newestFirst.filter((month) => month.currency === currency)}
    />
  ));
}
