import type { Processor } from '../../lambdas/contract/processors';
import { custom } from './custom';
import { gumroad } from './gumroad';
import { lemonsqueezy } from './lemonsqueezy';
import { paddle } from './paddle';
import { polar } from './polar';
import { stripe } from './stripe';
import type { Fact, Message, Order, Shop } from './shop';

/** Creates a shop at each processor. `now` returns the time in epoch milliseconds, and every call must return a later time. */
export const shops: Readonly<Record<Processor, (now?: () => number) => Shop>> = {
  stripe,
  paddle,
  lemonsqueezy,
  polar,
  gumroad,
  custom,
};

/** The messages that a processor sends about one event, such as a sale or a refund. */
export interface Step {
  readonly title: string;
  readonly messages: readonly Message[];
}

interface Scenario {
  readonly about: string;
  /** True if the scenario needs a subscription. If undefined, `--subscription` decides. */
  readonly recurring?: true;
  /** The events of the purchase in this scenario, oldest first, for example a sale and then a refund. */
  readonly facts: readonly Fact[];
  /** Changes how the steps are sent: twice, or in another order. If undefined, each step is sent once, in order. */
  readonly send?: (steps: readonly Step[]) => readonly Step[];
}

const twice = (steps: readonly Step[]): readonly Step[] => steps.flatMap((step) => [step, { ...step, title: `${step.title}, again` }]);

export const scenarios = {
  sale: { about: 'A sale issues a license. The license key is mailed if the product mails keys.', facts: ['sale'] },
  renewal: {
    about: 'The buyer pays for two more periods, so the license expires later.',
    recurring: true,
    facts: ['sale', 'renewal', 'renewal'],
  },
  refund: { about: 'The whole sale is refunded, so the license is revoked.', facts: ['sale', 'refunded'] },
  'refund-in-parts': {
    about:
      'The sale is refunded in three equal parts, so the license is revoked. With Gumroad, `on_partial_refund` decides, because Gumroad reports no amounts.',
    facts: ['sale', 'refunded in part', 'refunded in part', 'refunded in part'],
  },
  'partial-refund': {
    about: 'A third of the sale is refunded. The setting `on_partial_refund` of the connection decides whether the license is revoked.',
    facts: ['sale', 'refunded in part'],
  },
  dispute: {
    about: 'A dispute is opened and won, so the license is suspended and then reinstated.',
    facts: ['sale', 'dispute opened', 'dispute won'],
  },
  'dispute-lost': {
    about: 'A dispute is opened and lost, so the license is suspended and then revoked.',
    facts: ['sale', 'dispute opened', 'dispute lost'],
  },
  'failed-payment': {
    about: 'A payment fails, and a later payment succeeds.',
    recurring: true,
    facts: ['sale', 'payment failed', 'renewal'],
  },
  pause: { about: 'A subscription is paused and resumed.', recurring: true, facts: ['sale', 'paused', 'resumed'] },
  cancel: {
    about: 'A subscription is canceled but runs until the end of the paid period. The license does not change yet.',
    recurring: true,
    facts: ['sale', 'canceled'],
  },
  end: {
    about: 'A subscription is canceled and ends, so the license ends with the paid period.',
    recurring: true,
    facts: ['sale', 'canceled', 'ended'],
  },
  updates: {
    about: 'For a plan whose `extends` is "updates": two periods are paid, the second is refunded, and the subscription ends.',
    recurring: true,
    facts: ['sale', 'renewal', 'refunded', 'ended'],
  },
  fallback: {
    about: 'For a plan whose `fallback_months` is 1 to 3: three periods are paid, and the license stays valid after the subscription ends.',
    recurring: true,
    facts: ['sale', 'renewal', 'renewal', 'ended'],
  },
  'fallback-ended': {
    about: 'Like "fallback", but the notifications arrive in reverse order. The resulting license is the same.',
    recurring: true,
    facts: ['sale', 'renewal', 'renewal', 'ended'],
    send: (steps) => steps.toReversed(),
  },
  plan: {
    about: 'The subscription changes to another plan, so the license changes to the license type of that plan.',
    recurring: true,
    facts: ['sale', 'plan changed'],
  },
  quantity: {
    about: 'The quantity increases by one. The buyer gets one more license, or more seats if the `quantity` of the plan is "seats".',
    recurring: true,
    facts: ['sale', 'quantity changed'],
  },
  'quantity-lowered': {
    about: 'The quantity increases by one and decreases again. The newest license ends with the paid period.',
    recurring: true,
    facts: ['sale', 'quantity changed', 'quantity lowered', 'renewal'],
  },
  'plan-and-quantity': {
    about: 'The plan changes, the quantity increases and decreases, and a period is paid. The remaining licenses have the new type.',
    recurring: true,
    facts: ['sale', 'plan changed', 'quantity changed', 'quantity changed', 'quantity lowered', 'renewal'],
  },
  line: {
    about: 'A second product is added to the subscription and removed again. The second license ends with the paid period.',
    recurring: true,
    facts: ['sale', 'line added', 'line removed', 'renewal'],
  },
  'line-kept': {
    about: 'The notification that adds a second product arrives before the sale. Both licenses are renewed.',
    recurring: true,
    facts: ['sale', 'line added', 'renewal'],
    send: ([sale, added, ...rest]) => [added, sale, ...rest].filter((step) => step !== undefined),
  },
  'partial-refund-of-renewal': {
    about: 'A third of the sale and two thirds of a renewal are refunded, so neither payment is refunded in full.',
    recurring: true,
    facts: ['sale', 'refunded in part', 'renewal', 'refunded in part', 'refunded in part'],
  },
  twice: { about: 'Each notification is sent twice. The second one is a duplicate.', facts: ['sale', 'refunded'], send: twice },
  'out-of-order': {
    about: 'The refund arrives before the sale, so no license is issued.',
    facts: ['sale', 'refunded'],
    send: (steps) => steps.toReversed(),
  },
  'renewal-first': {
    about: 'All messages arrive in reverse order, so the renewal arrives before the sale. One license is issued, with the later expiry.',
    recurring: true,
    facts: ['sale', 'renewal'],
    send: (steps) => steps.toReversed().map((step) => ({ ...step, messages: step.messages.toReversed() })),
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** The steps of a scenario that the shop's processor does not report. For example, not every processor reports disputes. */
export const missingFacts = (shop: Shop, name: ScenarioName): readonly Fact[] =>
  scenarios[name].facts.filter((fact) => !shop.facts.includes(fact));

/** Whether the scenario needs a subscription. */
export const needsSubscription = (name: ScenarioName): boolean => 'recurring' in scenarios[name];

/** The steps of a scenario in the order of sending. */
export function stepsOf(name: ScenarioName, shop: Shop, order: Order): readonly Step[] {
  const { facts, send = (steps: readonly Step[]) => steps }: Scenario = scenarios[name];
  return send(facts.map((fact) => ({ title: fact, messages: shop.messages(fact, order) })));
}
