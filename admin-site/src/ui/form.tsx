import { useLayoutEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { Controls, useMay } from '../permission';
import type { Name } from '../routes';
import { Problem } from './states';
import { wrongFields } from './wrong-field';

/** The request that a form sends. What `useChange` and `useBatch` return has these properties. */
export interface Sending {
  /** The endpoint; undefined if the form changes something only in this browser. */
  readonly call: Name | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
}

/** A form that changes something only in this browser. */
export const localChange: Sending = { call: undefined, isPending: false, error: null };

/** What a form of a dialog and a form of a page have in common. */
export interface FormProps {
  readonly change: Sending;
  readonly onSubmit: () => void;
  /** The text of the button that sends the form. */
  readonly submit: string;
  /** True while the input is incomplete or unchanged. */
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** True if an element shows each problem of a refusal, because each problem belongs to one of its fields. */
function showsAll(element: HTMLElement, error: Error): boolean {
  const shown = element.textContent;
  const problems = wrongFields(error).map(({ words }) => words);
  return problems.length > 0 && problems.every((words) => shown.split(words).length > problems.filter((one) => one === words).length);
}

/**
 * A form: its fields, and the error if the fields do not show it. After a refusal, the first wrong field gets the focus. The fields are
 * disabled if the token may not send the request.
 *
 * @param footer the buttons. `isOff` is true if the button that sends the form must be disabled
 */
export function Form({
  change: { call, isPending, error },
  disabled = false,
  onSubmit,
  onInput,
  className,
  footer,
  children,
}: Omit<FormProps, 'submit'> & {
  readonly onInput?: () => void;
  readonly className: string | undefined;
  readonly footer: (isOff: boolean) => ReactNode;
}) {
  const form = useRef<HTMLFormElement>(null);
  const fields = useRef<HTMLDivElement>(null);
  const [isAtFields, setAtFields] = useState(false);
  const may = useMay();
  const isOff = disabled || (call !== undefined && !may(call));
  // Each drawing may show other fields, so this effect has no dependencies.
  useLayoutEffect(() => setAtFields(error !== null && fields.current !== null && showsAll(fields.current, error)));
  useLayoutEffect(() => {
    if (!error || isPending) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    wrong?.closest('details')?.setAttribute('open', '');
    wrong?.focus();
  }, [error, isPending]);
  return (
    <form
      ref={form}
      className={className}
      noValidate
      onInput={onInput}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!isPending && !isOff) onSubmit();
      }}
    >
      <Controls call={call}>
        <div ref={fields} className={className}>
          {children}
        </div>
        {error && !isAtFields && <Problem error={error} />}
      </Controls>
      {footer(isOff)}
    </form>
  );
}
