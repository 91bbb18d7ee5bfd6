/** @jsxImportSource preact */
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './api';
import { texts } from './texts';

/** The message that the buyer sees about an error. @param own the caller's messages by error code; they replace the general messages */
export function wordsFor(error: unknown, own: Readonly<Record<string, string>> = {}): string {
  const { errors } = texts;
  if (!(error instanceof Problem)) return errors.fault;
  const known = own[error.code];
  if (known !== undefined) return known;
  if (error.status === 0) return errors.offline;
  if (error.status === 429) return errors.busy;
  if (error.code === 'forbidden') return errors.notAllowed;
  // The portal was disabled, or the license now belongs to somebody else.
  if (error.status === 404) return errors.gone;
  return errors.fault;
}

export interface Run {
  readonly busy: boolean;
  readonly problem: string | undefined;
  /** Starts an action. Has no effect while another action is running. */
  readonly start: (action: () => Promise<void>) => void;
}

/** Runs one action at a time. The result says whether an action is running, and contains the message if the last action failed. */
export function useRun(own?: Readonly<Record<string, string>>, onEnded?: (error: unknown) => boolean): Run {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const running = useRef(false);
  const start = (action: () => Promise<void>): void => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    action()
      .catch((error: unknown) => {
        if (!onEnded?.(error)) setProblem(wordsFor(error, own));
      })
      .finally(() => {
        running.current = false;
        setBusy(false);
      });
  };
  return { busy, problem, start };
}

/** A heading that takes the focus when it appears, so that screen readers announce the new view. */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // A layout effect runs before the first paint, so that the heading has the focus when the view becomes visible.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}

export const Alert = ({ children }: { readonly children: ComponentChildren }) => (
  <div role="alert" class="alert-place">
    {children ? <p class="alert">{children}</p> : null}
  </div>
);

export const Status = ({ children }: { readonly children: ComponentChildren }) => (
  <div role="status" class="status-place">
    {children ? <p class="note">{children}</p> : null}
  </div>
);

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'class' | 'disabled'> & {
  readonly kind?: 'main' | 'plain' | 'bad';
  readonly busy?: boolean;
  readonly buttonRef?: RefObject<HTMLButtonElement | null>;
};

/** A button. While it is busy, it stays focusable and ignores clicks. */
export const Button = ({ kind = 'plain', busy = false, buttonRef, onClick, ...rest }: ButtonProps) => (
  <button
    ref={buttonRef}
    type="button"
    {...rest}
    class={`button ${kind}`}
    aria-disabled={busy || rest['aria-disabled'] ? true : undefined}
    aria-busy={busy || undefined}
    onClick={busy ? (event) => event.preventDefault() : onClick}
  />
);

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly input?: JSX.IntrinsicElements['input'];
}

export const Field = ({ id, label, value, onValue, input }: FieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input id={id} required value={value} onInput={(event) => onValue(event.currentTarget.value)} {...input} />
  </div>
);

/**
 * Attributes of the field for an e-mail address. The type `email` is not used, because in such a field, browsers
 * refuse `jörg@example.com` and change `anna@bücher.example` to another spelling.
 */
export const emailInput = {
  type: 'text',
  inputMode: 'email',
  autocomplete: 'email',
  maxLength: 254,
  spellcheck: false,
  autocapitalize: 'none',
  autocorrect: 'off',
} as const;
/** Attributes of the field for a code. The browser may fill in the code. People may type spaces or hyphens between the digits. */
export const codeInput = {
  inputMode: 'numeric',
  autocomplete: 'one-time-code',
  pattern: '[0-9\\s\\-]*',
  maxLength: 20,
  spellcheck: false,
  class: 'code',
} as const;
export const digitsOf = (code: string): string => code.replace(/\D/g, '');
export const CODE_DIGITS = 8;

/** The length of a day, in ms. */
export const DAY_MS = 86_400_000;

const day = new Intl.DateTimeFormat(texts.language, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
export const dayOf = (timestamp: string): string => day.format(new Date(timestamp));

const relative = new Intl.RelativeTimeFormat(texts.language, { numeric: 'auto' });
const units = [
  ['year', 365],
  ['month', 30],
  ['day', 1],
] as const;

/** The time until a timestamp, in words: `in 3 months`. */
export function distanceOf(timestamp: string, now: number): string {
  const days = Math.round((Date.parse(timestamp) - now) / DAY_MS);
  const [unit, length] = units.find(([, least]) => Math.abs(days) >= least * 2) ?? ['day', 1];
  return relative.format(Math.round(days / length), unit);
}

/** How long ago a time was, in minutes; at least 1. */
export const minutesSince = (timestamp: string): number => Math.max(1, Math.round((Date.now() - Date.parse(timestamp)) / 60_000));

const regions = new Intl.DisplayNames(texts.language, { type: 'region' });
/** The name of a country. @param code as in ISO 3166-1 alpha-2 */
export const countryOf = (code: string): string => regions.of(code) ?? code;

/** Copies a text to the clipboard; returns false if the browser does not allow that. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
