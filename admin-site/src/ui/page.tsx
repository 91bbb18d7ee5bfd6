import { useEffect, type ReactNode } from 'react';
import { t, T } from '../texts';
import { LeftIcon } from './icons';
import { Link } from '../router';
import classes from './page.module.css';

/** A page's heading, back link and main action. Also sets the window's title. */
export function PageHead({
  title,
  mono = false,
  back,
  aside,
  children,
  action,
}: {
  title: string;
  /** True if the title is a license key. */
  mono?: boolean;
  back?: { readonly to: string; readonly label: string } | undefined;
  /** Content next to the title. */
  aside?: ReactNode;
  /** Content below the title. */
  children?: ReactNode;
  action?: ReactNode;
}) {
  useEffect(() => {
    document.title = t('{title} · License keys', { title });
  }, [title]);
  return (
    <header className={classes['head']}>
      <div className={classes['titles']}>
        {back && (
          <Link to={back.to} className={classes['back']}>
            <LeftIcon size={14} />
            <bdi>{back.label}</bdi>
          </Link>
        )}
        <div className={classes['title']}>
          <h1 className={mono ? classes['mono'] : undefined}>
            <bdi>{title}</bdi>
          </h1>
          {aside}
        </div>
        {children && <div className={classes['lead']}>{children}</div>}
      </div>
      {action && <div className={classes['actions']}>{action}</div>}
    </header>
  );
}

/** A box with a title. */
export function Panel({
  title,
  note,
  action,
  tone,
  children,
}: {
  title?: string;
  note?: ReactNode;
  action?: ReactNode;
  tone?: 'bad';
  children: ReactNode;
}) {
  return (
    <section
      className={`${classes['panel'] ?? ''} ${tone === 'bad' ? (classes['bad'] ?? '') : ''}`}
      {...(title !== undefined && { 'aria-label': title })}
    >
      {title !== undefined && (
        <div className={classes['panelHead']}>
          <div>
            <h2>{title}</h2>
            {note && <p className={classes['note']}>{note}</p>}
          </div>
          {action && <div className={classes['actions']}>{action}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** A list of names with their values. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes['facts']}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A block that shows a complete value, so that it can be copied. */
export function Code({ children, label }: { children: string; label: string }) {
  return (
    <pre className={classes['code']} tabIndex={0} role="group" aria-label={label}>
      <bdi>{children}</bdi>
    </pre>
  );
}

export const Row = ({ children }: { children: ReactNode }) => <div className={classes['row']}>{children}</div>;
export const Stack = ({ children }: { children: ReactNode }) => <div className={classes['stack']}>{children}</div>;
export const Columns = ({ children }: { children: ReactNode }) => <div className={classes['columns']}>{children}</div>;
/** A text that people entered, in the quotation marks of the page's language. */
export const Quoted = ({ children }: { children: string }) => <T text="“{text}”" values={{ text: <bdi>{children}</bdi> }} />;

export const Dim = ({ children }: { children: ReactNode }) => <span className={classes['dim']}>{children}</span>;
