import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { readOfflineRequest } from '../../client/src/offline-request';
import { useMay } from './permission';
import { prefer } from './preferences';
import { useAllProducts } from './queries';
import { go, href } from './router';
import { globalPages, productPages } from './sections';
import { signOut } from './session';
import { t } from './texts';
import { BoxIcon, ExitIcon, KeyIcon, MoonIcon, ScreenIcon, SearchIcon, SunIcon, TokenIcon, WebhookIcon } from './ui/icons';
import classes from './palette.module.css';

/** A command palette: opens a license, product or page, or runs an action. It finds a license by its key, buyer, order or device. */

interface Entry {
  readonly group: string;
  readonly label: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

const matches = (label: string, words: readonly string[]): boolean => words.every((word) => label.toLowerCase().includes(word));

/** Entries made from the typed text: the license of a device request, the license, product or event with an id, or a search. */
function named(text: string): readonly Entry[] {
  if (text === '') return [];
  const request = readOfflineRequest(text);
  if (request)
    return [
      {
        group: t('Licenses'),
        label: t('Device request from {device} for {key}', { device: request.name ?? t('a device'), key: request.key }),
        icon: <TokenIcon size={16} />,
        run: () => go(href('/find', { q: text })),
      },
    ];
  const entries: Entry[] = [];
  const id = /^#?([1-9]\d{0,14})$/.exec(text)?.[1];
  if (id !== undefined) {
    entries.push({
      group: t('By id'),
      label: t('License {id}', { id }),
      icon: <KeyIcon size={16} />,
      run: () => go(href(`/licenses/${id}`)),
    });
    entries.push({
      group: t('By id'),
      label: t('Product {id}', { id }),
      icon: <BoxIcon size={16} />,
      run: () => go(href(`/products/${id}`)),
    });
  }
  const event = /^[0-9a-f]{32}$/.exec(text)?.[0];
  if (event !== undefined)
    entries.push({
      group: t('By id'),
      label: t('Event {id}', { id: event }),
      icon: <WebhookIcon size={16} />,
      run: () => go(href(`/events/${event}`)),
    });
  entries.push({
    group: t('Licenses'),
    label: t('Find “{search}” in all products', { search: text }),
    icon: <SearchIcon size={16} />,
    run: () => go(href('/find', { q: text })),
  });
  return entries;
}

/** @param initial the search text when the palette opens */
export function Palette({ productId, initial = '', onClose }: { productId: number | undefined; initial?: string; onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const id = useId();
  const [text, setText] = useState(initial);
  const [at, setAt] = useState(0);
  const products = useAllProducts();
  useEffect(() => {
    const { current: dialog } = box;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);

  const may = useMay();
  const fixed = useMemo<readonly Entry[]>(
    () => [
      ...(productId === undefined
        ? []
        : productPages
            .filter(({ needs }) => may(needs))
            .map(({ path, label, Icon }) => ({
              group: t('This product'),
              label,
              icon: <Icon size={16} />,
              run: () => go(href(`/products/${productId}${path}`)),
            }))),
      ...products.map((product) => ({
        group: t('Products'),
        label: product.name,
        icon: <BoxIcon size={16} />,
        run: () => go(href(`/products/${product.id}`)),
      })),
      ...globalPages
        .filter(({ needs }) => may(needs))
        .map(({ path, label, Icon }) => ({ group: t('Pages'), label, icon: <Icon size={16} />, run: () => go(href(path)) })),
      { group: t('Actions'), label: t('Theme: light'), icon: <SunIcon size={16} />, run: () => prefer({ theme: 'light' }) },
      { group: t('Actions'), label: t('Theme: dark'), icon: <MoonIcon size={16} />, run: () => prefer({ theme: 'dark' }) },
      { group: t('Actions'), label: t('Theme: same as system'), icon: <ScreenIcon size={16} />, run: () => prefer({ theme: 'auto' }) },
      { group: t('Actions'), label: t('Sign out'), icon: <ExitIcon size={16} />, run: () => signOut() },
    ],
    [productId, products, may],
  );
  const typed = text.trim();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = fixed.filter(({ group, label }) => matches(`${label} ${group}`, words));
  // If the label of a page, a product or an action begins with the typed text, the found pages, products and actions come first. Otherwise,
  // the entries made from the typed text come first.
  const direct = typed !== '' && found.some(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase()));
  const entries = direct ? [...found, ...named(typed)] : [...named(typed), ...found];
  const chosen = Math.min(at, entries.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen, entries.length]);

  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const to = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1 + entries.length,
      PageDown: Math.min(chosen + 8, entries.length - 1),
      PageUp: Math.max(chosen - 8, 0),
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setAt(to % Math.max(1, entries.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      run(entries[chosen]);
    }
  };
  return (
    <dialog
      ref={box}
      className={classes['palette']}
      aria-label={t('Search and go to')}
      onCancel={onClose}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === box.current) onClose();
      }}
    >
      <div className={classes['box']}>
        <div className={classes['field']}>
          <SearchIcon size={18} />
          <input
            role="combobox"
            aria-label={t('Key, e-mail, name, order, fingerprint, id, product or page')}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
            placeholder={t('Key, e-mail, name, order, id, product or page')}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onKeyDown={onKey}
            autoComplete="off"
            spellCheck={false}
            autoFocus
          />
          <kbd>Esc</kbd>
        </div>
        <ul ref={list} id={`${id}-list`} role="listbox" aria-label={t('Where to go')} className={classes['list']}>
          {entries.map((entry, index) => (
            <li
              key={`${entry.group} ${entry.label} ${index}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              className={classes['entry']}
              onPointerMove={() => setAt(index)}
              onClick={() => run(entry)}
            >
              {entry.icon}
              <bdi className={classes['label']}>{entry.label}</bdi>
              {entries[index - 1]?.group !== entry.group && <span className={classes['group']}>{entry.group}</span>}
            </li>
          ))}
        </ul>
      </div>
    </dialog>
  );
}
