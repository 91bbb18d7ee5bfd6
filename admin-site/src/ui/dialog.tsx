import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './states';
import classes from './dialog.module.css';

/** A dialog. Escape and a click beside it close it; the focus goes back to what opened it. */
export function Dialog({ title, opened, onClose, size = 'md', children }: { title: string; opened: boolean; onClose: () => void; size?: 'md' | 'lg' | 'xl'; children: ReactNode }) {
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered
      // By a style element, which the page's policy refuses; theme.css does it.
      lockScroll={false}
      transitionProps={{ transition: 'fade', duration: 120 }}
      classNames={{ content: classes['content'] ?? '', header: classes['header'] ?? '', title: classes['title'] ?? '', body: classes['body'] ?? '' }}
    >
      <Modal.Overlay backgroundOpacity={0.5} />
      <Modal.Content>
        {/* A header outside of main would be taken for the page's own. */}
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

export const DialogActions = ({ children }: { children: ReactNode }) => <div className={classes['actions']}>{children}</div>;

interface Form {
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly submit: string;
  readonly busy: boolean;
  readonly error: Error | null;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** A form in a dialog: fields, what went wrong, and the two ways out. */
export function DialogForm({ onSubmit, onCancel, submit, busy, error, danger = false, disabled = false, children }: Form) {
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
      {error && <Problem error={error} />}
      <DialogActions>
        <Button variant="default" onClick={onCancel} {...(danger && { 'data-autofocus': true })}>
          Cancel
        </Button>
        <Button type="submit" loading={busy} disabled={disabled} {...(danger && { color: 'red' })}>
          {submit}
        </Button>
      </DialogActions>
    </form>
  );
}
