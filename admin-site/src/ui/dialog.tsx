import { Button, Modal } from '@mantine/core';
import { createContext, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { ReadOnlyReasons } from '../permission';
import { useSession } from '../session';
import { t } from '../texts';
import { Form, type FormProps } from './form';
import classes from './dialog.module.css';

/**
 * What is lost if the dialog is closed: unsaved input, the rest of an action that is running for many items, or a secret that is shown
 * once.
 */
type Unfinished = 'input' | 'action' | 'secret';

interface Frame {
  /** Reports what is lost if the dialog is closed; undefined if nothing is lost. */
  readonly report: (unfinished: Unfinished | undefined) => void;
  /** Called when a form has been replaced by its result. The button that had the focus is gone, so the dialog gets the focus. */
  readonly keepFocus: () => void;
}

/** Connects the content of a dialog to the dialog. */
const InDialog = createContext<Frame>({ report: () => undefined, keepFocus: () => undefined });
/** Tells a form that its dialog is fading out. The form then ignores clicks on its submit button, so that only one request is sent. */
const Closing = createContext(false);

/** While something would be lost, the dialog asks before it closes. */
function useUnfinished(what: Unfinished, isUnfinished: boolean): void {
  const { report } = useContext(InDialog);
  // A layout effect runs before the user can see the content, so Escape never closes the dialog without the question.
  useLayoutEffect(() => {
    report(isUnfinished ? what : undefined);
    return () => report(undefined);
  }, [report, what, isUnfinished]);
}

/** Until the action has ended, the dialog asks before it closes, because closing stops the action. */
export const useRunningAction = (running: boolean): void => useUnfinished('action', running);

/** Until a secret that is shown only once was copied, the dialog asks before it closes. */
export const useShownOnce = (isCopied: boolean): void => useUnfinished('secret', !isCopied);

const questions: Readonly<Record<Unfinished, { readonly question: string; readonly stay: string; readonly leave: string }>> = {
  input: { question: t('Discard your changes?'), stay: t('Keep editing'), leave: t('Discard') },
  secret: { question: t('It will not be shown again. Have you copied it?'), stay: t('Go back'), leave: t('I have copied it') },
  action: { question: t('The action has not ended. Stop it?'), stay: t('Let it continue'), leave: t('Stop and close') },
};

/** Moves the focus to the element that opened a dialog or, if that element is gone or disabled, to the content of the page. */
function returnFocus(opener: Element | null): void {
  for (const target of [opener, document.querySelector('main')]) {
    if (!(target instanceof HTMLElement) || target === document.body) continue;
    target.focus({ preventScroll: true });
    if (document.activeElement === target) return;
  }
}

/**
 * A dialog. Escape, the close button or a click outside closes the dialog. If its form has unsaved input, or if an action is running, the
 * dialog asks first. After closing, the focus returns to the element that opened the dialog or, if that is not possible, to the content of
 * the page.
 */
export function Dialog({
  title,
  opened,
  onClose,
  size = 'md',
  children,
}: {
  title: string;
  opened: boolean;
  onClose: () => void;
  size?: 'md' | 'lg' | 'xl';
  children: ReactNode;
}) {
  const content = useRef<HTMLDivElement>(null);
  const unfinished = useRef<Unfinished>(undefined);
  const [asked, setAsked] = useState<Unfinished>();
  const { token } = useSession();
  useEffect(() => {
    if (opened) return;
    unfinished.current = undefined;
    setAsked(undefined);
  }, [opened]);
  useEffect(() => {
    if (!opened) return undefined;
    const opener = document.activeElement;
    // If another page or dialog was opened when this dialog was closed, that page or dialog has the focus and keeps it.
    return () =>
      void setTimeout(() => {
        const { activeElement: focused } = document;
        if (focused === document.body || content.current?.contains(focused)) returnFocus(opener);
      });
  }, [opened]);
  const frame = useMemo<Frame>(
    () => ({
      report: (now) => {
        unfinished.current = now;
        if (now === undefined) setAsked(undefined);
      },
      keepFocus: () => {
        if (document.activeElement === document.body) content.current?.focus({ preventScroll: true });
      },
    }),
    [],
  );
  const asking = asked && questions[asked];
  const ask = (): void => {
    if (unfinished.current) setAsked(unfinished.current);
    else onClose();
  };
  const stay = (): void => {
    setAsked(undefined);
    // The button that had the focus is gone.
    content.current?.focus({ preventScroll: true });
  };
  const leave = (): void => {
    if (asking) stay();
    else ask();
  };
  return (
    <Modal.Root
      opened={opened}
      onClose={leave}
      // While the sign-in form covers this dialog, Escape must not close this dialog.
      closeOnEscape={token !== null}
      size={size}
      centered
      // This component returns the focus itself, because Mantine does so only if the opener still exists and the dialog was not removed.
      returnFocus={false}
      // Mantine would lock scrolling with a style element, which the content security policy blocks. theme.css locks scrolling instead.
      lockScroll={false}
      transitionProps={{ transition: 'fade', duration: 120 }}
      classNames={{
        content: classes['content'] ?? '',
        header: classes['header'] ?? '',
        title: classes['title'] ?? '',
        body: classes['body'] ?? '',
      }}
    >
      <Modal.Overlay backgroundOpacity={0.5} />
      <Modal.Content ref={content}>
        {/* Without this role, screen readers would treat a header element outside main as the header of the page. */}
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t('Close')} onClick={ask} />
        </Modal.Header>
        <Modal.Body>
          <Closing value={!opened}>
            <InDialog value={frame}>
              <ReadOnlyReasons>{children}</ReadOnlyReasons>
            </InDialog>
          </Closing>
          {asking && (
            <div className={classes['asking']} role="alert">
              <span>{asking.question}</span>
              <span className={classes['actions']}>
                <Button variant="default" size="xs" autoFocus onClick={stay}>
                  {asking.stay}
                </Button>
                <Button color="red" size="xs" onClick={onClose}>
                  {asking.leave}
                </Button>
              </span>
            </div>
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

export const DialogActions = ({ children }: { children: ReactNode }) => <div className={classes['actions']}>{children}</div>;

/** A form in a dialog: fields, the error, and buttons to submit and cancel. */
export function DialogForm({
  onCancel,
  submit,
  danger = false,
  aside,
  ...form
}: FormProps & {
  readonly onCancel: () => void;
  readonly danger?: boolean;
  /** Content to the left of the buttons. */
  readonly aside?: ReactNode;
}) {
  const { report, keepFocus } = useContext(InDialog);
  const closing = useContext(Closing);
  useLayoutEffect(() => () => report(undefined), [report]);
  // This is not a layout effect, because the cleanup of a layout effect runs while the focused button still exists.
  useEffect(() => keepFocus, [keepFocus]);
  return (
    <Form
      {...form}
      className={classes['form']}
      onInput={() => report('input')}
      onSubmit={() => {
        if (!closing) form.onSubmit();
      }}
      footer={(isOff) => (
        <DialogActions>
          {aside && <span className={classes['aside']}>{aside}</span>}
          <Button variant="default" onClick={onCancel} {...(danger && { 'data-autofocus': true })}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={form.change.isPending} disabled={isOff} {...(danger && { color: 'red' })}>
            {submit}
          </Button>
        </DialogActions>
      )}
    />
  );
}
