import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Order } from '../api';
import { useSellAs } from '../queries/payments';
import { useTypes } from '../queries/products';
import { t, T } from '../texts';
import { PageForm } from '../ui/page-form';
import { Loaded } from '../ui/states';
import { wrongWith } from '../ui/wrong-field';

/** The refs of an order that no plan names. */
const unnamed = ({ lines }: Order): readonly string[] => [
  ...new Set(lines.flatMap(({ ref, license_type_id: type }) => (type === null && ref !== null ? [ref] : []))),
];

/**
 * Adds a plan for each ref of a held order that no plan names, and then processes the order.
 *
 * @param held the ids of the order's held notifications
 */
export function SellAs({ order, held }: { order: Order; held: readonly string[] }) {
  const types = useTypes(order.product_id);
  const sell = useSellAs(order);
  const [chosen, setChosen] = useState<ReadonlyMap<string, number>>(new Map());
  const refs = unnamed(order);
  if (refs.length === 0 || held.length === 0) return null;
  return (
    <Loaded query={types} lines={2}>
      {(all) => {
        const offered = all.filter(({ archived }) => !archived);
        return (
          <PageForm
            onSubmit={() => sell.mutate({ types: chosen, held })}
            submit={t('Add and process')}
            primary
            change={{ ...sell, call: 'updatePaymentConnection' }}
            disabled={chosen.size === 0}
          >
            {refs.map((ref) => (
              <NativeSelect
                key={ref}
                label={<T text="Add a plan for {ref}" values={{ ref: <code>{ref}</code> }} />}
                description={t('Every sale of this product or price then issues this license type.')}
                value={String(chosen.get(ref) ?? '')}
                error={chosen.has(ref) && wrongWith(sell.error, 'plans')}
                onChange={(event) => {
                  const { value } = event.currentTarget;
                  const others = [...chosen].filter(([other]) => other !== ref);
                  setChosen(new Map(value === '' ? others : [...others, [ref, Number(value)]]));
                }}
                data={[
                  { value: '', label: t('Choose a license type') },
                  ...offered.map(({ id, name }) => ({ value: String(id), label: name })),
                ]}
              />
            ))}
          </PageForm>
        );
      }}
    </Loaded>
  );
}
