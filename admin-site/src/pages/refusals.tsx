import type { Refusal } from '../api';
import { useLicenseRefusals, useProductRefusals } from '../queries';
import { plural, t } from '../texts';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';

/** The reasons for refusals, in words for operators. */
const reasons: Readonly<Record<Refusal['reason'], string>> = {
  license_revoked: t('The license is revoked'),
  license_suspended: t('The license is suspended'),
  license_expired: t('The license is expired'),
  release_not_covered: t('The license does not cover the release'),
  no_seats: t('No free seat'),
  too_many_devices: t('Too many new devices within 7 days'),
  not_found: t('Unknown key'),
  invalid: t('Unknown key'),
};

const Dim = ({ children }: { children: string }) => <span className={tableClasses['dim']}>{children}</span>;

const deviceOf = ({ name, platform, fingerprint_hint: hint }: Refusal): string =>
  [name, platform, hint === null ? null : `${hint}…`].filter(Boolean).join(', ') || t('unknown');

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

/** The requests of apps whose key belongs to no license of the product. Shows nothing if there are no such requests. */
export function UnknownKeys({ productId }: { productId: number }) {
  const { data: rows = [] } = useProductRefusals(productId);
  if (rows.length === 0) return null;
  return (
    <Panel
      title={t('Unknown keys')}
      note={plural(
        rows.reduce((sum, { count }) => sum + count, 0),
        '{count} request of apps with a key that no license of this product has.',
        '{count} requests of apps with a key that no license of this product has.',
      )}
    >
      <RefusalTable label={t('Requests with unknown keys')} rows={rows} />
    </Panel>
  );
}
