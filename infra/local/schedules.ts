import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { ACCOUNT, arn, REGION } from './aws';
import { functionFinder, type Functions } from './lambda';
import { TemplateError, type Resource, type Template } from './template';

/** Maximum delay of a timer in node, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

const target = z.object({ Arn: z.string(), Input: z.optional(z.string()) });
const ruleProperties = z.object({
  ScheduleExpression: z.optional(z.string()),
  State: z._default(z.string(), 'ENABLED'),
  Targets: z._default(z.array(target), []),
});
const scheduleProperties = z.object({ ScheduleExpression: z.string(), State: z._default(z.string(), 'ENABLED'), Target: target });

export interface Schedules {
  /** Waits for the invocations in progress and starts no more invocations. */
  stop(): Promise<void>;
}

export interface ScheduleOptions {
  readonly functions: Functions;
  /** Maximum period of a schedule in milliseconds. A schedule with a longer period runs at this maximum instead. */
  readonly longestPeriod?: number;
}

/** Invokes the targets of the template's schedules once per period. A run starts only after the schedule's previous run has ended. */
export function start(template: Template, { functions, longestPeriod = Infinity }: ScheduleOptions): Schedules {
  const running = readSchedules(template).map(({ period, source, scheduleArn, targets }) =>
    repeat(Math.min(period, longestPeriod, LONGEST_TIMER), async () => {
      await Promise.all(
        targets.map(({ functionId, input }) =>
          functions.invoke(functionId, input === undefined ? scheduledEvent(source, scheduleArn) : JSON.parse(input)),
        ),
      );
    }),
  );
  return {
    stop: async () => {
      await Promise.all(running.map((stop) => stop()));
    },
  };
}

interface Schedule {
  /** Milliseconds from the start of a run to the start of the next run. */
  readonly period: number;
  readonly source: 'aws.events' | 'aws.scheduler';
  readonly scheduleArn: string;
  readonly targets: readonly { readonly functionId: string; readonly input: string | undefined }[];
}

/** Reads the template's schedules. Functions must be defined first. */
function readSchedules(template: Template): Schedule[] {
  const functionOf = functionFinder(template);
  const targetsOf = (resource: Resource, targets: readonly z.infer<typeof target>[]): Schedule['targets'] =>
    targets.map(({ Arn, Input }) => ({ functionId: functionOf(resource, Arn), input: Input }));
  const rules = template.resources('AWS::Events::Rule').flatMap((resource): Schedule[] => {
    const scheduleArn = arn('events', `rule/${resource.id}`);
    template.define(resource.id, { Ref: resource.id, Arn: scheduleArn });
    const { ScheduleExpression, State, Targets } = template.read(resource, ruleProperties);
    if (ScheduleExpression === undefined || State !== 'ENABLED') return [];
    const targets = targetsOf(resource, Targets);
    return [{ period: rate(resource, ScheduleExpression), source: 'aws.events', scheduleArn, targets }];
  });
  const schedules = template.resources('AWS::Scheduler::Schedule').flatMap((resource): Schedule[] => {
    const scheduleArn = arn('scheduler', `schedule/default/${resource.id}`);
    template.define(resource.id, { Ref: resource.id, Arn: scheduleArn });
    const { ScheduleExpression, State, Target } = template.read(resource, scheduleProperties);
    if (State !== 'ENABLED') return [];
    const targets = targetsOf(resource, [Target]);
    return [{ period: rate(resource, ScheduleExpression), source: 'aws.scheduler', scheduleArn, targets }];
  });
  return [...rules, ...schedules];
}

const units: Record<string, number> = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function rate(resource: Resource, expression: string): number {
  const [, value, unit] = /^rate\((\d+) (second|minute|hour|day)s?\)$/.exec(expression) ?? [];
  if (value === undefined || unit === undefined) {
    throw new TemplateError(`${resource.id} (${resource.Type}): the schedule "${expression}" does not run locally; only rate(...) does.`);
  }
  return Number(value) * units[unit]!;
}

/**
 * Repeats an action.
 *
 * @returns a function that stops the repetition
 */
function repeat(period: number, action: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  let underWay: Promise<void> = Promise.resolve();
  let timer = setTimeout(run, period);
  function run(): void {
    const begun = performance.now();
    underWay = action().finally(() => {
      if (!stopped) timer = setTimeout(run, Math.max(0, begun + period - performance.now()));
    });
  }
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await underWay;
  };
}

const scheduledEvent = (source: Schedule['source'], scheduleArn: string) => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source,
  account: ACCOUNT,
  time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  region: REGION,
  resources: [scheduleArn],
  detail: {},
});
