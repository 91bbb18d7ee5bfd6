import { useEffect, useSyncExternalStore } from 'react';
import { CheckIcon, CloseIcon } from './icons';
import classes from './toast.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly visible: boolean;
}

const SHOWN_MS = 5000;

let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const add = (text: string, visible: boolean): void => change([...toasts.filter((toast) => toast.visible).slice(-2), { id: (count += 1), text, visible }]);
const remove = (id: number): void => change(toasts.filter((toast) => toast.id !== id));

/** Tells that something was done, in a corner of the page and to screen readers. */
export const toast = (text: string): void => add(text, true);
/** Tells screen readers only, where sight has its sign already. */
export const announce = (text: string): void => add(text, false);

function Line({ toast: { id, text, visible } }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => remove(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id]);
  if (!visible) return <span className={classes['hidden']}>{text}</span>;
  return (
    <div className={classes['toast']}>
      <CheckIcon size={18} />
      <span>
        <bdi>{text}</bdi>
      </span>
      <button type="button" className={classes['close']} aria-label="Dismiss" onClick={() => remove(id)}>
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
