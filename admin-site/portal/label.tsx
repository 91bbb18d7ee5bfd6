/** @jsxImportSource preact */
import { useId, useState } from 'preact/hooks';
import { call } from './api';
import type { CardProps } from './buyer';
import { texts } from './texts';
import { Alert, Button, Field, useRun } from './ui';

const words = texts.licenses;

const MAX_LABEL = 60;

/** Lets a buyer give a license a label, by which the buyer tells licenses apart. */
export function Label({ buyer, license, onChange }: CardProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(license.label ?? '');
  const run = useRun({ invalid_request: texts.errors.badLabel }, buyer.isEnded);
  const save = (event: Event): void => {
    event.preventDefault();
    run.start(async () => {
      const body = { label: text.trim() || null };
      const { body: saved } = await call<{ label: string | null }>('PATCH', `/licenses/${license.id}`, { session: buyer.session, body });
      onChange({ ...license, label: saved.label });
      setOpen(false);
    });
  };
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{license.label === null ? words.addLabel : words.changeLabel}</summary>
      <form onSubmit={save}>
        <Field
          id={id}
          label={words.label}
          value={text}
          onValue={setText}
          input={{ required: false, maxLength: MAX_LABEL, autocomplete: 'off', 'aria-describedby': `${id}-hint` }}
        />
        <p id={`${id}-hint`} class="dim">
          {words.labelHint}
        </p>
        <Alert>{run.problem}</Alert>
        <div class="buttons">
          <Button kind="main" type="submit" busy={run.busy}>
            {words.save}
          </Button>
          <Button onClick={() => setOpen(false)}>{words.cancel}</Button>
        </div>
      </form>
    </details>
  );
}
