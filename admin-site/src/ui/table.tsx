import { VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState, type MouseEvent, type ReactNode } from 'react';
import { go } from '../router';
import { t } from '../texts';
import classes from './table.module.css';

export interface Column<Item> {
  readonly name: string;
  readonly cell: (item: Item) => ReactNode;
  /** Aligns the cells to the right, for numbers. */
  readonly right?: boolean;
  /** Hides the column's name except for screen readers, because the cells explain themselves. */
  readonly nameless?: boolean;
  /** Hides the column's name on cards, because the cells explain themselves. */
  readonly clear?: boolean;
  /** True if the column is hidden first when the table is narrow. */
  readonly extra?: boolean;
  /** Makes the column sortable; `sorted` is its current order. */
  readonly sort?: { readonly sorted: 'ascending' | 'descending' | 'none'; readonly onSort: () => void };
}

export interface Selection<Item> {
  readonly chosen: ReadonlySet<string | number>;
  readonly onChange: (chosen: ReadonlySet<string | number>) => void;
  /** A row's name, as in `Select license ABCDE`. */
  readonly nameOf: (item: Item) => string;
}

/** True if an element's content overflows. Then the element must be focusable, so that it can be scrolled with the keyboard. */
function useScrolls() {
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const { current: element } = box;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth + 1));
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return [box, scrolls] as const;
}

const isOwn = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, label, select, summary') !== null;

/** Opens a row's page on a click, unless the click was on a link or control or ended a text selection. */
function openRow(event: MouseEvent, address: string): void {
  if (isOwn(event.target) || (window.getSelection()?.toString() ?? '') !== '') return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1) window.open(address, '_blank', 'noopener');
  else if (event.button === 0) go(address);
}

/** A table that becomes a list of cards on a phone. The first column and the whole row link to the row's page. */
export function Table<Item>({
  label,
  columns,
  items,
  id,
  href,
  selection,
  busy = false,
}: {
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  id: (item: Item) => string | number;
  /** The URL of a row's page. */
  href?: (item: Item) => string;
  selection?: Selection<Item> | undefined;
  /** True while newer rows are loading. */
  busy?: boolean;
}) {
  const [box, scrolls] = useScrolls();
  const all = items.length > 0 && items.every((item) => selection?.chosen.has(id(item)));
  const some = !all && items.some((item) => selection?.chosen.has(id(item)));
  const choose = (ids: readonly (string | number)[], is: boolean): void => {
    const chosen = new Set(selection?.chosen);
    for (const one of ids) {
      if (is) chosen.add(one);
      else chosen.delete(one);
    }
    selection?.onChange(chosen);
  };
  const classOf = ({ right, extra }: Column<Item>): string =>
    `${right ? (classes['right'] ?? '') : ''} ${extra ? (classes['extra'] ?? '') : ''}`;
  return (
    <div ref={box} className={classes['scroll']} role="group" aria-label={label} {...(scrolls && { tabIndex: 0 })}>
      <table className={classes['table']} aria-busy={busy}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={classes['choice']}>
                <label>
                  <input
                    type="checkbox"
                    aria-label={t('Select all on this page')}
                    checked={all}
                    ref={(element) => {
                      if (element) element.indeterminate = some;
                    }}
                    onChange={() => choose(items.map(id), !all)}
                  />
                </label>
              </th>
            )}
            {columns.map((column) => (
              <th key={column.name} scope="col" className={classOf(column)} aria-sort={column.sort?.sorted}>
                {column.nameless ? (
                  <VisuallyHidden>{column.name}</VisuallyHidden>
                ) : column.sort ? (
                  <button type="button" className={classes['sort']} onClick={column.sort.onSort}>
                    {column.name} <span aria-hidden="true">{{ ascending: '↑', descending: '↓', none: '↕' }[column.sort.sorted]}</span>
                  </button>
                ) : (
                  column.name
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr
              key={id(item)}
              {...(href && {
                className: classes['opens'],
                onClick: (event: MouseEvent) => openRow(event, href(item)),
                onAuxClick: (event: MouseEvent) => event.button === 1 && openRow(event, href(item)),
              })}
              {...(selection?.chosen.has(id(item)) && { 'data-chosen': true })}
            >
              {selection && (
                <td className={classes['choice']}>
                  <label>
                    <input
                      type="checkbox"
                      aria-label={t('Select {name}', { name: selection.nameOf(item) })}
                      checked={selection.chosen.has(id(item))}
                      onChange={(event) => choose([id(item)], event.currentTarget.checked)}
                    />
                  </label>
                </td>
              )}
              {columns.map((column) => (
                <td key={column.name} data-label={column.nameless || column.clear ? undefined : column.name} className={classOf(column)}>
                  {column.cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A name entered by people, which may be very long. */
export const Name = ({ children }: { children: string }) => (
  <span className={classes['name']} title={children}>
    <bdi>{children}</bdi>
  </span>
);

export { classes as tableClasses };
