import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './table.module.css';

export interface Column<Item> {
  readonly name: string;
  readonly cell: (item: Item) => ReactNode;
  /** Numbers stand at the right. */
  readonly right?: boolean;
  /** The cells say what they are; the name is for screen readers. */
  readonly nameless?: boolean;
}

/**
 * A table that becomes a list of cards on a phone. The first column links to the row's page; the whole row
 * can be clicked.
 */
export function Table<Item>({ label, columns, items, id, busy = false }: {
  label: string;
  columns: readonly Column<Item>[];
  items: readonly Item[];
  id: (item: Item) => string | number;
  /** Newer rows are on their way. */
  busy?: boolean;
}) {
  return (
    <div className={classes['scroll']} role="group" aria-label={label} tabIndex={0}>
      <table className={classes['table']} aria-busy={busy}>
        <thead>
          <tr>
            {columns.map(({ name, right, nameless }) => (
              <th key={name} scope="col" className={right ? classes['right'] : undefined}>
                {nameless ? <VisuallyHidden>{name}</VisuallyHidden> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={id(item)}>
              {columns.map(({ name, cell, right, nameless }) => (
                <td key={name} data-label={nameless ? undefined : name} className={right ? classes['right'] : undefined}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A name that people gave, however long it is. */
export const Name = ({ children }: { children: string }) => (
  <span className={classes['name']} title={children}>
    <bdi>{children}</bdi>
  </span>
);

export { classes as tableClasses };
