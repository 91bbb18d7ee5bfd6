import { Button } from '@mantine/core';
import type { AuditEntry } from '../api';
import { useAudit, useProductName, type AuditFilter } from '../queries';
import { href, Link } from '../router';
import { CopyButton } from '../ui/copy-button';
import { HistoryIcon } from '../ui/icons';
import { PageHead, Panel, Row } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';

/** The address of the log with a filter. */
const auditAddress = ({ product, license, actor }: AuditFilter): string => href('/audit', { product, license, actor });

/** Words for the names of fields whose name alone does not say it. */
const fieldWords: Readonly<Record<string, string>> = {
  customer_email: 'buyer',
  license_type_id: 'license type',
  expires_at: 'expiry',
  max_seats: 'seats',
  max_major: 'major version',
};
/** Fields that only repeat what the operation says. */
const IMPLIED = new Set(['status', 'revoked_at', 'suspended_at', 'suspended_by', 'suspended_cause', 'sequence']);

/** A summary without the API's names of fields: `Change a license: buyer, seats`. */
function inWords(summary: string): string {
  const [, what, fields] = /^(.*?): ([a-z_]+(?:, [a-z_]+)*)$/.exec(summary) ?? [];
  if (what === undefined || fields === undefined) return summary;
  const words = fields
    .split(', ')
    .filter((field) => !IMPLIED.has(field))
    .map((field) => fieldWords[field] ?? field.replaceAll('_', ' '));
  return words.length === 0 ? what : `${what}: ${words.join(', ')}`;
}

/** The product that an entry is about. */
const OfProduct = ({ id }: { id: number }) => (
  <Link to={href(`/products/${id}`)}>
    <bdi>{useProductName(id)}</bdi>
  </Link>
);

/** Entries of the audit log. Actors and licenses link to all of their entries. */
function Entries({ entries, filter, busy }: { entries: readonly AuditEntry[]; filter: AuditFilter; busy: boolean }) {
  return (
    <Table
      label="Audit log"
      items={entries}
      id={({ id }) => id}
      busy={busy}
      columns={[
        {
          name: 'What',
          cell: ({ action, summary }) => (
            <span title={action} className={tableClasses['wraps']}>
              <bdi>{inWords(summary)}</bdi>
            </span>
          ),
        },
        {
          name: 'Who',
          cell: ({ actor, actor_name: name }) => (
            <Link to={auditAddress({ ...filter, actor })}>
              <bdi>{name}</bdi>
            </Link>
          ),
        },
        {
          name: 'About',
          cell: ({ license_id: license, product_id: product, target }) =>
            license !== null ? (
              <Link to={href(`/licenses/${license}`)}>License {license}</Link>
            ) : product !== null ? (
              <OfProduct id={product} />
            ) : (
              <bdi className={tableClasses['cut']} title={target ?? undefined}>
                {target ?? 'The deployment'}
              </bdi>
            ),
        },
        {
          name: 'From',
          extra: true,
          cell: ({ source_ip: address, user_agent: agent }) => (
            <bdi className={tableClasses['dim']} title={agent ?? undefined}>
              {address ?? 'No request'}
            </bdi>
          ),
        },
        {
          name: 'Request',
          extra: true,
          cell: ({ request_id: request }) =>
            request === null ? (
              <span className={tableClasses['dim']}>None</span>
            ) : (
              <span className={tableClasses['copied']}>
                <code className={tableClasses['cut']} title={request}>
                  {request}
                </code>
                <CopyButton text={request} what="request id" />
              </span>
            ),
        },
        { name: 'When', clear: true, cell: ({ at }) => <Ago at={at} /> },
      ]}
    />
  );
}

/** Describes the filter, and links to the unfiltered log. */
function Filters({ filter }: { filter: AuditFilter }) {
  const words = [
    filter.product && `product ${filter.product}`,
    filter.license && `license ${filter.license}`,
    filter.actor && `changes by ${filter.actor}`,
  ]
    .filter(Boolean)
    .join(', ');
  if (words === '') return null;
  return (
    <Row>
      <span>
        Only <bdi>{words}</bdi>.
      </span>
      <Link to={href('/audit')}>Show everything</Link>
    </Row>
  );
}

function Log({ filter }: { filter: AuditFilter }) {
  const query = useAudit(filter);
  const entries = query.data?.pages.flatMap(({ rows }) => rows);
  return (
    <Panel>
      <Filters filter={filter} />
      <Loaded query={{ ...query, data: entries }}>
        {(rows) =>
          rows.length === 0 && !query.hasNextPage ? (
            <Empty icon={<HistoryIcon size={26} />} title="No changes yet">
              Every change by an operator or a payment processor is listed here for 400 days.
            </Empty>
          ) : (
            <Entries entries={rows} filter={filter} busy={query.isPlaceholderData} />
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
          Show older
        </Button>
      )}
    </Panel>
  );
}

export function AuditPage({ filter }: { filter: AuditFilter }) {
  return (
    <>
      <PageHead title="Audit log">Who changed what, newest first. Entries are kept for 400 days.</PageHead>
      <Log filter={filter} />
    </>
  );
}

export function ProductAuditPage({ productId }: { productId: number }) {
  const name = useProductName(productId);
  return (
    <>
      <PageHead title="Audit log" back={{ to: href(`/products/${productId}`), label: name }}>
        Who changed what of this product and its licenses, newest first. Entries are kept for 400 days.
      </PageHead>
      <Log filter={{ product: String(productId) }} />
    </>
  );
}
