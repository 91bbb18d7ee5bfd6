import { Button } from '@mantine/core';
import type { LicenseType, Overview, Product } from '../api';
import { plural } from '../format';
import { useDeliveries, useOverview, useProduct, useTypes } from '../queries';
import { href } from '../router';
import { Days, Ring, Shares, type Series } from '../ui/chart';
import { LayersIcon } from '../ui/icons';
import { Columns, PageHead, Panel, Stack } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Deliveries } from './deliveries';
import classes from './overview.module.css';

const statuses: readonly Series<'active' | 'expired' | 'revoked'>[] = [
  { name: 'active', label: 'Active', colour: 'good' },
  { name: 'expired', label: 'Expired', colour: 'warn' },
  { name: 'revoked', label: 'Revoked', colour: 'bad' },
];
const activations: readonly Series<'activations'>[] = [{ name: 'activations', label: 'Activations', colour: 'accent' }];
const outcomes: readonly Series<'delivered' | 'failed' | 'skipped'>[] = [
  { name: 'delivered', label: 'Delivered', colour: 'good' },
  { name: 'failed', label: 'Failed', colour: 'bad' },
  { name: 'skipped', label: 'Skipped', colour: 'idle' },
];

/** Deliveries that failed stand before everything else: they are what needs somebody. */
function Failing({ product, overview }: { product: Product; overview: Overview }) {
  const failed = overview.days.reduce((sum, day) => sum + day.failed, 0);
  const query = useDeliveries(product.id, 'failed', 5);
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  if (failed === 0 || (query.data && rows.length === 0)) return null;
  return (
    <Panel
      title="Failing webhooks"
      tone="bad"
      note={`${plural(failed, 'event')} could not be delivered in the last 30 days. The latest:`}
      action={
        <Button component="a" href={href(`/products/${product.id}/webhooks`, { status: 'failed' })} variant="default" size="xs">
          See all
        </Button>
      }
    >
      <Loaded query={query} lines={3}>
        {() => <Deliveries deliveries={rows.slice(0, 5)} productId={product.id} />}
      </Loaded>
    </Panel>
  );
}

function Numbers({ product, overview, types }: { product: Product; overview: Overview; types: readonly LicenseType[] }) {
  const total = (name: 'active' | 'expired' | 'revoked'): number => overview.licenses.reduce((sum, row) => sum + row[name], 0);
  const counts = { active: total('active'), expired: total('expired'), revoked: total('revoked') };
  const rows = overview.licenses.map((row) => ({ ...row, id: row.license_type_id, label: types.find(({ id }) => id === row.license_type_id)?.name ?? `Type ${row.license_type_id}` }));
  return (
    <Stack>
      <Failing product={product} overview={overview} />
      <Columns>
        <Panel title="Licenses by status">
          <Ring counts={counts} series={statuses} unit={counts.active + counts.expired + counts.revoked === 1 ? 'license' : 'licenses'} />
        </Panel>
        <Panel title="Licenses by type">
          {rows.length > 0 ? <Shares rows={rows} series={statuses} /> : <p className={classes['none']}>No license has been issued yet.</p>}
        </Panel>
        <Panel title="Activations, last 30 days">
          <Days title="Activations by day" days={overview.days} series={activations} />
        </Panel>
        <Panel title="Webhook deliveries, last 30 days">
          <Days title="Deliveries by day" days={overview.days} series={outcomes} />
        </Panel>
      </Columns>
      <p className={classes['none']}>Days are UTC. The numbers follow within seconds of what they count; an expiry is noticed when an app checks the license.</p>
    </Stack>
  );
}

/** What a new product still needs, in order. */
function FirstSteps({ product, types }: { product: Product; types: readonly LicenseType[] }) {
  const base = `/products/${product.id}`;
  return (
    <Panel>
      <Empty
        icon={<LayersIcon size={26} />}
        title={types.length === 0 ? 'First, say what you sell' : 'Ready to issue licenses'}
        action={
          <div className={classes['steps']}>
            <Button component="a" href={href(types.length === 0 ? `${base}/types` : `${base}/licenses`)}>
              {types.length === 0 ? 'Add a license type' : 'Issue a license'}
            </Button>
            <Button component="a" href={href(`${base}/integration`)} variant="default">
              Put it into your app
            </Button>
          </div>
        }
      >
        {types.length === 0
          ? 'A license type holds the terms: how long a license lasts and on how many machines it runs.'
          : `${plural(types.length, 'license type')} so far. Numbers and pictures appear here with the first license.`}
      </Empty>
    </Panel>
  );
}

export function OverviewPage({ productId }: { productId: number }) {
  const product = useProduct(productId);
  const overview = useOverview(productId);
  const types = useTypes(productId);
  return (
    <Loaded query={product}>
      {(found) => (
        <>
          <PageHead title={found.name} back={{ to: href('/'), label: 'Products' }}>
            <code>{found.slug}</code>
          </PageHead>
          <Loaded query={overview} lines={8}>
            {(numbers) => (
              <Loaded query={types} lines={8}>
                {(rows) =>
                  numbers.licenses.length === 0 && numbers.days.every((day) => day.delivered + day.failed + day.skipped === 0) ? (
                    <FirstSteps product={found} types={rows} />
                  ) : (
                    <Numbers product={found} overview={numbers} types={rows} />
                  )
                }
              </Loaded>
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

