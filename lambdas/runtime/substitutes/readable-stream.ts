/**
 * Replaces `node:stream/web` in the bundles (see `infra/bundle.ts`). middy uses this class only to check the type of a streamed response,
 * and no function streams its response.
 */
export class ReadableStream {}
