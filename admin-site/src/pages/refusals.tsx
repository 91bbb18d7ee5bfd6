import type { Refusal } from '../api';
import { plural } from '../format';
import { useLicenseRefusals, useProductRefusals } from '../queries';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';

/** What each reason means, as an operator would say it. */
const reasons: Readonly<Record<Refusal['reason'], string>> = {
  license_revoked: 'The license is revoked',
  license_suspended: 'The license is suspended',
  license_expired: 'The license is expired',
  release_not_covered: 'The license does not cover the release',
  no_seats: 'No free seat',
  too_many_devices: 'Too many new devices within 7 days',
  not_found: 'Unknown key',
  invalid: 'Unknown key',
};

const Dim = ({ children }: { children: string }) => <span className={tableClasses['dim']}>{children}</span>;

const deviceOf = ({ name, platform, fingerprint_hint: hint }: Refusal): string =>
  [name, platform, hint === null ? null : `${hint}…`].filter(Boolean).join(', ') || 'unknown';

export function RefusalTable({ label, rows }: { label: string; rows: readonly Refusal[] }) {
  return (
    <Table
      label={label}
      items={rows}
      id={({ at, key_hint: key, fingerprint_hint: device, reason }) => `${at} ${key} ${device ?? ''} ${reason}`}
      columns={[
        { name: 'Reason', cell: ({ reason }) => reasons[reason] },
        { name: 'Device', cell: (row) => <Name>{deviceOf(row)}</Name> },
        { name: 'Key', cell: ({ key_hint: hint }) => <code>{hint}…</code> },
        { name: 'Version', extra: true, cell: ({ version }) => (version === null ? <Dim>—</Dim> : <bdi>{version}</bdi>) },
        { name: 'Times', right: true, cell: ({ count }) => String(count) },
        { name: 'Last', cell: ({ last_at: at }) => <Ago at={at} /> },
      ]}
    />
  );
}

/** The requests of apps that were refused for a license. */
export function LicenseRefusals({ id }: { id: number }) {
  const query = useLicenseRefusals(id);
  return (
    <Panel title="Why was it refused?" note="The last requests of apps that were refused, for 30 days.">
      <Loaded query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? <p>No app was refused in the last 30 days.</p> : <RefusalTable label="Refused requests" rows={rows} />
        }
      </Loaded>
    </Panel>
  );
}

/** The requests of apps with keys that no license of the product has; nothing as long as there are none. */
export function UnknownKeys({ productId }: { productId: number }) {
  const { data: rows = [] } = useProductRefusals(productId);
  if (rows.length === 0) return null;
  return (
    <Panel title="Unknown keys" note={`${plural(rows.length, 'request')} of apps with a key that no license of this product has.`}>
      <RefusalTable label="Requests with unknown keys" rows={rows} />
    </Panel>
  );
}
