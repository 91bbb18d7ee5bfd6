import { gumroad } from './gumroad';
import { lemonsqueezy } from './lemonsqueezy';
import { paddle } from './paddle';
import { polar } from './polar';
import { stripe } from './stripe';
import type { Fact, Message, Order, ProcessorName, Shop } from './shop';

/** Creates a shop at each processor. `now` returns the time in epoch milliseconds, and a later time with each call. */
export const shops: Readonly<Record<ProcessorName, (now?: () => number) => Shop>> = { stripe, paddle, lemonsqueezy, polar, gumroad };

/** The messages that a processor sends when one fact happens. */
export interface Step {
  readonly title: string;
  readonly messages: readonly Message[];
}

interface Scenario {
  readonly about: string;
  /** True if the scenario needs a subscription. If undefined, `--subscription` decides. */
  readonly recurring?: true;
  /** The facts that happen to the order, in order. */
  readonly facts: readonly Fact[];
  /** Changes how the steps are sent: twice, or in another order. If undefined, each step is sent once, in order. */
  readonly send?: (steps: readonly Step[]) => readonly Step[];
}

const twice = (steps: readonly Step[]): readonly Step[] => steps.flatMap((step) => [step, { ...step, title: `${step.title}, again` }]);

export const scenarios = {
  sale: { about: 'A license is issued, and mailed if keys are mailed.', facts: ['sale'] },
  renewal: { about: 'Two more periods are paid: the license expires later.', recurring: true, facts: ['sale', 'renewal', 'renewal'] },
  refund: { about: 'Everything is refunded: the license is revoked.', facts: ['sale', 'refunded'] },
  'refund-in-parts': {
    about: 'A third is refunded, three times: the license is revoked (not at Gumroad, which reports no amounts).',
    facts: ['sale', 'refunded in part', 'refunded in part', 'refunded in part'],
  },
  'partial-refund': {
    about: 'A third is refunded: a setting of the connection decides what happens.',
    facts: ['sale', 'refunded in part'],
  },
  dispute: { about: 'A dispute is opened and won: suspended, then reinstated.', facts: ['sale', 'dispute opened', 'dispute won'] },
  'dispute-lost': { about: 'A dispute is opened and lost: suspended, then revoked.', facts: ['sale', 'dispute opened', 'dispute lost'] },
  'failed-payment': { about: 'A payment fails, a later one succeeds.', recurring: true, facts: ['sale', 'payment failed', 'renewal'] },
  pause: { about: 'A subscription is paused and resumed.', recurring: true, facts: ['sale', 'paused', 'resumed'] },
  cancel: { about: 'A subscription is canceled, to end later: nothing happens.', recurring: true, facts: ['sale', 'canceled'] },
  end: {
    about: 'A subscription is canceled and ends: the license ends with the paid period.',
    recurring: true,
    facts: ['sale', 'canceled', 'ended'],
  },
  updates: {
    about: 'For a plan with extends "updates": two periods are paid, the second is refunded, and the subscription ends.',
    recurring: true,
    facts: ['sale', 'renewal', 'refunded', 'ended'],
  },
  fallback: {
    about: 'For a plan with fallback_months 1 to 3: three periods are paid, and the license stays valid after the end.',
    recurring: true,
    facts: ['sale', 'renewal', 'renewal', 'ended'],
  },
  'fallback-ended': {
    about: 'Like "fallback", but the end arrives first: the license is the same.',
    recurring: true,
    facts: ['sale', 'renewal', 'renewal', 'ended'],
    send: (steps) => steps.toReversed(),
  },
  plan: {
    about: 'The subscription changes to another plan: the license moves to its type.',
    recurring: true,
    facts: ['sale', 'plan changed'],
  },
  quantity: {
    about: 'The quantity is increased by one: one more license, or more seats if the `quantity` of the plan is "seats".',
    recurring: true,
    facts: ['sale', 'quantity changed'],
  },
  'quantity-lowered': {
    about: 'One more is bought and given up: the newest license ends with the paid period.',
    recurring: true,
    facts: ['sale', 'quantity changed', 'quantity lowered', 'renewal'],
  },
  'plan-and-quantity': {
    about: 'The plan changes, more are bought, and fewer are renewed: the licenses that are left have the new type.',
    recurring: true,
    facts: ['sale', 'plan changed', 'quantity changed', 'quantity changed', 'quantity lowered', 'renewal'],
  },
  line: {
    about: 'A second product is added to the subscription and removed again: its license ends with the paid period.',
    recurring: true,
    facts: ['sale', 'line added', 'line removed', 'renewal'],
  },
  'line-kept': {
    about: 'A second product is added to the subscription, before the sale has arrived: both are renewed.',
    recurring: true,
    facts: ['sale', 'line added', 'renewal'],
    send: ([sale, added, ...rest]) => [added, sale, ...rest].filter((step) => step !== undefined),
  },
  'partial-refund-of-renewal': {
    about: 'Two thirds of a renewal are refunded, after a third of the sale: no payment is refunded in full.',
    recurring: true,
    facts: ['sale', 'refunded in part', 'renewal', 'refunded in part', 'refunded in part'],
  },
  twice: { about: 'Everything is sent twice: the second time it is a duplicate.', facts: ['sale', 'refunded'], send: twice },
  'out-of-order': {
    about: 'The refund arrives before the sale: no license is issued.',
    facts: ['sale', 'refunded'],
    send: (steps) => steps.toReversed(),
  },
  'renewal-first': {
    about: 'The renewal arrives before the sale, and its messages in reverse order: one license, with the later expiry.',
    recurring: true,
    facts: ['sale', 'renewal'],
    send: (steps) => steps.toReversed().map((step) => ({ ...step, messages: step.messages.toReversed() })),
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** The facts of a scenario that the processor does not report. */
export const missingFacts = (shop: Shop, name: ScenarioName): readonly Fact[] =>
  scenarios[name].facts.filter((fact) => !shop.facts.includes(fact));

/** Whether the scenario needs a subscription. */
export const needsSubscription = (name: ScenarioName): boolean => 'recurring' in scenarios[name];

/** The steps of a scenario in the order of sending. */
export function stepsOf(name: ScenarioName, shop: Shop, order: Order): readonly Step[] {
  const { facts, send = (steps: readonly Step[]) => steps }: Scenario = scenarios[name];
  return send(facts.map((fact) => ({ title: fact, messages: shop.messages(fact, order) })));
}
