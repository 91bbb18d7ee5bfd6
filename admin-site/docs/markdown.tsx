import { Fragment, type ReactNode } from 'react';

/** Shows the parts of Markdown that the API reference uses: paragraphs, lists, code blocks, `code`, **strong** and links. */

export const slugOf = (title: string): string => title.toLowerCase().replace(/[^a-z0-9]+/g, '-');

const MARKS = /(`[^`]+`|\*\*[^*]+\*\*|\[[^[\]]+\]\([^()\s]+\))/;

/** Splits a text into paragraphs, lists and code blocks. A blank line ends a block, except within code. */
const blocksOf = (text: string): readonly string[] =>
  text.split(/(```\w*\n[^`]*```)/).flatMap((part, index) => (index % 2 === 1 ? [part] : part.split(/\n{2,}/)));

const inline = (text: string): ReactNode =>
  text.split(MARKS).map((part, index) => {
    if (part.startsWith('`') && part.length > 1) return <code key={index}>{part.slice(1, -1)}</code>;
    if (part.startsWith('**') && part.length > 3) return <strong key={index}>{part.slice(2, -2)}</strong>;
    const [, label, address] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? [];
    if (label !== undefined && address !== undefined)
      return (
        <a key={index} href={address}>
          {label}
        </a>
      );
    return <Fragment key={index}>{part}</Fragment>;
  });

export function Markdown({ text }: { text: string }) {
  return (
    <>
      {blocksOf(text)
        .filter((block) => block.trim() !== '')
        .map((block, index) => {
          const code = /^```\w*\n([\s\S]*?)\n?```$/.exec(block.trim())?.[1];
          if (code !== undefined)
            return (
              <Code key={index} label="Example">
                {code}
              </Code>
            );
          const lines = block.trim().split('\n');
          if (lines.every((line) => line.startsWith('- '))) {
            return (
              <ul key={index} className="list">
                {lines.map((line) => (
                  <li key={line}>{inline(line.slice(2))}</li>
                ))}
              </ul>
            );
          }
          return <p key={index}>{inline(block)}</p>;
        })}
    </>
  );
}

export const Inline = ({ text }: { text: string }) => <>{inline(text)}</>;

/** A block of code. It can take the focus, because the reader can then scroll it with the keyboard. */
export const Code = ({ label, children }: { label: string; children: string }) => (
  <pre tabIndex={0} role="group" aria-label={label}>
    <code>{children}</code>
  </pre>
);
