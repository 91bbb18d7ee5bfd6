import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { dayOf } from '../format';
import type { DayRange } from '../queries/days';
import { t } from '../texts';
import classes from './day-fields.module.css';

/**
 * Two fields for the first and the last day, both included. An input takes effect when its field loses the focus, because browsers also
 * accept a partly typed year, such as 0020, as a valid year.
 */
export function DayFields({ label, range, onChange }: { label: string; range: DayRange | undefined; onChange: (range: DayRange) => void }) {
  const field = (end: 'from' | 'to', name: string): ReactNode => (
    <TextInput
      type="date"
      size="xs"
      label={name}
      key={range?.[end]}
      defaultValue={range?.[end]?.slice(0, 10)}
      onBlur={({ currentTarget: { value } }) => {
        if (value !== (range?.[end]?.slice(0, 10) ?? '')) onChange({ ...range, [end]: dayOf(value) });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
  return (
    <div className={classes['days']}>
      {field('from', t('{what} from', { what: label }))}
      {field('to', t('{what} until', { what: label }))}
    </div>
  );
}
