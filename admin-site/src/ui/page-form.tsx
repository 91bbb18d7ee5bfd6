import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Controls } from '../permission';
import { Form, type FormProps } from './form';
import { Row } from './page';
import classes from './page.module.css';

/** A form that is a part of a page: fields, the error, and buttons. */
export const PageForm = ({
  submit,
  icon,
  primary = false,
  actions,
  ...form
}: FormProps & {
  /** An icon to the left of the text of the button. */
  readonly icon?: ReactNode;
  /** True if this is the most important action of the page. */
  readonly primary?: boolean;
  /** More buttons, for the same request. */
  readonly actions?: ReactNode;
}) => (
  <Form
    {...form}
    className={classes['form']}
    footer={(isOff) => (
      <Controls call={form.change.call}>
        <Row>
          <Button
            type="submit"
            loading={form.change.isPending}
            disabled={isOff}
            leftSection={icon}
            {...(!primary && { variant: 'default' })}
          >
            {submit}
          </Button>
          {actions}
        </Row>
      </Controls>
    )}
  />
);
