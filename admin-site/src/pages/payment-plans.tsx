import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { useEffect } from 'react';
import { call, type LicenseType, type PaymentConnection } from '../api';
import { expectUnchanged } from '../queries/change';
import { useConnectionChange } from '../queries/payments';
import { t } from '../texts';
import { PlusIcon, TrashIcon } from '../ui/icons';
import { NumberField, numberIn } from '../ui/number-field';
import { Row } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { Refilled, type Fill } from '../ui/refilled';
import { useFields } from '../ui/use-fields';
import { wrongWith } from '../ui/wrong-field';
import type { Guide } from './processors';
import classes from './payments.module.css';

type Plan = PaymentConnection['plans'][number];

const quantities: readonly { readonly value: Plan['quantity']; readonly label: string }[] = [
  { value: 'licenses', label: t('One license each') },
  { value: 'seats', label: t('One license with more seats') },
  { value: 'one', label: t('One license, ignoring the quantity') },
];

const extensions: readonly { readonly value: Plan['extends']; readonly label: string }[] = [
  { value: 'license', label: t('The license') },
  { value: 'updates', label: t('Only the updates') },
];

/** The license types that a plan can issue: all types that are not archived, and the plan's current type. */
const choicesOf = (types: readonly LicenseType[], chosen: number | null): { value: string; label: string }[] =>
  types
    .filter(({ id, archived }) => !archived || id === chosen)
    .map(({ id, name, archived }) => ({ value: String(id), label: archived ? t('{name} (archived)', { name }) : name }));

interface Props {
  readonly types: readonly LicenseType[];
  readonly refs: Guide['refs'];
}

/** The stored values that the form edits. */
const valuesOf = ({ plans, default_license_type_id }: PaymentConnection): Values => ({ plans, default_license_type_id });
type Values = { plans: readonly Plan[]; default_license_type_id: number | null };

function Form({ filled: connection, onEdited, onSaved, types, refs }: Props & Fill<PaymentConnection>) {
  const save = useConnectionChange(connection, t('Saved the plans'), {
    onSuccess: onSaved,
    before: async () => {
      const present = await call('getPaymentConnection', { params: { id: connection.id } });
      expectUnchanged(valuesOf(connection), valuesOf(present));
    },
  });
  const { values, field, change: set } = useFields<Values>(valuesOf(connection), save);
  const { plans, default_license_type_id: otherwise } = values;
  const setPlans = (next: readonly Plan[]): void => set({ plans: next });
  const first = types.find(({ archived }) => !archived);
  const change = (index: number, fields: Partial<Plan>): void =>
    setPlans(plans.map((plan, place) => (place === index ? { ...plan, ...fields } : plan)));
  const given = plans.map((plan) => ({ ...plan, ref: plan.ref.trim() }));
  const isChanged = JSON.stringify({ ...values, plans: given }) !== JSON.stringify(valuesOf(connection));
  useEffect(() => onEdited(isChanged), [isChanged, onEdited]);
  const sent = given.filter(({ ref }) => ref !== '');
  /** What the service refused about a value of a plan. */
  const wrong = (index: number, name: keyof Plan): string | undefined =>
    wrongWith(save.error, `plans[${sent.findIndex((plan) => plan === given[index])}].${name}`);
  const doubled = given.find(({ ref }, index) => ref !== '' && given.findIndex((other) => other.ref === ref) < index);
  return (
    <PageForm
      onSubmit={() =>
        save.mutate({
          params: { id: connection.id },
          body: { plans: sent, default_license_type_id: otherwise },
        })
      }
      submit={t('Save the plans')}
      change={save}
      disabled={!isChanged || doubled !== undefined}
    >
      <p className={classes['dim']}>
        {refs.what}{' '}
        {t(
          'A sale for which there is no plan issues a license of the type “For other sales”, or is held until you decide. If “Perpetual after (months)” is set and the subscription ends after at least that many consecutive paid months, the license stays valid for the versions that it covers at that time.',
        )}
      </p>
      {plans.map((plan, index) => (
        <div key={index} className={classes['plan']} role="group" aria-label={t('Plan {number}', { number: String(index + 1) })}>
          <TextInput
            label={t('Id of the product sold')}
            placeholder={refs.example}
            value={plan.ref}
            error={wrong(index, 'ref')}
            onChange={(event) => change(index, { ref: event.currentTarget.value })}
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
          />
          <NativeSelect
            label={t('License type')}
            value={String(plan.license_type_id)}
            error={wrong(index, 'license_type_id')}
            onChange={(event) => change(index, { license_type_id: Number(event.currentTarget.value) })}
            data={choicesOf(types, plan.license_type_id)}
          />
          <NativeSelect
            label={t('For a quantity above one')}
            value={plan.quantity}
            error={wrong(index, 'quantity')}
            onChange={(event) =>
              change(index, { quantity: quantities.find(({ value }) => value === event.currentTarget.value)?.value ?? 'licenses' })
            }
            data={[...quantities]}
          />
          <NativeSelect
            label={t('Each payment extends')}
            value={plan.extends}
            error={wrong(index, 'extends')}
            onChange={(event) => {
              const isUpdates = event.currentTarget.value === 'updates';
              change(index, isUpdates ? { extends: 'updates', fallback_months: null } : { extends: 'license' });
            }}
            data={[...extensions]}
          />
          <NumberField
            label={t('Perpetual after (months)')}
            value={plan.fallback_months === null ? '' : String(plan.fallback_months)}
            error={wrong(index, 'fallback_months')}
            onChange={(months) => change(index, { fallback_months: numberIn(months) ?? null })}
            disabled={plan.extends === 'updates'}
          />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t('Remove plan {number}', { number: String(index + 1) })}
            title={t('Remove')}
            onClick={() => setPlans(plans.filter((_, place) => place !== index))}
          >
            <TrashIcon size={16} />
          </ActionIcon>
        </div>
      ))}
      <Row>
        <Button
          variant="default"
          size="xs"
          leftSection={<PlusIcon size={15} />}
          disabled={!first || plans.length >= 200}
          onClick={() =>
            first &&
            setPlans([...plans, { ref: '', license_type_id: first.id, quantity: 'licenses', extends: 'license', fallback_months: null }])
          }
        >
          {t('Add a plan')}
        </Button>
      </Row>
      <NativeSelect
        label={t('For other sales')}
        value={otherwise === null ? '' : String(otherwise)}
        onChange={({ currentTarget: { value } }) => set({ default_license_type_id: value === '' ? null : Number(value) })}
        error={field('default_license_type_id').error}
        data={[{ value: '', label: t('Hold the sale') }, ...choicesOf(types, otherwise)]}
      />
      {doubled && <p role="alert">{t('“{id}” is used twice.', { id: doubled.ref })}</p>}
    </PageForm>
  );
}

/** Maps the processor's ids of prices or products to the license types that a sale issues. */
export function PaymentPlans({ connection, ...props }: Props & { connection: PaymentConnection }) {
  return (
    <Refilled stored={connection} valuesOf={(one) => JSON.stringify(valuesOf(one))}>
      {(fill) => <Form {...props} {...fill} />}
    </Refilled>
  );
}
