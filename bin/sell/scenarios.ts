import { gumroad } from './gumroad';
import { lemonsqueezy } from './lemonsqueezy';
import { paddle } from './paddle';
import { polar } from './polar';
import { stripe } from './stripe';
import type { Fact, Message, Order, ProcessorName, Shop } from './shop';

/** A shop at each processor; `now` gives the time (epoch ms), later with each call. */
export const shops: Readonly<Record<ProcessorName, (now?: () => number) => Shop>> = { stripe, paddle, lemonsqueezy, polar, gumroad };

/** What is sent for one thing that happens. */
export interface Step {
  readonly title: string;
  readonly messages: readonly Message[];
}

interface Scenario {
  readonly about: string;
  /** Whether it needs a subscription; undefined: `--subscription` decides. */
  readonly recurring?: true;
  /** What happens, in the order in which it happens. */
  readonly facts: readonly Fact[];
  /** How it is sent, if not just so. */
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
  'partial-refund': { about: 'A third is refunded: what happens is a setting of the connection.', facts: ['sale', 'refunded in part'] },
  dispute: { about: 'A dispute is opened and won: suspended, then reinstated.', facts: ['sale', 'dispute opened', 'dispute won'] },
  'dispute-lost': { about: 'A dispute is opened and lost: suspended, then revoked.', facts: ['sale', 'dispute opened', 'dispute lost'] },
  'failed-payment': { about: 'A payment fails, a later one succeeds.', recurring: true, facts: ['sale', 'payment failed', 'renewal'] },
  pause: { about: 'A subscription is paused and resumed.', recurring: true, facts: ['sale', 'paused', 'resumed'] },
  cancel: { about: 'A subscription is canceled, to end later: nothing happens.', recurring: true, facts: ['sale', 'canceled'] },
  end: {
    about: 'A subscription is canceled and ends: the license ends with what was paid.',
    recurring: true,
    facts: ['sale', 'canceled', 'ended'],
  },
  plan: {
    about: 'The subscription changes to another plan: the license moves to its type.',
    recurring: true,
    facts: ['sale', 'plan changed'],
  },
  quantity: {
    about: 'One more is bought: a further license, or with a plan of quantity "seats" more seats.',
    recurring: true,
    facts: ['sale', 'quantity changed'],
  },
  'quantity-lowered': {
    about: 'One more is bought and given up: the newest license ends with what was paid.',
    recurring: true,
    facts: ['sale', 'quantity changed', 'quantity lowered', 'renewal'],
  },
  twice: { about: 'Everything is sent twice: the second time it is a duplicate.', facts: ['sale', 'refunded'], send: twice },
  'out-of-order': {
    about: 'The refund arrives before the sale: no license is issued.',
    facts: ['sale', 'refunded'],
    send: (steps) => steps.toReversed(),
  },
  'renewal-first': {
    about: 'The renewal arrives before the sale, and every message of it in the wrong order: one license, with the later expiry.',
    recurring: true,
    facts: ['sale', 'renewal'],
    send: (steps) => steps.toReversed().map((step) => ({ ...step, messages: step.messages.toReversed() })),
  },
} as const satisfies Readonly<Record<string, Scenario>>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

/** The facts of a scenario that a processor reports nothing of. */
export const missingFacts = (shop: Shop, name: ScenarioName): readonly Fact[] =>
  scenarios[name].facts.filter((fact) => !shop.facts.includes(fact));

/** Whether the scenario needs a subscription. */
export const needsSubscription = (name: ScenarioName): boolean => 'recurring' in scenarios[name];

/** What to send for a scenario, in the order of sending. */
export function stepsOf(name: ScenarioName, shop: Shop, order: Order): readonly Step[] {
  const { facts, send = (steps: readonly Step[]) => steps }: Scenario = scenarios[name];
  return send(facts.map((fact) => ({ title: fact, messages: shop.messages(fact, order) })));
}
