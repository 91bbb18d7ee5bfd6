/** The types of `mailparser` that the tests use; the package itself contains no types. */
declare module 'mailparser' {
  import type { Readable } from 'node:stream';
  export interface ParsedMail {
    readonly subject?: string;
    readonly text?: string;
    readonly html?: string | false;
    /** The header lines as they were sent, by their names in lower case. */
    readonly headerLines: readonly { readonly key: string; readonly line: string }[];
    readonly from?: { readonly value: readonly { readonly name: string; readonly address?: string }[] };
    readonly replyTo?: { readonly text: string };
  }
  export function simpleParser(stream: Readable): Promise<ParsedMail>;
}
