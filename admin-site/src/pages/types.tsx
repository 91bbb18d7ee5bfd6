import { Button } from '@mantine/core';
import { useState } from 'react';
import type { LicenseType } from '../api';
import { duration, plural, typeCoverage } from '../format';
import { May } from '../permission';
import { useProduct, useTypes } from '../queries';
import { href, Link } from '../router';
import { LayersIcon, PlusIcon } from '../ui/icons';
import { PageHead, Panel } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { kinds } from './kinds';
import { EditType, NewType } from './type-form';

const seatsOf = ({ max_seats: seats }: LicenseType): string => (seats === 0 ? 'Unlimited' : plural(seats, 'seat'));
const lastsFor = ({ duration_days: days, starts }: LicenseType): string =>
  days === null ? 'Forever' : starts === 'activation' ? `${duration(days)} from activation` : duration(days);

export function TypesPage({ productId }: { productId: number }) {
  const product = useProduct(productId);
  const types = useTypes(productId);
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<LicenseType>();
  const create = (
    <May call="createLicenseType">
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
        New license type
      </Button>
    </May>
  );
  return (
    <Loaded query={product} page="License types">
      {({ name }) => (
        <>
          <PageHead
            title="License types"
            back={{ to: href(`/products/${productId}`), label: name }}
            action={(types.data?.length ?? 0) > 0 && create}
          >
            The terms of licenses. A license keeps the terms that it was issued with.
          </PageHead>
          <Panel>
            <Loaded query={types}>
              {(rows) =>
                rows.length === 0 ? (
                  <Empty icon={<LayersIcon size={26} />} title="No license types yet" action={create}>
                    A type defines how long a license is valid and on how many devices it works: for example “Pro, yearly” with three seats.
                  </Empty>
                ) : (
                  <Table
                    label="License types"
                    items={rows}
                    id={({ id }) => id}
                    href={({ id }) => href(`/products/${productId}/licenses`, { type: String(id) })}
                    columns={[
                      {
                        name: 'Name',
                        cell: ({ id, name: typeName }) => (
                          <Link to={href(`/products/${productId}/licenses`, { type: String(id) })} className={tableClasses['link']}>
                            <Name>{typeName}</Name>
                          </Link>
                        ),
                      },
                      { name: 'Id', right: true, extra: true, cell: ({ id }) => <span className={tableClasses['dim']}>{id}</span> },
                      { name: 'Kind', clear: true, cell: ({ kind }) => kinds[kind].label },
                      { name: 'Seats', clear: true, cell: seatsOf },
                      { name: 'Duration', cell: lastsFor },
                      { name: 'Covers', cell: typeCoverage },
                      {
                        name: 'Features',
                        extra: true,
                        cell: ({ features }) =>
                          features.length === 0 ? <span className={tableClasses['dim']}>None</span> : <Name>{features.join(' ')}</Name>,
                      },
                      {
                        name: 'State',
                        clear: true,
                        cell: ({ archived, self_service: selfService }) =>
                          archived ? (
                            <span className={tableClasses['dim']}>Archived</span>
                          ) : selfService ? (
                            'Offered, without a key'
                          ) : (
                            'Offered'
                          ),
                      },
                      { name: 'Created', extra: true, cell: ({ created_at: at }) => <Ago at={at} /> },
                      {
                        name: 'Action',
                        nameless: true,
                        right: true,
                        cell: (type) => (
                          <May call="updateLicenseType">
                            <Button variant="default" size="xs" onClick={() => setEditing(type)} aria-label={`Edit ${type.name}`}>
                              Edit
                            </Button>
                          </May>
                        ),
                      },
                    ]}
                  />
                )
              }
            </Loaded>
          </Panel>
          <NewType productId={productId} opened={creating} onClose={() => setCreating(false)} />
          <EditType type={editing} onClose={() => setEditing(undefined)} />
        </>
      )}
    </Loaded>
  );
}
