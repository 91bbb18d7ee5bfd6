import { useState } from 'react';
import type { LicenseType } from '../api';
import { duration, typeCoverage } from '../format';
import { useProduct, useTypes } from '../queries/products';
import { href, Link } from '../router';
import { plural, t } from '../texts';
import { Act } from '../ui/act';
import { LayersIcon, PlusIcon } from '../ui/icons';
import { Dim, PageHead, Panel } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import { useNewDialog } from '../use-new-dialog';
import { kinds } from './kinds';
import { EditType, NewType } from './type-form';

const seatsOf = ({ max_seats: seats, binding }: LicenseType): string => {
  if (binding === 'user') return seats === 0 ? t('Any number of people') : plural(seats, '{count} person', '{count} people');
  return seats === 0 ? t('Unlimited') : plural(seats, '{count} seat', '{count} seats');
};
const lastsFor = ({ duration_days: days, starts }: LicenseType): string =>
  days === null ? t('Forever') : starts === 'activation' ? t('{duration} from activation', { duration: duration(days) }) : duration(days);

export function TypesPage({ productId }: { productId: number }) {
  const product = useProduct(productId);
  const types = useTypes(productId);
  const [creating, setCreating] = useNewDialog();
  const [editing, setEditing] = useState<LicenseType>();
  const create = (
    <Act call="createLicenseType" primary Icon={PlusIcon} onClick={() => setCreating(true)}>
      {t('New license type')}
    </Act>
  );
  return (
    <Loaded query={product} page={t('License types')}>
      {({ name }) => (
        <>
          <PageHead
            title={t('License types')}
            back={{ to: href(`/products/${productId}`), label: name }}
            action={(types.data?.length ?? 0) > 0 && create}
          >
            {t('The terms of licenses. A license keeps the terms that it was issued with.')}
          </PageHead>
          <Panel>
            <Loaded query={types}>
              {(rows) =>
                rows.length === 0 ? (
                  <Empty icon={<LayersIcon size={26} />} title={t('No license types yet')} action={create}>
                    {t(
                      'A type defines how long a license is valid and on how many devices it works: for example “Pro, yearly” with three seats.',
                    )}
                  </Empty>
                ) : (
                  <Table
                    label={t('License types')}
                    items={rows}
                    id={({ id }) => id}
                    href={({ id }) => href(`/products/${productId}/licenses`, { type: String(id) })}
                    columns={[
                      {
                        name: t('Name'),
                        cell: ({ id, name: typeName }) => (
                          <Link to={href(`/products/${productId}/licenses`, { type: String(id) })} className={tableClasses['link']}>
                            <Name>{typeName}</Name>
                          </Link>
                        ),
                      },
                      { name: t('Id'), right: true, extra: true, cell: ({ id }) => <Dim>{id}</Dim> },
                      { name: t('Kind'), clear: true, cell: ({ kind }) => kinds[kind].label },
                      { name: t('Seats'), clear: true, cell: seatsOf },
                      { name: t('Duration'), cell: lastsFor },
                      { name: t('Covers'), cell: typeCoverage },
                      {
                        name: t('Features'),
                        extra: true,
                        cell: ({ features }) => (features.length === 0 ? <Dim>{t('None')}</Dim> : <Name>{features.join(' ')}</Name>),
                      },
                      {
                        name: t('State'),
                        clear: true,
                        cell: ({ archived, self_service: selfService }) =>
                          archived ? <Dim>{t('Archived')}</Dim> : selfService ? t('Offered, without a key') : t('Offered'),
                      },
                      { name: t('Created'), extra: true, cell: ({ created_at: at }) => <Ago at={at} /> },
                      {
                        name: t('Action'),
                        nameless: true,
                        right: true,
                        cell: (type) => (
                          <Act
                            call="updateLicenseType"
                            size="xs"
                            onClick={() => setEditing(type)}
                            aria-label={t('Edit {name}', { name: type.name })}
                          >
                            {t('Edit')}
                          </Act>
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
