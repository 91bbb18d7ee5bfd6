import type { ReactNode } from 'react';
import classes from './check.module.css';

/** What the service refused about a field that is not an input of Mantine. */
export const Wrong = ({ children }: { children: string | undefined }) =>
  children !== undefined && <span className={classes['wrong']}>{children}</span>;

/** A checkbox. */
export const Check = ({
  label,
  note,
  checked,
  onChange,
  error,
  disabled = false,
}: {
  label: ReactNode;
  note?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** What the service refused about the value. */
  error?: string | undefined;
  disabled?: boolean;
}) => (
  <label className={classes['check']}>
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      aria-invalid={error !== undefined}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>
      {label}
      {note && <span className={classes['note']}>{note}</span>}
      <Wrong>{error}</Wrong>
    </span>
  </label>
);
