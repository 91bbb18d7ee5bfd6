/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';

/** Shows `**bold**` text as such. */
const inline = (text: string): ComponentChildren =>
  text.split(/\*\*([^*]+)\*\*/).map((part, place) => (place % 2 === 1 ? <strong key={place}>{part}</strong> : part));

/**
 * Shows release notes. Of Markdown, only headings, lists, paragraphs and bold text are shown as such. Every other mark stays in the text as
 * the vendor typed it.
 */
export function Notes({ text }: { readonly text: string }) {
  const blocks = text
    .replaceAll('\r', '')
    // A heading or a list may follow a line of text without a blank line between them.
    .replaceAll(/^#.*$/gm, '\n$&\n')
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
  return (
    <>
      {blocks.map((block, place) => {
        const lines = block.split('\n');
        if (block.startsWith('#')) return <h4 key={place}>{inline(block.replace(/^#+\s*/, ''))}</h4>;
        if (!lines.every((line) => /^\s*[-*]\s/.test(line))) return <p key={place}>{inline(block)}</p>;
        return (
          <ul key={place}>
            {lines.map((line) => (
              <li key={line}>{inline(line.replace(/^\s*[-*]\s+/, ''))}</li>
            ))}
          </ul>
        );
      })}
    </>
  );
}
