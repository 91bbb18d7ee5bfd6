import { ActionIcon } from '@mantine/core';
import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { License, Release } from './api';
import { Palette } from './palette';
import { ReadOnlyReasons, useMay } from './permission';
import { useProductName } from './queries/products';
import { href, Link, restoreScroll, type Location } from './router';
import { globalPages, otherPages, productPages } from './sections';
import { signOut, useSession } from './session';
import { COMMAND_KEY, Shortcuts } from './shortcuts';
import { t, T } from './texts';
import { Display } from './ui/display';
import { CloseIcon, ExitIcon, KeyIcon, MenuIcon, SearchIcon, SwitchIcon } from './ui/icons';
import classes from './shell.module.css';

/** The frame around every page: the navigation and the search. */

function NavLink({ to, label, Icon, current }: { to: string; label: string; Icon: typeof KeyIcon; current: boolean }) {
  return (
    <li>
      <Link to={to} className={classes['link']} {...(current && { 'aria-current': 'page' as const })}>
        <Icon size={18} />
        {label}
      </Link>
    </li>
  );
}

function ProductNav({ id, section, onSwitch }: { id: number; section: string | undefined; onSwitch: () => void }) {
  const name = useProductName(id);
  const may = useMay();
  return (
    <div className={classes['group']}>
      <button
        type="button"
        className={classes['product']}
        title={name}
        aria-label={name === undefined ? t('Switch product') : t('Switch product, now {name}', { name })}
        onClick={onSwitch}
      >
        <bdi>{name ?? '\u00a0'}</bdi>
        <SwitchIcon size={14} />
      </button>
      <ul>
        {productPages
          .filter(({ needs }) => may(needs))
          .map(({ path, label, Icon }) => (
            <NavLink key={label} to={href(`/products/${id}${path}`)} label={label} Icon={Icon} current={section === path} />
          ))}
      </ul>
    </div>
  );
}

/** The id of a page's product, from the page's URL or from the license or release that the page shows. */
function useProductId({ path: [area, id] }: Location): number | undefined {
  const client = useQueryClient();
  const subscribe = useCallback(
    // The cache reports also what happens while another component is rendered, so the changes are batched until after that.
    (onChange: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    [client],
  );
  return useSyncExternalStore(subscribe, () => {
    if (area === 'products' && /^\d+$/.test(id ?? '')) return Number(id);
    if (area === 'licenses') return client.getQueryData<License>(['license', Number(id)])?.product_id;
    if (area === 'releases') return client.getQueryData<Release>(['release', Number(id)])?.product_id;
    return undefined;
  });
}

/** The path, within the product, of the menu entry that is marked as current. It is the entry for the area of the page. */
const sectionOf = ({ path: [area, , section] }: Location): string =>
  area === 'licenses' || area === 'releases' ? `/${area}` : section === undefined ? '' : `/${section}`;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.tagName === 'TEXTAREA' ||
    target.tagName === 'SELECT' ||
    (target instanceof HTMLInputElement && !['checkbox', 'radio'].includes(target.type)));

/**
 * Ctrl-K opens the palette. `/` moves the focus to the page's search field, or opens the palette if the page has no search field. `?` shows
 * the keyboard shortcuts.
 */
function useShortcuts(open: () => void, showShortcuts: () => void): void {
  // A layout effect runs before the page is drawn, so a key that is pressed as soon as the page is visible has its effect.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isCommand = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      const isAlone = !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
      const isSlash = event.key === '/' && isAlone;
      const isQuestion = event.key === '?' && isAlone;
      if ((!isCommand && !isSlash && !isQuestion) || document.querySelector('[aria-modal="true"], dialog[open]')) return;
      event.preventDefault();
      if (isQuestion) return showShortcuts();
      const field = isSlash ? document.querySelector<HTMLInputElement>('main input[data-search]') : null;
      if (!field) return open();
      field.focus();
      field.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [open, showShortcuts]);
}

/** Searches for a text that is pasted outside of a field. */
function usePastedSearch(search: (text: string) => void): void {
  useLayoutEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData('text/plain').trim() ?? '';
      if (text === '' || isTyping(event.target) || document.querySelector('[aria-modal="true"], dialog[open]')) return;
      event.preventDefault();
      search(text);
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, [search]);
}

export function Shell({ location, children }: { location: Location; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  /** The initial search text of the palette; undefined while the palette is closed. */
  const [searching, setSearching] = useState<string>();
  const main = useRef<HTMLElement>(null);
  const productId = useProductId(location);
  const may = useMay();
  const { access } = useSession();
  const address = `/${location.path.join('/')}`;
  const first = useRef(true);
  const [search] = useState(() => () => setSearching(''));
  const [help, setHelp] = useState(false);
  const [showShortcuts] = useState(() => () => setHelp(true));
  useShortcuts(search, showShortcuts);
  usePastedSearch(setSearching);
  // Identifies the page by the beginning of its path. A new page starts at its top and gets the focus, for screen readers. A page from the
  // history starts at its stored scroll position. A path with an event or a payment opens a dialog over the same page, but a payment
  // connection, whose id is a number, is a separate page.
  const page = location.path.slice(0, /^\d{1,15}$/.test(location.path[3] ?? '') ? 4 : 3).join('/');
  useEffect(() => {
    setOpen(false);
    restoreScroll();
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [page]);
  useEffect(() => {
    if (!open) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setOpen(false);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [open]);

  return (
    <div className={classes['shell']}>
      <a
        className={classes['skip']}
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t('Skip to the content')}
      </a>
      <header className={classes['bar']}>
        <ActionIcon
          className={classes['menu'] ?? ''}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={open ? t('Close the menu') : t('Open the menu')}
          aria-expanded={open}
          aria-controls="menu"
          onClick={() => setOpen(!open)}
        >
          {open ? <CloseIcon size={20} /> : <MenuIcon size={20} />}
        </ActionIcon>
        <Link to={href('/')} className={classes['brand']}>
          <span className={classes['mark']}>
            <KeyIcon size={18} />
          </span>
          {t('License keys')}
        </Link>
        <button type="button" className={classes['search']} onClick={search} aria-haspopup="dialog" aria-keyshortcuts="Control+K">
          <SearchIcon size={16} />
          <span>{t('Search or go to…')}</span>
          <kbd>{COMMAND_KEY} K</kbd>
        </button>
      </header>
      <nav id="menu" className={`${classes['nav'] ?? ''} ${open ? (classes['open'] ?? '') : ''}`} aria-label={t('Main')}>
        <div className={classes['group']}>
          <ul>
            {globalPages.slice(0, 1).map(({ path, label, Icon }) => (
              <NavLink key={path} to={href(path)} label={label} Icon={Icon} current={address === path} />
            ))}
          </ul>
        </div>
        {productId !== undefined && <ProductNav id={productId} section={sectionOf(location)} onSwitch={search} />}
        <div className={`${classes['group'] ?? ''} ${classes['bottom'] ?? ''}`}>
          <ul>
            {globalPages
              .slice(1)
              .filter(({ needs }) => may(needs))
              .map(({ path, label, Icon }) => (
                <NavLink key={path} to={href(path)} label={label} Icon={Icon} current={address === path} />
              ))}
            {otherPages.map(({ path, label, Icon }) => (
              <li key={path}>
                <a className={classes['link']} href={path} target="_blank" rel="noreferrer">
                  <Icon size={18} />
                  {label}
                </a>
              </li>
            ))}
            <li>
              <button type="button" className={classes['link']} onClick={() => signOut()}>
                <ExitIcon size={18} />
                {t('Sign out')}
              </button>
            </li>
          </ul>
          {access && access.actor !== 'deployment' && (
            <p className={classes['who']}>
              <T text="Signed in with {name}" values={{ name: <bdi>{access.name}</bdi> }} />
            </p>
          )}
          <Display />
        </div>
      </nav>
      <main id="content" ref={main} tabIndex={-1} className={classes['main']}>
        <ReadOnlyReasons>{children}</ReadOnlyReasons>
      </main>
      {searching !== undefined && (
        <Palette
          productId={productId}
          section={sectionOf(location)}
          initial={searching}
          onShortcuts={showShortcuts}
          onClose={() => setSearching(undefined)}
        />
      )}
      <Shortcuts opened={help} onClose={() => setHelp(false)} />
    </div>
  );
}
