import { Button } from '@mantine/core';
import { useState } from 'react';
import type { License, LicenseType, Overview, Product } from '../api';
import { useDeliveries, useWebhook } from '../queries/deliveries';
import { useOverview } from '../queries/overview';
import { useProduct, useTypes } from '../queries/products';
import { href, Link } from '../router';
import { number, plural, t } from '../texts';
import { Act } from '../ui/act';
import { CopyButton } from '../ui/copy-button';
import { Days, Ring, Shares, type Series } from '../ui/chart';
import { CheckIcon, EditIcon } from '../ui/icons';
import { Columns, Dim, PageHead, Panel, Row, Stack } from '../ui/page';
import { Loaded } from '../ui/states';
import { Audience } from './audience';
import { DailyCharts, DailyHead, dayList, spanQuery, type Daily, type Span } from './daily';
import { Deliveries } from './deliveries';
import { RenameProduct } from './rename-product';
import { UnknownKeys } from './refusals';
import { Revenue } from './revenue';
import classes from './overview.module.css';
import hidden from '../ui/hidden.module.css';

const statuses: readonly Series<License['status']>[] = [
  { name: 'active', label: t('Active'), words: (count) => t('{count} active', { count }), colour: 'good' },
  { name: 'suspended', label: t('Suspended'), words: (count) => t('{count} suspended', { count }), colour: 'idle' },
  { name: 'expired', label: t('Expired'), words: (count) => t('{count} expired', { count }), colour: 'warn' },
  { name: 'revoked', label: t('Revoked'), words: (count) => t('{count} revoked', { count }), colour: 'bad' },
];
const activations: readonly Series<'activations'>[] = [
  { name: 'activations', label: t('Activations'), words: (count) => t('{count} activations', { count }), colour: 'accent' },
];
const outcomes: readonly Series<'delivered' | 'failed' | 'skipped'>[] = [
  { name: 'delivered', label: t('Delivered'), words: (count) => t('{count} delivered', { count }), colour: 'good' },
  { name: 'failed', label: t('Failed'), words: (count) => t('{count} failed', { count }), colour: 'bad' },
  { name: 'skipped', label: t('Skipped'), words: (count) => t('{count} skipped', { count }), colour: 'idle' },
];

const consumption: readonly Series<'amount'>[] = [
  { name: 'amount', label: t('Consumed'), words: (count) => t('{count} consumed', { count }), colour: 'accent' },
];

const FAILED = { status: 'failed' } as const;

/** Failed deliveries are shown first, because somebody must act on them. */
function Failing({ product, overview }: { product: Product; overview: Overview }) {
  const failed = overview.days.reduce((sum, day) => sum + day.failed, 0);
  const query = useDeliveries(product.id, FAILED, 5);
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  if (failed === 0 || (query.data && rows.length === 0)) return null;
  return (
    <Panel
      title={t('Failing webhooks')}
      tone="bad"
      note={plural(
        failed,
        '{count} event could not be delivered in the last 30 days. The latest:',
        '{count} events could not be delivered in the last 30 days. The latest:',
      )}
      action={
        <Button component="a" href={href(`/products/${product.id}/webhooks`, { status: 'failed' })} variant="default" size="xs">
          {t('See all')}
        </Button>
      }
    >
      <div className={classes['failing']}>
        <Loaded query={query} lines={3}>
          {() => <Deliveries deliveries={rows.slice(0, 3)} productId={product.id} />}
        </Loaded>
      </div>
    </Panel>
  );
}

function Numbers({ product, overview, types }: { product: Product; overview: Overview; types: readonly LicenseType[] }) {
  // A license whose expiry has passed is counted as expired, even if its stored status is still `active`.
  const byType = overview.licenses.map((row) => ({
    ...row,
    active: Math.max(0, row.active - row.lapsed),
    expired: row.expired + row.lapsed,
  }));
  const total = (name: License['status']): number => byType.reduce((sum, row) => sum + row[name], 0);
  const counts = { active: total('active'), suspended: total('suspended'), expired: total('expired'), revoked: total('revoked') };
  const all = statuses.reduce((sum, { name }) => sum + counts[name], 0);
  const rows = byType.map((row) => ({
    ...row,
    id: row.license_type_id,
    label: types.find(({ id }) => id === row.license_type_id)?.name ?? t('Type {id}', { id: String(row.license_type_id) }),
  }));
  const list = `/products/${product.id}/licenses`;
  const isCapped = overview.licenses.some(({ capped }) => capped);
  return (
    <Columns>
      <Panel title={t('Licenses by status')} action={<Link to={href(list, { status: 'expiring' })}>{t('Expiring within 30 days')}</Link>}>
        <Ring
          counts={counts}
          series={statuses}
          unit={all === 1 ? t('license') : t('licenses')}
          linkOf={(status) => href(list, { status })}
        />
        {isCapped && (
          <p className={classes['none']}>
            {t('There are too many licenses to count all of them. Some expired licenses may be counted as active.')}
          </p>
        )}
      </Panel>
      <Panel title={t('Licenses by type')}>
        {rows.length > 0 ? (
          <Shares rows={rows} series={statuses} linkOf={({ id }) => href(list, { type: String(id) })} />
        ) : (
          <p className={classes['none']}>{t('No license has been issued yet.')}</p>
        )}
      </Panel>
    </Columns>
  );
}

/** Days for which the log keeps events. */
const LOGGED_DAYS = 30;

/** What apps consumed from each meter, by day. A day on which more was given back than consumed has no bar. */
const Consumption = ({ meters, days }: Pick<Overview, 'meters' | 'days'>) =>
  meters.length > 0 && (
    <Columns>
      {meters.map(({ name, total, days: counted }) => (
        <Panel
          key={name}
          title={t('Meter {name}, last {days} days', { name, days: number(days.length) })}
          note={t('{total} in total, without what was given back. Corrections do not count. Updated within two minutes.', {
            total: number(total),
          })}
        >
          <Days
            title={t('Consumed from {name} by day', { name })}
            days={days.map(({ date }) => ({ date, amount: Math.max(0, counted.find((day) => day.date === date)?.amount ?? 0) }))}
            series={consumption}
            none={t('Nothing was consumed on these days.')}
          />
        </Panel>
      ))}
    </Columns>
  );

/** The numbers by day. Each bar links to the entries that it counts. */
function DayByDay({ productId, span }: { productId: number; span: Span }) {
  const query = useOverview(productId, span);
  const log = `/products/${productId}/webhooks`;
  return (
    <>
      <DailyHead title={t('Day by day')} span={span} to={(days) => href(`/products/${productId}`, { days: spanQuery(days) })} />
      <Loaded query={query} lines={8}>
        {({ days, expiring_days: ahead, meters }) => {
          const isLogged = (date: string): boolean => days.slice(-LOGGED_DAYS).some((day) => day.date === date);
          const events = (date: string, filter: Readonly<Record<string, string | undefined>>): string | undefined =>
            isLogged(date) ? href(log, { day: date, ...filter }) : undefined;
          const linkOf = (what: Daily, date: string): string | undefined =>
            what === 'renewed' ? events(date, { event: 'license.renewed' }) : dayList(productId, what, date);
          const shown = number(days.length);
          return (
            <>
              <DailyCharts days={days} ahead={ahead} linkOf={linkOf} />
              <Columns>
                <Panel title={t('Activations, last {days} days', { days: shown })}>
                  <Days
                    title={t('Activations by day')}
                    days={days}
                    series={activations}
                    none={t('No device was activated on these days.')}
                    linkOf={({ date }) => events(date, { event: 'license.activated' })}
                  />
                </Panel>
                <Panel title={t('Webhook deliveries, last {days} days', { days: shown })}>
                  <Days
                    title={t('Deliveries by day')}
                    days={days}
                    series={outcomes}
                    none={t('No events on these days.')}
                    linkOf={({ date, failed }) => events(date, { status: failed > 0 ? 'failed' : undefined })}
                  />
                </Panel>
              </Columns>
              <Consumption meters={meters} days={days} />
            </>
          );
        }}
      </Loaded>
      <p className={classes['none']}>{t('Days are UTC. The numbers are updated within seconds.')}</p>
    </>
  );
}

/** The first steps are shown only for a product with fewer licenses than this number. */
const GROWN = 20;

/** The steps for a new product, in order. The page finds out which steps are done, and marks them. */
function FirstSteps({ product, overview, types }: { product: Product; overview: Overview; types: readonly LicenseType[] }) {
  const webhook = useWebhook(product.id);
  const base = `/products/${product.id}`;
  const issued = overview.licenses.reduce((sum, row) => sum + statuses.reduce((total, { name }) => total + row[name], 0), 0);
  const activated = overview.days.some((day) => day.activations > 0);
  if (!webhook.data || issued >= GROWN) return null;
  const steps = [
    { done: true, label: t('Create the product'), words: t('Done: the product has its keys.'), to: `${base}/integration` },
    {
      done: types.length > 0,
      label: t('Add a license type'),
      words: t('How long a license is valid and on how many devices it works.'),
      to: `${base}/types`,
    },
    { done: issued > 0, label: t('Issue a license'), words: t('Here, or from your shop through the API.'), to: `${base}/licenses` },
    {
      done: webhook.data.url !== '',
      label: t('Set a webhook'),
      words: t('Tells your backend about every change.'),
      to: `${base}/webhooks`,
    },
    {
      done: activated,
      label: t('Activate a license in your app'),
      words: t('The integration page has the code to paste.'),
      to: `${base}/integration`,
    },
  ];
  const left = steps.filter(({ done }) => !done).length;
  if (left === 0) return null;
  const next = steps.find(({ done }) => !done);
  return (
    <Panel title={t('First steps')} note={t('{done} of {all} done.', { done: number(steps.length - left), all: number(steps.length) })}>
      <ol className={classes['steps']}>
        {steps.map((step) => (
          <li key={step.label} className={step.done ? classes['done'] : undefined}>
            <span className={classes['tick']}>{step.done && <CheckIcon size={14} />}</span>
            <span>
              {step.done ? (
                <>
                  {step.label} <span className={hidden['hidden']}>{t('(done)')}</span>
                </>
              ) : (
                <Link to={href(step.to)}>{step.label}</Link>
              )}
              {step === next && <span className={classes['words']}>{step.words}</span>}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

export function OverviewPage({ productId, span }: { productId: number; span: Span }) {
  const product = useProduct(productId, true);
  const overview = useOverview(productId);
  const types = useTypes(productId);
  const [renaming, setRenaming] = useState(false);
  return (
    <Loaded query={product} page={t('Overview')}>
      {(found) => (
        <>
          <PageHead
            title={found.name}
            back={{ to: href('/'), label: t('Products') }}
            action={
              <Act call="updateProduct" Icon={EditIcon} onClick={() => setRenaming(true)}>
                {t('Rename')}
              </Act>
            }
          >
            <Row>
              <code>{found.slug}</code>
              <Dim>·</Dim>
              <span>{t('Id {id}', { id: String(found.id) })}</span>
              <CopyButton text={String(found.id)} what={t('product id')} />
            </Row>
          </PageHead>
          <RenameProduct product={found} opened={renaming} onClose={() => setRenaming(false)} />
          <Loaded query={overview} lines={8}>
            {(numbers) => (
              <Loaded query={types} lines={8}>
                {(rows) => (
                  <Stack>
                    <FirstSteps product={found} overview={numbers} types={rows} />
                    <Failing product={found} overview={numbers} />
                    {(numbers.licenses.length > 0 || numbers.days.some((day) => day.delivered + day.failed + day.skipped > 0)) && (
                      <>
                        <Numbers product={found} overview={numbers} types={rows} />
                        <Revenue productId={productId} overview={numbers} />
                        <Audience productId={productId} overview={numbers} />
                        <DayByDay productId={productId} span={span} />
                      </>
                    )}
                    <UnknownKeys productId={productId} />
                  </Stack>
                )}
              </Loaded>
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}
