import fc from 'fast-check';
import { portalActions } from '../../lambdas/contract/portal-actions';
import { DAY, MINUTE } from './license';
import type { Settings } from './portal-specification';

/**
 * A random plan of the actions of buyers, vendors and apps in two portals. A plan names mails, links, sessions and licenses by numbers, of
 * which 0 is the newest at the time of the action. Valid sessions have lower numbers than invalid ones, and the buyer's own licenses have
 * lower numbers than those of other buyers.
 */

export type Request =
  | { readonly act: 'requestCode'; readonly product: number; readonly buyer: number; readonly upper: boolean }
  /**
   * `code`: the number of the mailed code; 0 is the newest. `as`: the buyer whose e-mail address the request contains; null for the
   * recipient of the mail with the code.
   */
  | { readonly act: 'signIn'; readonly code: number; readonly wrong: boolean; readonly as: number | null; readonly elsewhere: boolean }
  | { readonly act: 'signInByLink'; readonly link: number; readonly elsewhere: boolean }
  | { readonly act: 'look' | 'signOut'; readonly session: number; readonly elsewhere: boolean }
  | { readonly act: 'free' | 'mint'; readonly session: number; readonly license: number; readonly device: number }
  | { readonly act: 'reissue' | 'mailKey'; readonly session: number; readonly license: number }
  | { readonly act: 'changeAddress'; readonly session: number; readonly buyer: number }
  | { readonly act: 'confirm'; readonly session: number; readonly buyer: number; readonly code: 'right' | 'wrong' | 'old' }
  | { readonly act: 'makeLink'; readonly product: number; readonly buyer: number; readonly minutes: number }
  | { readonly act: 'sell'; readonly product: number; readonly buyer: number }
  | { readonly act: 'move'; readonly license: number; readonly buyer: number }
  | { readonly act: 'suspend' | 'reinstate' | 'revoke'; readonly license: number }
  /** `session`: if it is given, the license belongs to the buyer of this session. */
  | { readonly act: 'activate' | 'freeByOperator'; readonly license: number; readonly device: number; readonly session?: number }
  | { readonly act: 'erase'; readonly product: number | null; readonly buyer: number }
  | { readonly act: 'set'; readonly product: number; readonly settings: Settings };

export type Step =
  | { readonly act: 'pause'; readonly ms: number }
  /** The worker for deliveries sends the mails that are due. */
  | { readonly act: 'send' }
  /** One request, or several requests at the same time. */
  | { readonly act: 'requests'; readonly requests: readonly Request[] };

export interface Plan {
  readonly seed: number;
  readonly steps: readonly Step[];
}

/** How many different buyers and devices a plan names. */
export const BUYERS = 3;
export const DEVICES = 3;

const product = fc.nat(1);
const buyer = fc.nat(BUYERS - 1);
const device = fc.nat(DEVICES - 1);
const license = fc.nat(7);
/** The number of a mail, link, session or license; in most cases 0 or 1, which are the newest. */
const recent = fc.oneof({ weight: 3, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(9) });
const elsewhere = fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
const upper = fc.boolean();
const the = <Value extends string>(...values: Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);

const look = fc.record({ act: the('look'), session: recent, elsewhere });
const signIn = fc.record({
  act: the('signIn'),
  code: recent,
  wrong: fc.constantFrom(false, false, true),
  as: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: buyer }),
  elsewhere,
});
const signInByLink = fc.record({ act: the('signInByLink'), link: recent, elsewhere });
const free = fc.record({ act: the('free'), session: recent, license: recent, device });
const confirm = fc.record({ act: the('confirm'), session: recent, buyer, code: the('right', 'right', 'wrong', 'old') });
const activate = fc.record({ act: the('activate'), license, device });

/** The requests that may run at the same time as any other request of this list. */
const parallel: fc.Arbitrary<Request> = fc.oneof(
  { weight: 4, arbitrary: free },
  { weight: 4, arbitrary: signIn },
  { weight: 3, arbitrary: signInByLink },
  { weight: 3, arbitrary: activate },
  { weight: 2, arbitrary: fc.record({ act: the('mint'), session: recent, license: recent, device }) },
  { weight: 3, arbitrary: fc.record({ act: the('reissue', 'mailKey', 'mailKey'), session: recent, license: recent }) },
  { weight: 2, arbitrary: fc.record({ act: the('suspend', 'reinstate', 'reinstate', 'revoke'), license }) },
  { weight: 2, arbitrary: fc.record({ act: the('move'), license, buyer }) },
  { weight: 2, arbitrary: fc.record({ act: the('freeByOperator'), license, device }) },
);

/**
 * The requests that never run at the same time as others. They take several steps, whose partial results other requests could see, or they
 * depend on the order of mails.
 */
const alone: fc.Arbitrary<Request> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: the('requestCode'), product, buyer, upper }) },
  { weight: 2, arbitrary: fc.record({ act: the('changeAddress'), session: recent, buyer }) },
  { weight: 4, arbitrary: confirm },
  { weight: 2, arbitrary: fc.record({ act: the('makeLink'), product, buyer, minutes: fc.constantFrom(1, 60, 10_080) }) },
  { weight: 2, arbitrary: fc.record({ act: the('sell'), product, buyer }) },
  { weight: 1, arbitrary: fc.record({ act: the('erase'), product: fc.constantFrom(null, 0, 1), buyer }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: the('set'),
      product,
      settings: fc.constantFrom<Settings[]>(
        { enabled: false },
        { enabled: true },
        { enabled: true, allow: portalActions },
        { allow: [] },
        { allow: ['free_devices', 'change_email'] },
        { frees_per_30_days: 0 },
        { frees_per_30_days: 1 },
        { frees_per_30_days: 2 },
      ),
    }),
  },
);

const request = (...requests: readonly Request[]): Step => ({ act: 'requests', requests });
const send: Step = { act: 'send' };
const pause: fc.Arbitrary<Step> = fc
  .constantFrom(1000, MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE, 59 * MINUTE, 60 * MINUTE - 1, 60 * MINUTE, 690 * MINUTE, DAY, 29 * DAY)
  .map((ms) => ({ act: 'pause', ms }));

const signOut = fc
  .tuple(fc.record({ act: the('signOut'), session: recent, elsewhere }), fc.boolean())
  .map(([one, twice]) => (twice ? request(one, one) : request(one)));

/** Up to four simultaneous requests, some of them twice, because simultaneous equal requests find most faults. */
const crowd: fc.Arbitrary<Step> = fc
  .array(fc.tuple(parallel, fc.constantFrom(1, 1, 2)), { minLength: 1, maxLength: 3 })
  .map((all) => request(...all.flatMap(([one, times]) => Array<Request>(times).fill(one)).slice(0, 4)));

/** A buyer requests a code and signs in with the code or with the link. */
const enter = fc
  .tuple(product, buyer, fc.boolean())
  .map(([at, who, byLink]): Step[] => [
    request({ act: 'requestCode', product: at, buyer: who, upper: false }),
    send,
    request(
      byLink ? { act: 'signInByLink', link: 0, elsewhere: false } : { act: 'signIn', code: 0, wrong: false, as: null, elsewhere: false },
    ),
  ]);
/** A buyer moves to another e-mail address. Sometimes a second buyer does the same, so that the two buyers may swap their addresses. */
const moveAway = fc
  .tuple(recent, buyer, fc.option(fc.tuple(recent, buyer), { nil: null }))
  .map(([session, to, other]): Step[] => [
    request({ act: 'changeAddress', session, buyer: to }),
    ...(other ? [request({ act: 'changeAddress', session: other[0], buyer: other[1] })] : []),
    send,
    request({ act: 'confirm', session, buyer: to, code: 'right' }),
    ...(other ? [request({ act: 'confirm', session: other[0], buyer: other[1], code: 'right' })] : []),
  ]);
/** Three to five wrong codes and then the right code. After five wrong codes the right code must be refused too. */
const guess = fc.integer({ min: 3, max: 5 }).map((times): Step[] => {
  const attempt = { act: 'signIn', code: 0, as: null, elsewhere: false } as const;
  return [...Array<Step>(times).fill(request({ ...attempt, wrong: true })), request({ ...attempt, wrong: false })];
});
/** Apps take seats, and a buyer frees the seats at the same moment. */
const occupy = fc
  .tuple(recent, device, recent, fc.nat(2))
  .map(([which, first, session, more]): Step[] => [
    ...Array.from({ length: more + 1 }, (_, place) =>
      request({ act: 'activate', session, license: which, device: (first + place) % DEVICES }),
    ),
    request(
      ...Array.from(
        { length: more + 1 },
        (_, place): Request => ({ act: 'free', session, license: which, device: (first + place) % DEVICES }),
      ),
    ),
  ]);

/** A buyer requests the mail with a key more often than the limit allows, and a license gets another buyer before the mails are sent. */
const requestKeys = fc.tuple(recent, recent, fc.nat(4), license, buyer).map(([session, which, times, sold, to]): Step[] => {
  const mailKey: Request = { act: 'mailKey', session, license: which };
  return [
    request(mailKey, mailKey),
    ...Array<Step>(times).fill(request(mailKey)),
    request({ act: 'move', license: sold, buyer: to }),
    send,
  ];
});

const steps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 5, arbitrary: crowd.map((one) => [one]) },
  { weight: 4, arbitrary: alone.map((one) => [request(one)]) },
  { weight: 3, arbitrary: look.map((one) => [request(one)]) },
  { weight: 1, arbitrary: signOut.map((one) => [one]) },
  { weight: 3, arbitrary: pause.map((one) => [one]) },
  { weight: 2, arbitrary: fc.constant([send]) },
  { weight: 5, arbitrary: enter },
  { weight: 2, arbitrary: moveAway },
  { weight: 1, arbitrary: guess },
  { weight: 2, arbitrary: occupy },
  { weight: 1, arbitrary: requestKeys },
);

export const plan: fc.Arbitrary<Plan> = fc.record({
  seed: fc.noShrink(fc.nat()),
  steps: fc
    .tuple(enter, enter, fc.array(steps, { maxLength: 25, size: 'max' }))
    .map(([first, second, others]) => [first, second, ...others].flat()),
});

export const show = ({ seed, steps: all }: Plan): string[] => [`seed ${seed}`, ...all.map((step) => JSON.stringify(step))];
