import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { readOfflineRequest } from '../../client/src/offline-request';
import type { Product } from './api';
import { useFound, type Entry } from './palette-found';
import { useMay } from './permission';
import { prefer } from './preferences';
import { useAllProducts } from './queries/products';
import { go, href } from './router';
import { globalActions, globalPages, otherPages, productActions, productPages, productViews } from './sections';
import { signOut } from './session';
import { t } from './texts';
import {
  BookIcon,
  BoxIcon,
  ExitIcon,
  KeyIcon,
  MoonIcon,
  PlusIcon,
  ScreenIcon,
  SearchIcon,
  SunIcon,
  TokenIcon,
  WebhookIcon,
} from './ui/icons';
import classes from './palette.module.css';

/** A command palette: opens a license, product or page, or runs an action. It finds licenses while the operator types. */

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

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The maximum number of entries for pages and actions of other products. */
const MAX_OTHERS = 20;

/** A page of a product, or an action that begins on it. */
interface InProduct {
  readonly label: string;
  readonly icon: ReactNode;
  readonly open: (productId: number) => void;
}

/**
 * Entries for pages and actions of products, for example `Pixel: Webhooks` for the text `pixel web`. Outside of a product, the name of the
 * page or action is enough.
 *
 * @param current the current product. Its pages and actions have their own group, which contains those that match without the product's name
 */
function inProducts(
  words: readonly string[],
  targets: readonly InProduct[],
  products: readonly Pick<Product, 'id' | 'name'>[],
  current: number | undefined,
): readonly Entry[] {
  const isIn = (label: string) => (word: string) => label.toLowerCase().includes(word);
  return products
    .flatMap(({ id, name }) =>
      targets
        .filter(({ label }) => matches(`${name} ${label}`, words) && words.some(isIn(label)))
        .filter(({ label }) => current === undefined || (words.some(isIn(name)) && (id !== current || !matches(label, words))))
        .map(({ label, icon, open }) => ({ group: t('In products'), label: `${name}: ${label}`, icon, run: () => open(id) })),
    )
    .slice(0, MAX_OTHERS);
}

/** Adds a key to each entry, which stays the same when other entries are found. */
function withKeys(entries: readonly Entry[]): readonly (Entry & { readonly key: string })[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const text = `${entry.group} ${entry.label} ${entry.detail ?? ''}`;
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return { ...entry, key: `${text} ${count}` };
  });
}

/** Consecutive entries of the same group. `first` is the place of the group's first entry in the list. */
function groupsOf<Of extends Entry>(
  entries: readonly Of[],
): readonly { readonly name: string; readonly entries: Of[]; readonly first: number }[] {
  const groups: { name: string; entries: Of[]; first: number }[] = [];
  for (const [place, entry] of entries.entries()) {
    const last = groups.at(-1);
    if (last?.name === entry.group) last.entries.push(entry);
    else groups.push({ name: entry.group, entries: [entry], first: place });
  }
  return groups;
}

/**
 * @param section the path of the current page within its product; the same page of another product opens if the operator chooses a product
 * @param initial the search text when the palette opens
 */
export function Palette({
  productId,
  section,
  initial = '',
  onShortcuts,
  onClose,
}: {
  productId: number | undefined;
  section: string;
  initial?: string;
  onShortcuts: () => void;
  onClose: () => void;
}) {
  const box = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [text, setText] = useState(initial);
  /** The entry that the operator has chosen; undefined: the first one. Entries that are found later do not change the choice. */
  const [at, setAt] = useState<string>();
  const products = useAllProducts();
  useEffect(() => {
    const { current: dialog } = box;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);

  const may = useMay();
  const pages = useMemo(() => productPages.filter(({ needs }) => may(needs)), [may]);
  const targets = useMemo<readonly InProduct[]>(
    () => [
      ...pages.map(({ path, label, Icon }) => ({
        label,
        icon: <Icon size={16} />,
        open: (id: number) => go(href(`/products/${id}${path}`)),
      })),
      ...productViews
        .filter(({ needs }) => may(needs))
        .map(({ path, view, label, Icon }) => ({
          label,
          icon: <Icon size={16} />,
          open: (id: number) => go(href(`/products/${id}${path}`, { view })),
        })),
      ...productActions
        .filter(({ needs }) => may(needs))
        .map(({ path, dialog, label }) => ({
          label,
          icon: <PlusIcon size={16} />,
          open: (id: number) => go(href(`/products/${id}${path}`, { new: dialog })),
        })),
    ],
    [pages, may],
  );
  const fixed = useMemo<readonly Entry[]>(
    () => [
      ...(productId === undefined
        ? []
        : targets.map(({ label, icon, open }) => ({ group: t('This product'), label, icon, run: () => open(productId) }))),
      ...products.map((product) => ({
        group: t('Products'),
        label: product.name,
        icon: <BoxIcon size={16} />,
        run: () => go(href(`/products/${product.id}${pages.some(({ path }) => path === section) ? section : ''}`)),
      })),
      ...globalPages
        .filter(({ needs }) => may(needs))
        .map(({ path, label, Icon }) => ({ group: t('Pages'), label, icon: <Icon size={16} />, run: () => go(href(path)) })),
      ...otherPages.map(({ path, label, Icon }) => ({
        group: t('Pages'),
        label,
        icon: <Icon size={16} />,
        run: () => void window.open(path, '_blank', 'noreferrer'),
      })),
      ...globalActions
        .filter(({ needs }) => may(needs))
        .map(({ path, label }) => ({
          group: t('Actions'),
          label,
          icon: <PlusIcon size={16} />,
          run: () => go(href(path, { new: '1' })),
        })),
      { group: t('Actions'), label: t('Keyboard shortcuts'), icon: <BookIcon size={16} />, run: onShortcuts },
      { group: t('Actions'), label: t('Theme: light'), icon: <SunIcon size={16} />, run: () => prefer({ theme: 'light' }) },
      { group: t('Actions'), label: t('Theme: dark'), icon: <MoonIcon size={16} />, run: () => prefer({ theme: 'dark' }) },
      { group: t('Actions'), label: t('Theme: same as system'), icon: <ScreenIcon size={16} />, run: () => prefer({ theme: 'auto' }) },
      { group: t('Actions'), label: t('Sign out'), icon: <ExitIcon size={16} />, run: () => signOut() },
    ],
    [productId, products, pages, targets, section, may, onShortcuts],
  );
  const typed = text.trim();
  const words = wordsOf(typed);
  const places = [
    ...fixed.filter(({ group, label }) => matches(`${label} ${group}`, words)),
    ...inProducts(words, targets, products, productId),
  ];
  const isRequest = readOfflineRequest(typed) !== undefined;
  const found = useFound(isRequest ? '' : typed, words, productId, products);
  // If the typed words are the beginnings of words in the label of a page, a product or an action, the found pages, products and actions
  // come first. Otherwise, the entries made from the typed text come first.
  const direct =
    words.length > 0 && places.some(({ label }) => words.every((word) => wordsOf(label).some((inLabel) => inLabel.startsWith(word))));
  const entries = withKeys(direct ? [...places, ...named(typed), ...found.entries] : [...named(typed), ...found.entries, ...places]);
  const chosen = Math.max(
    0,
    entries.findIndex(({ key }) => key === at),
  );

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
      setAt(entries[to % Math.max(1, entries.length)]?.key);
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
            aria-label={t('Key, e-mail, domain, name, order, device, id, product or page')}
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={entries.length > 0 ? `${id}-${chosen}` : undefined}
            placeholder={t('Key, e-mail, name, order, device, product or page')}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setAt(undefined);
            }}
            onKeyDown={onKey}
            autoComplete="off"
            spellCheck={false}
            autoFocus
          />
          <kbd>Esc</kbd>
        </div>
        <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('Where to go')} className={classes['list']}>
          {groupsOf(entries).map(({ name, entries: ofGroup, first }) => (
            <ul key={first} role="group" aria-labelledby={`${id}-group-${first}`}>
              <li id={`${id}-group-${first}`} role="presentation" className={classes['group']}>
                {name}
              </li>
              {ofGroup.map((entry, place) => (
                <li
                  key={entry.key}
                  id={`${id}-${first + place}`}
                  role="option"
                  aria-selected={first + place === chosen}
                  className={classes['entry']}
                  onPointerMove={() => setAt(entry.key)}
                  onClick={() => run(entry)}
                >
                  {entry.icon}
                  <bdi className={classes['label']}>{entry.label}</bdi>
                  {entry.detail && <bdi className={classes['detail']}>{entry.detail}</bdi>}
                </li>
              ))}
            </ul>
          ))}
        </div>
        <p role="status" className={classes['status']}>
          {found.message}
        </p>
      </div>
    </dialog>
  );
}
