import { useRef, useState, type ReactNode } from 'react';
import classes from './refilled.module.css';

/** What a form receives from {@link Refilled}. */
export interface Fill<Stored> {
  /** The stored values with which the form was filled. The form compares the input with them. */
  readonly filled: Stored;
  /** Reports whether the input differs from `filled`. */
  readonly onEdited: (isEdited: boolean) => void;
  /** Reports the values that are stored after the form was saved. The form is filled with them, unless it received input during the save. */
  readonly onSaved: (saved: Stored) => void;
}

/**
 * Fills a form with stored values. If the values change, for example because another operator changes them, the form is filled again, but
 * not while it contains input that is not saved.
 *
 * @param valuesOf the values that the form edits, as text. A change of other values does not fill the form again
 */
export function Refilled<Stored>({
  stored,
  valuesOf,
  children,
}: {
  stored: Stored;
  valuesOf: (stored: Stored) => string;
  children: (fill: Fill<Stored>) => ReactNode;
}) {
  const [{ filled, seen, count }, setFill] = useState({ filled: stored, seen: stored, count: 0 });
  const [isEdited, onEdited] = useState(false);
  if (!isEdited && valuesOf(stored) !== valuesOf(seen)) setFill({ filled: stored, seen: stored, count: count + 1 });
  const hasNewInput = useRef(false);
  const onSaved = (saved: Stored): void => {
    // Input since the save began stays in the form, which then compares it with the saved values.
    if (hasNewInput.current) return setFill({ filled: saved, seen, count });
    onEdited(false);
    setFill({ filled: saved, seen, count: count + 1 });
  };
  return (
    <div
      key={count}
      className={classes['unchanged']}
      onSubmitCapture={() => (hasNewInput.current = false)}
      onChangeCapture={() => (hasNewInput.current = true)}
    >
      {children({ filled, onEdited, onSaved })}
    </div>
  );
}
