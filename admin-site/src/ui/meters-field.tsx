import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { LicenseType } from '../api';
import { t } from '../texts';
import { Check } from './check';
import { PlusIcon } from './icons';
import classes from './meters-field.module.css';
import { NumberField, numberIn } from './number-field';
import type { Field } from './use-fields';
import { wrongWith } from './wrong-field';

type Terms = LicenseType['meters'][number];

/** The input for the terms of one meter. */
export type MeterInput = Omit<Terms, 'included'> & { readonly included: string };

export const meterInputs = (meters: readonly Terms[]): readonly MeterInput[] =>
  meters.map(({ name, included, period, overage, returnable }) => ({ name, included: String(included), period, overage, returnable }));

/** The terms for a request; undefined if a meter has no name or no amount. */
export function metersIn(inputs: readonly MeterInput[]): Terms[] | undefined {
  const meters = inputs.flatMap(({ name, included, returnable, ...rest }) => {
    const amount = numberIn(included);
    if (name.trim() === '' || amount === undefined) return [];
    return [{ ...rest, name: name.trim(), included: amount, returnable: returnable && rest.period === 'none' }];
  });
  return meters.length === inputs.length ? meters : undefined;
}

/** The words for each period of a meter. */
export const periodWords: Readonly<Record<Terms['period'], string>> = {
  none: t('for the whole life of the license'),
  month: t('each month'),
  term: t('each term'),
};
const overageWords: Readonly<Record<Terms['overage'], string>> = { refuse: t('is refused'), allow: t('is counted too') };

const MAX_METERS = 10;
const added: MeterInput = { name: '', included: '', period: 'month', overage: 'refuse', returnable: false };

const optionsOf = <Value extends string>(words: Readonly<Record<Value, string>>): { value: Value; label: string }[] =>
  (Object.keys(words) as Value[]).map((value) => ({ value, label: words[value] }));

/**
 * Fields for the terms of meters.
 *
 * @param refusal the last refusal of the request. Its problems are shown at the meters that it names
 */
export function MetersField({ value: meters, onChange, error, refusal }: Field<readonly MeterInput[]> & { refusal: Error | null }) {
  const change = (index: number, changed: Partial<MeterInput>): void =>
    onChange(meters.map((meter, place) => (place === index ? { ...meter, ...changed } : meter)));
  const problem = (index: number, field: keyof MeterInput): string | undefined => wrongWith(refusal, `meters[${index}].${field}`);
  const isShownAtMeter = meters.some((_, index) => problem(index, 'name') ?? problem(index, 'included'));
  return (
    <fieldset className={classes['meters']}>
      <legend>{t('Meters (optional)')}</legend>
      <p className={classes['note']}>{t('Amounts that the service counts, such as exports. Apps report what was consumed.')}</p>
      {meters.map((meter, index) => (
        <div key={index} role="group" aria-label={t('Meter {number}', { number: String(index + 1) })} className={classes['meter']}>
          <div className={classes['fields']}>
            <TextInput
              label={t('Meter')}
              value={meter.name}
              onChange={(event) => change(index, { name: event.currentTarget.value })}
              error={problem(index, 'name')}
              autoComplete="off"
              spellCheck={false}
            />
            <NumberField
              label={t('Included')}
              value={meter.included}
              onChange={(included) => change(index, { included })}
              error={problem(index, 'included')}
            />
            <NativeSelect
              label={t('Counted')}
              value={meter.period}
              onChange={(event) => change(index, { period: event.currentTarget.value as Terms['period'] })}
              data={optionsOf(periodWords)}
            />
            <NativeSelect
              label={t('What exceeds it')}
              value={meter.overage}
              onChange={(event) => change(index, { overage: event.currentTarget.value as Terms['overage'] })}
              data={optionsOf(overageWords)}
            />
          </div>
          <div className={classes['last']}>
            {meter.period === 'none' && (
              <Check label={t('Apps can give back')} checked={meter.returnable} onChange={(returnable) => change(index, { returnable })} />
            )}
            <Button
              size="xs"
              variant="default"
              onClick={() => onChange(meters.filter((_, place) => place !== index))}
              aria-label={t('Remove meter {number}', { number: String(index + 1) })}
            >
              {t('Remove')}
            </Button>
          </div>
        </div>
      ))}
      {error !== undefined && !isShownAtMeter && (
        <p role="alert" className={classes['wrong']}>
          {error}
        </p>
      )}
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<PlusIcon size={14} />}
          disabled={meters.length >= MAX_METERS}
          onClick={() => onChange([...meters, added])}
        >
          {t('Add a meter')}
        </Button>
      </div>
    </fieldset>
  );
}
