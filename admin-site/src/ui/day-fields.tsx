import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { dayOf } from '../format';
import type { DayRange } from '../queries/days';
import { t } from '../texts';
import classes from './day-fields.module.css';

/**
 * A field for a day. An input takes effect when the field loses the focus, because browsers also accept a partly typed year, such as 0020,
 * as a valid year.
 */
export function DayField({
  day,
  onChange,
  ...name
}: { day: string | undefined; onChange: (day: string | undefined) => void } & Pick<TextInputProps, 'label' | 'aria-label'>) {
  const shown = day?.slice(0, 10);
  return (
    <TextInput
      type="date"
      size="xs"
      {...name}
      key={day}
      defaultValue={shown}
      onBlur={({ currentTarget: { value } }) => {
        if (value !== (shown ?? '')) onChange(dayOf(value));
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}

/** Two fields for the first and the last day, both included. */
export function DayFields({ label, range, onChange }: { label: string; range: DayRange | undefined; onChange: (range: DayRange) => void }) {
  const field = (end: 'from' | 'to', name: string): ReactNode => (
    <DayField label={name} day={range?.[end]} onChange={(day) => onChange({ ...range, [end]: day })} />
  );
  return (
    <div className={classes['days']}>
      {field('from', t('{what} from', { what: label }))}
      {field('to', t('{what} until', { what: label }))}
    </div>
  );
}
