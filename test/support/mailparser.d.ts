/** What the tests use of `mailparser`, which has no types of its own. */
declare module 'mailparser' {
  import type { Readable } from 'node:stream';
  export interface ParsedMail {
    readonly subject?: string;
    readonly text?: string;
    readonly html?: string | false;
    readonly replyTo?: { readonly text: string };
  }
  export function simpleParser(stream: Readable): Promise<ParsedMail>;
}
