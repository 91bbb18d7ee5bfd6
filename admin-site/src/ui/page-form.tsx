import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Row } from './page';
import { Problem } from './states';
import { areAtFields } from './wrong-field';
import classes from './page.module.css';

/** A form that is a part of a page: fields, the error, and buttons. */
export function PageForm({
  onSubmit,
  submit,
  icon,
  primary = false,
  busy,
  error,
  fields = [],
  disabled = false,
  readOnly = false,
  actions,
  children,
}: {
  readonly onSubmit: () => void;
  readonly submit: string;
  /** An icon to the left of the text of the button. */
  readonly icon?: ReactNode;
  /** True if this is the most important action of the page. */
  readonly primary?: boolean;
  readonly busy: boolean;
  readonly error: Error | null;
  /** The fields that can show a problem next to their input, by their names in the API. */
  readonly fields?: readonly string[];
  /** True while the input is incomplete or unchanged. */
  readonly disabled?: boolean;
  /** Leaves out the buttons, because the operator may not change the values. */
  readonly readOnly?: boolean;
  /** More buttons. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <form
      className={classes['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !disabled) onSubmit();
      }}
    >
      {children}
      {error && !areAtFields(error, fields) && <Problem error={error} />}
      {!readOnly && (
        <Row>
          <Button type="submit" loading={busy} disabled={disabled} leftSection={icon} {...(!primary && { variant: 'default' })}>
            {submit}
          </Button>
          {actions}
        </Row>
      )}
    </form>
  );
}
