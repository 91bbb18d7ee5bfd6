import { useEffect, useState, useSyncExternalStore } from 'react';
import { t } from '../texts';
import { copyText } from './copy-text';
import { CheckIcon, CloseIcon, WarningIcon } from './icons';
import classes from './toast.module.css';
import hidden from './hidden.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly visible: boolean;
  /** True if a requested action failed. */
  readonly failed?: boolean;
  /** The request as a curl command. */
  readonly curl?: string | undefined;
  /** Takes the action back. */
  readonly undo?: (() => void) | undefined;
}

const SHOWN_MS = 5000;
/** A message with a button to undo stays longer, because a mistake is often noticed only after a moment. */
const UNDO_MS = 15_000;

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const add = (toast: Omit<Toast, 'id'>): void =>
  change([...toasts.filter(({ visible }) => visible).slice(-2), { id: (count += 1), ...toast }]);
const remove = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

/** Shows a message about a completed action at the bottom of the page. Screen readers announce it. */
export const toast = (text: string, curl?: string, undo?: () => void): void => add({ text, visible: true, curl, undo });
/** Shows a message about a failed action, if no dialog is open that could show it. */
export const toastFailure = (text: string): void => add({ text, visible: true, failed: true });
/** Announces a result that is already visible on the page. Only screen readers get this message. */
export const announce = (text: string): void => add({ text, visible: false });

function Line({ toast: { id, text, visible, failed = false, curl, undo } }: { toast: Toast }) {
  const [held, setHeld] = useState(false);
  // While the pointer or the focus is on the message, the message stays, so that there is enough time to use its buttons.
  useEffect(() => {
    if (held) return undefined;
    const timer = setTimeout(() => remove(id), failed || undo ? UNDO_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, failed, undo, held]);
  if (!visible) return <span className={hidden['hidden']}>{text}</span>;
  return (
    <div
      className={`${classes['toast'] ?? ''} ${failed ? (classes['failed'] ?? '') : ''}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {failed ? <WarningIcon size={18} /> : <CheckIcon size={18} />}
      <span>
        <bdi>{text}</bdi>
      </span>
      {undo && (
        <button
          type="button"
          className={classes['curl']}
          onClick={() => {
            remove(id);
            undo();
          }}
        >
          {t('Undo')}
        </button>
      )}
      {curl !== undefined && (
        <button
          type="button"
          className={classes['curl']}
          onClick={() => {
            void copyText(curl).then((done) => {
              remove(id);
              if (done) toast(t('Copied as curl. The command reads the token from $SVC_ADMIN_TOKEN'));
              else toastFailure(t('The command could not be copied'));
            });
          }}
        >
          {t('Copy as curl')}
        </button>
      )}
      <button type="button" className={classes['close']} aria-label={t('Dismiss')} onClick={() => remove(id)}>
        <CloseIcon size={14} />
      </button>
    </div>
  );
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className={classes['region']} role="status" aria-live="polite">
      {shown.map((item) => (
        <Line key={item.id} toast={item} />
      ))}
    </div>
  );
}
