import type { InvitationReason } from '../../../lambdas/contract/members';
import type { MemberRole } from '../../../lambdas/contract/resources';
import type { Architecture, Platform } from '../../../lambdas/contract/resources/release';
import type { LicenseStatus } from '../../../lambdas/contract/statuses';

/** What kind of file a download is, by the ending of its name. */
export type FileKind = 'installer' | 'image' | 'archive' | 'package' | 'file';

/** Every text of the page, in one language. */
export interface Texts {
  /** The language tag, for the attribute `lang` and for the format of dates and numbers. */
  readonly language: string;
  readonly loading: string;
  readonly tryAgain: string;
  /** The links to the vendor's pages. */
  readonly links: { readonly support_url: string; readonly shop_url: string; readonly imprint_url: string; readonly privacy_url: string };
  readonly errors: {
    readonly offline: string;
    readonly busy: string;
    readonly fault: string;
    readonly notFound: string;
    readonly gone: string;
    readonly notAllowed: string;
    readonly wrongCode: string;
    readonly deadLink: string;
    readonly tooManyFrees: string;
    readonly tooManyMails: string;
    readonly noSeats: string;
    readonly licenseEnded: string;
    readonly badRequest: string;
    readonly badAddress: string;
    readonly badLabel: string;
  };
  readonly signIn: {
    readonly intro: string;
    readonly ended: string;
    readonly signedOut: string;
    readonly address: string;
    readonly sendCode: string;
    readonly codeSent: (address: string) => string;
    readonly code: string;
    readonly signIn: string;
    readonly sendAgain: string;
    readonly sendAgainIn: (seconds: number) => string;
    readonly sentAgain: string;
    readonly otherAddress: string;
    readonly noMail: string;
    readonly noMailHints: readonly string[];
    readonly linkReady: string;
  };
  readonly licenses: {
    readonly heading: string;
    readonly none: string;
    readonly noneHint: string;
    readonly more: string;
    readonly signOut: string;
    readonly signedInAs: (address: string) => string;
    readonly bought: (date: string) => string;
    readonly order: (id: string) => string;
    /** Names a license by a part of its key. */
    readonly keyHint: (part: string) => string;
    readonly status: Readonly<Record<LicenseStatus, string>>;
    /** What happened to a license that cannot be used, and what its buyer can do. */
    readonly explanation: Readonly<Record<Exclude<LicenseStatus, 'active'>, string>>;
    /** The explanation of an expired license that can be renewed. */
    readonly expiredRenew: string;
    readonly contact: string;
    readonly renew: string;
    readonly neverExpires: string;
    readonly expires: (words: string) => string;
    readonly expired: (words: string) => string;
    readonly updatesUntil: (date: string) => string;
    readonly limits: string;
    readonly consumed: (used: string, included: string) => string;
    readonly resets: (date: string) => string;
    readonly label: string;
    readonly addLabel: string;
    readonly changeLabel: string;
    readonly labelHint: string;
    readonly save: string;
    readonly key: string;
    readonly showKey: string;
    readonly hideKey: string;
    readonly copyKey: string;
    readonly copied: string;
    readonly notCopied: string;
    readonly mailKey: string;
    readonly keyMailed: string;
    readonly devices: string;
    readonly seats: (used: number, max: number) => string;
    readonly noDevices: string;
    readonly unnamed: string;
    readonly lastSeen: (date: string) => string;
    readonly activated: (date: string) => string;
    readonly free: string;
    readonly freeQuestion: (device: string) => string;
    readonly freeConfirm: string;
    readonly freeOf: (device: string) => string;
    readonly freed: (device: string) => string;
    readonly freesLeft: (count: number) => string;
    readonly noFreesLeft: string;
    readonly replaceKey: string;
    readonly replaceHint: string;
    readonly replaceConfirm: string;
    readonly replaced: string;
    readonly cancel: string;
    readonly offline: string;
    readonly offlineHint: string;
    readonly offlineFile: string;
    readonly offlineRequest: string;
    readonly offlineMake: string;
    readonly offlineResponse: string;
    readonly offlineSave: string;
    readonly copy: string;
  };
  readonly activation: {
    readonly enterHeading: string;
    readonly enterHint: string;
    readonly code: string;
    readonly next: string;
    readonly signInFirst: (code: string) => string;
    readonly heading: string;
    readonly quoted: (text: string) => string;
    /** `Aurora Notes on`; the device, its country and when it asked follow. */
    readonly appOn: (product: string) => string;
    readonly unnamed: string;
    readonly noCountry: string;
    readonly asked: (minutesAgo: number) => string;
    readonly reported: string;
    readonly compare: string;
    readonly warning: string;
    readonly license: string;
    readonly bound: string;
    readonly full: string;
    readonly noneUsable: string;
    readonly replace: string;
    readonly choose: string;
    readonly approve: string;
    readonly deny: string;
    readonly approved: string;
    readonly approvedHint: string;
    readonly denied: string;
    readonly deniedHint: string;
    readonly leave: string;
    readonly unknown: string;
    readonly locked: string;
    readonly tooManyDevices: string;
    readonly tooManyOwnDevices: string;
    readonly notCovered: string;
  };
  /** The people who may use a license. */
  readonly members: {
    /** @param max the number of seats; 0: no limit */
    readonly heading: (count: number, max: number) => string;
    readonly hint: string;
    readonly roles: Readonly<Record<MemberRole, string>>;
    readonly roleOf: (address: string) => string;
    readonly devices: (count: number) => string;
    readonly addresses: string;
    readonly addressesHint: string;
    /** @param texts some of the texts that are no addresses */
    readonly noAddresses: (count: number, texts: string) => string;
    readonly add: (count: number) => string;
    readonly added: (invitation: string) => string;
    readonly invited: string;
    readonly notInvited: string;
    readonly reasons: Readonly<Record<InvitationReason, string>>;
    readonly search: string;
    readonly remove: (count: number) => string;
    readonly removeQuestion: (count: number) => string;
    readonly removeConfirm: (count: number) => string;
    readonly removed: string;
    readonly inviteAgain: string;
    readonly noSeats: string;
    readonly refused: string;
    readonly leave: string;
    readonly leaveHint: string;
    readonly leaveConfirm: string;
  };
  readonly noticed: {
    readonly heading: string;
    readonly question: (device: string) => string;
    readonly notMe: string;
    readonly wasMe: string;
    readonly freed: string;
    readonly close: string;
    readonly tooLate: string;
  };
  readonly downloads: {
    readonly heading: string;
    readonly version: (version: string, date: string) => string;
    readonly notes: (version: string) => string;
    readonly systems: Readonly<Record<Platform, string>>;
    /** The kinds of processors; empty if the name of a file needs none. `macs` has the names for Macs. */
    readonly processors: Readonly<Record<Architecture, string>>;
    readonly macs: Readonly<Record<Architecture, string>>;
    readonly kinds: Readonly<Record<FileKind, string>>;
    /** The name of a file. @param processor may be empty */
    readonly name: (system: string, processor: string, kind: string) => string;
  };
  readonly orders: {
    readonly heading: string;
    readonly refunded: (amount: string) => string;
    readonly receipt: string;
    readonly receiptOf: (date: string) => string;
    readonly renews: (date: string) => string;
    readonly ends: (date: string) => string;
    readonly ended: (date: string) => string;
  };
  readonly email: {
    readonly heading: string;
    readonly hint: string;
    readonly address: string;
    readonly send: string;
    readonly sent: (address: string) => string;
    readonly code: string;
    readonly confirm: string;
    readonly done: (address: string) => string;
  };
}
