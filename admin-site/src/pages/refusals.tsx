import { Button } from '@mantine/core';
import { useState } from 'react';
import { DAY_MS } from '../../../lambdas/domain/time';
import { platformName } from '../../../lambdas/contract/platform-name';
import type { Refusal } from '../api';
import { useLicenseRefusals } from '../queries/licenses';
import { useProductRefusals } from '../queries/products';
import { number, plural, t } from '../texts';
import { Dim, Panel, Row } from '../ui/page';
import { Loaded } from '../ui/states';
import { Name, Table } from '../ui/table';
import { Ago } from '../ui/time';

/** The reasons for refusals, in words for operators. */
export const reasons: Readonly<Record<Refusal['reason'], string>> = {
  license_revoked: t('The license is revoked'),
  license_suspended: t('The license is suspended'),
  license_expired: t('The license is expired'),
  not_activated: t('The device has no seat, so it cannot consume'),
  release_not_covered: t('The license does not cover the release'),
  sign_in_required: t('The user must sign in again'),
  no_seats: t('No free seat'),
  too_many_devices: t('Too many new devices within 7 days'),
  too_many_user_devices: t('The member already uses the maximum number of devices'),
  not_found: t('Unknown key'),
  invalid: t('Unknown key'),
};

export const deviceOf = ({ name, platform, fingerprint_hint: hint }: Refusal): string =>
  [name, platform && platformName(platform), hint === null ? null : `${hint}…`].filter(Boolean).join(', ') || t('unknown');

export function RefusalTable({ label, rows }: { label: string; rows: readonly Refusal[] }) {
  return (
    <Table
      label={label}
      items={rows}
      id={({ at, key_hint: key, fingerprint_hint: device, reason }) => `${at} ${key} ${device ?? ''} ${reason}`}
      columns={[
        { name: t('Reason'), cell: ({ reason }) => reasons[reason] },
        { name: t('Device'), cell: (row) => <Name>{deviceOf(row)}</Name> },
        { name: t('Key'), cell: ({ key_hint: hint }) => <code>{hint}…</code> },
        { name: t('Version'), extra: true, cell: ({ version }) => (version === null ? <Dim>—</Dim> : <bdi>{version}</bdi>) },
        { name: t('Times'), right: true, cell: ({ count }) => String(count) },
        { name: t('Last'), cell: ({ last_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}

/** The refused requests of apps for a license. */
export function LicenseRefusals({ id }: { id: number }) {
  const query = useLicenseRefusals(id);
  return (
    <Panel title={t('Why was it refused?')} note={t('The latest refused requests of apps. They are kept for 30 days.')}>
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('No request of an app was refused in the last 30 days.')}</p>
          ) : (
            <RefusalTable label={t('Refused requests')} rows={rows} />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Number of rows that are shown before the operator asks for all. */
const FIRST_ROWS = 5;

/**
 * The requests of apps whose key belongs to no license of the product: one line, which opens to a list. Anybody who has an app can cause
 * such requests, so they never take more room unless the operator wants to see them. Shows nothing if there are none.
 */
export function UnknownKeys({ productId }: { productId: number }) {
  const { data: rows = [] } = useProductRefusals(productId);
  const [opened, setOpened] = useState(false);
  const [all, setAll] = useState(false);
  if (rows.length === 0) return null;
  const now = Date.now();
  const within = (days: number): number => rows.filter(({ last_at: at }) => now - Date.parse(at) < days * DAY_MS).length;
  return (
    <Panel
      title={t('Unknown keys')}
      note={[
        plural(
          rows.reduce((sum, { count }) => sum + count, 0),
          '{count} request of apps with a key that no license of this product has.',
          '{count} requests of apps with a key that no license of this product has.',
        ),
        t('Different keys and devices: {day} in the last 24 hours, {week} in the last 7 days.', {
          day: number(within(1)),
          week: number(within(7)),
        }),
      ].join(' ')}
      action={
        <Button size="xs" variant="default" aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {opened ? t('Hide') : t('Show')}
        </Button>
      }
    >
      {opened && (
        <>
          <RefusalTable label={t('Requests with unknown keys')} rows={all ? rows : rows.slice(0, FIRST_ROWS)} />
          {!all && rows.length > FIRST_ROWS && (
            <Row>
              <Button size="xs" variant="subtle" onClick={() => setAll(true)}>
                {t('Show all ({count})', { count: number(rows.length) })}
              </Button>
            </Row>
          )}
        </>
      )}
    </Panel>
  );
}
