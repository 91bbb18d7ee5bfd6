import { ActionIcon, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { License } from './api';
import { useProduct } from './queries';
import { go, href, Link, type Location } from './router';
import { signOut } from './session';
import { BookIcon, BoxIcon, ChartIcon, CloseIcon, ExitIcon, KeyIcon, LayersIcon, MailIcon, MenuIcon, PlugIcon, SearchIcon, WebhookIcon } from './ui/icons';
import classes from './shell.module.css';

/** The frame around every page: where one can go, and the search for a license. */

const sections = [
  { path: '', label: 'Overview', Icon: ChartIcon },
  { path: '/licenses', label: 'Licenses', Icon: KeyIcon },
  { path: '/types', label: 'License types', Icon: LayersIcon },
  { path: '/webhooks', label: 'Webhooks', Icon: WebhookIcon },
  { path: '/integration', label: 'Integration', Icon: PlugIcon },
] as const;

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

function ProductNav({ id, section }: { id: number; section: string | undefined }) {
  const product = useProduct(id);
  const base = `/products/${id}`;
  return (
    <div className={classes['group']}>
      <p className={classes['product']} title={product.data?.name}>
        <bdi>{product.data?.name ?? `Product ${id}`}</bdi>
      </p>
      <ul>
        {sections.map(({ path, label, Icon }) => (
          <NavLink key={label} to={href(`${base}${path}`)} label={label} Icon={Icon} current={section === path} />
        ))}
      </ul>
    </div>
  );
}

/** The product that a page is about: named by the address, or by the license that it shows. */
function useProductId({ path: [area, id] }: Location): number | undefined {
  const client = useQueryClient();
  const [, again] = useState(0);
  useEffect(() => client.getQueryCache().subscribe(({ query }) => {
    const [what] = query.queryKey as readonly unknown[];
    if (what === 'license') again((count) => count + 1);
  }), [client]);
  if (area === 'products' && /^\d+$/.test(id ?? '')) return Number(id);
  if (area === 'licenses') return client.getQueryData<License>(['license', Number(id)])?.product_id;
  return undefined;
}

/** The section of the product's menu that a page belongs to. */
const sectionOf = ({ path: [area, , section] }: Location): string => (area === 'licenses' ? '/licenses' : section === undefined ? '' : `/${section}`);

function Search() {
  const [text, setText] = useState('');
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    go(href('/find', { q: text.trim() }));
    setText('');
  };
  return (
    <form role="search" className={classes['search']} onSubmit={onSubmit}>
      <TextInput
        type="search"
        aria-label="Find a license by key or e-mail, in all products"
        placeholder="Find by key or e-mail"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        leftSection={<SearchIcon size={16} />}
        rightSection={<kbd className={classes['key']}>/</kbd>}
        rightSectionPointerEvents="none"
        data-search
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  );
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** `/` goes to the search: that of the page where it has one, else that of the frame. */
function useSearchKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[aria-modal="true"]')) return;
      const field = [...document.querySelectorAll<HTMLInputElement>('input[data-search]')].at(-1);
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

export function Shell({ location, children }: { location: Location; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const productId = useProductId(location);
  const address = location.path.join('/');
  const first = useRef(true);
  useSearchKey();
  // On another page the reading starts at its top, by eye and by screen reader. An event opens over its page.
  const page = location.path.slice(0, 3).join('/');
  useEffect(() => {
    setOpen(false);
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
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
        Skip to the content
      </a>
      <header className={classes['bar']}>
        <ActionIcon
          className={classes['menu'] ?? ''}
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={open ? 'Close the menu' : 'Open the menu'}
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
          License keys
        </Link>
        <Search />
      </header>
      <nav id="menu" className={`${classes['nav'] ?? ''} ${open ? (classes['open'] ?? '') : ''}`} aria-label="Main">
        <div className={classes['group']}>
          <ul>
            <NavLink to={href('/')} label="Products" Icon={BoxIcon} current={address === ''} />
          </ul>
        </div>
        {productId !== undefined && <ProductNav id={productId} section={sectionOf(location)} />}
        <div className={`${classes['group'] ?? ''} ${classes['bottom'] ?? ''}`}>
          <ul>
            <NavLink to={href('/mail')} label="Mail" Icon={MailIcon} current={address === 'mail'} />
            <li>
              <a className={classes['link']} href="/docs" target="_blank" rel="noreferrer">
                <BookIcon size={18} />
                API docs
              </a>
            </li>
            <li>
              <button type="button" className={classes['link']} onClick={() => signOut()}>
                <ExitIcon size={18} />
                Sign out
              </button>
            </li>
          </ul>
        </div>
      </nav>
      <main id="content" ref={main} tabIndex={-1} className={classes['main']}>
        {children}
      </main>
    </div>
  );
}
