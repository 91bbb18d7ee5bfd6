/**
 * Replaces `node:stream/web` in the bundles (see `infra/bundle.ts`). middy compares with this class only in streamed responses, which no
 * function sends.
 */
export class ReadableStream {}
