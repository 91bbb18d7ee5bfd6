import type { ReactNode } from 'react';
import classes from './check.module.css';

/** A checkbox. */
export const Check = ({
  label,
  note,
  checked,
  onChange,
  disabled = false,
}: {
  label: ReactNode;
  note?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) => (
  <label className={classes['check']}>
    <input type="checkbox" checked={checked} disabled={disabled} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>
      {label}
      {note && <span className={classes['note']}>{note}</span>}
    </span>
  </label>
);
