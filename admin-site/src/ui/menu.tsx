import { Button } from '@mantine/core';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useReadOnly } from '../permission';
import type { Name } from '../routes';
import { MoreIcon } from './icons';
import classes from './menu.module.css';

export interface MenuItem {
  readonly label: string;
  readonly icon: ReactNode;
  readonly onChoose: () => void;
  /** The endpoint of the action. The action is disabled if the token may not call it. */
  readonly call?: Name;
  readonly disabled?: boolean;
  readonly danger?: boolean;
}

function Entry({ label, icon, onChoose, call, disabled = false, danger = false }: MenuItem) {
  const reason = useReadOnly(call);
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={disabled || reason !== undefined}
      title={reason}
      className={danger ? classes['danger'] : undefined}
      onClick={onChoose}
    >
      {icon}
      {label}
    </button>
  );
}

/** A menu of less frequent actions. Arrow keys move between actions. Escape closes the menu, and the menu's button gets the focus. */
export function Menu({
  label,
  items,
  size = 'sm',
  icon = <MoreIcon size={16} />,
}: {
  label: string;
  items: readonly MenuItem[];
  size?: 'xs' | 'sm';
  icon?: ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const close = (): void => {
    setOpened(false);
    button.current?.focus();
  };
  const choices = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? [])];
  useEffect(() => {
    if (!opened) return undefined;
    choices()[0]?.focus();
    const onPress = (event: PointerEvent): void => {
      if (event.target instanceof Node && !list.current?.contains(event.target) && !button.current?.contains(event.target))
        setOpened(false);
    };
    window.addEventListener('pointerdown', onPress);
    return () => window.removeEventListener('pointerdown', onPress);
  }, [opened]);
  const onKey = (event: KeyboardEvent): void => {
    const all = choices();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Tab') setOpened(false);
    if (event.key === 'Escape') close();
    if (to === undefined) return;
    event.preventDefault();
    all[to % all.length]?.focus();
  };
  return (
    <div className={classes['menu']}>
      <Button
        ref={button}
        size={size}
        variant="default"
        leftSection={icon}
        aria-haspopup="menu"
        aria-expanded={opened}
        aria-controls={id}
        onClick={() => setOpened(!opened)}
      >
        {label}
      </Button>
      {opened && (
        <div ref={list} id={id} role="menu" aria-label={label} className={classes['list']} onKeyDown={onKey}>
          {items.map((item) => (
            <Entry
              key={item.label}
              {...item}
              onChoose={() => {
                close();
                item.onChoose();
              }}
            />
          ))}
        </div>
      )}
    </div>
  );
}
