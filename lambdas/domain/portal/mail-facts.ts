import type { Language } from '../../contract/languages';

/** What the row of a mail of the portal has in addition, which no view shows. */
export interface PortalMailFacts {
  readonly language: Language;
  /** Epoch ms after which it is dropped; null: never. */
  readonly until: number | null;
  /** The hash of the session that may confirm the new address. */
  readonly session?: string;
  /** The delivery log does not show it: its address may be anybody's. */
  readonly unlisted?: boolean;
}
