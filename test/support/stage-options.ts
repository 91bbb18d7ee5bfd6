import { ConfigError, configFor, type StageConfig } from '../../infra/config';
import { certificate } from './stages';

/** Lists every option of a stage, with all values that change the template. */
const hostedZone = { id: 'Z0123456789ABCDEFGHIJ', name: 'example.com' };
const named = { name: 'licenses.example.com', certificateArn: certificate('us-east-1') };

/**
 * Returns the settings for one value of an option. `chosen` contains the settings for the values of the previous options. The result is
 * undefined if the value can't be combined with `chosen`.
 */
type Choice = (chosen: Partial<StageConfig>) => Partial<StageConfig> | undefined;

const region: Readonly<Record<string, Choice>> = {
  'any region': () => ({}),
  'us-east-1': () => ({ region: 'us-east-1' }),
  'eu-central-1': () => ({ region: 'eu-central-1' }),
};
const mail: Readonly<Record<string, Choice>> = {
  'no mail': () => ({}),
  ses: () => ({ mail: { transport: 'ses', from: 'licenses@mail.example.com' } }),
  smtp: () => ({ mail: { transport: 'smtp', from: 'licenses@mail.example.com' } }),
};
const domain: Readonly<Record<string, Choice>> = {
  'no domain': () => ({}),
  'a domain': () => ({ domain: { ...named, hostedZone } }),
  'a domain elsewhere': () => ({ domain: { ...named, hstsIncludeSubDomains: true } }),
};
const others: ReadonlyArray<Readonly<Record<string, Choice>>> = [
  {
    'no name of the API': () => ({}),
    'a name of the API': ({ region: own, domain: chosen }) =>
      own === undefined || chosen === undefined
        ? undefined
        : { domain: { ...chosen, api: { name: 'api.licenses.example.com', certificateArn: certificate(own) } } },
  },
  { 'no firewall': () => ({}), firewall: () => ({ firewall: { requestsPer5Minutes: 2000 } }) },
  { 'open API': () => ({}), 'closed API': () => ({ closeApi: true }) },
  { 'no alarms': () => ({}), alarms: () => ({ alarmEmail: 'operator@example.com' }) },
  { 'no repository': () => ({}), repository: () => ({ repositoryUrl: 'https://github.com/acme/licenses' }) },
  { 'own table': () => ({}), 'restored table': () => ({ restoredTable: 'licenses-restored' }) },
  { 'no warm instances': () => ({}), 'warm instances': () => ({ warm: { validate: 1, activate: 1 } }) },
  { traced: () => ({ tracing: true }), 'not traced': () => ({ tracing: false }) },
];
const stages = ['dev', 'production'];

export interface Combination {
  readonly name: string;
  readonly config: StageConfig;
}

/** All lists that contain, for each option, the name of one of its values. */
const product = (options: ReadonlyArray<readonly string[]>): string[][] =>
  options.reduce<string[][]>((ways, names) => ways.flatMap((way) => names.map((name) => [...way, name])), [[]]);

/**
 * The combination of a stage and one value for each option. `names` contains the names of the stage and of the values. The result is
 * undefined if the values can't be combined or if the configuration refuses them.
 */
function combine(names: readonly string[]): Combination | undefined {
  const [stage = '', ...rest] = names;
  const choices = [region, mail, domain, ...others];
  let chosen: Partial<StageConfig> = {};
  for (const [index, name] of rest.entries()) {
    const more = choices[index]?.[name]?.(chosen);
    if (!more) return undefined;
    chosen = { ...chosen, ...more };
  }
  try {
    return { name: names.filter((name) => !/^(no |own |open |traced|any )/.test(name)).join(', '), config: configFor(stage, chosen) };
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Combinations that the configuration accepts. With `values`, every value of every option occurs at least once. With `all`, any two values
 * of different options occur together, and every combination of region, mail and domain is included.
 */
export function combinations(scope: 'values' | 'all'): readonly Combination[] {
  const covered = new Set<string>();
  const pairs = (names: readonly string[]): string[] => names.flatMap((a, index) => names.slice(index + 1).map((b) => `${a} + ${b}`));
  const parts = scope === 'all' ? pairs : (names: readonly string[]): readonly string[] => names;
  const gain = (names: readonly string[]): number => parts(names).filter((part) => !covered.has(part)).length;
  const tails = product([...others.map((option) => Object.keys(option))]);
  const result: Combination[] = [];
  const triples = scope === 'all' ? product([region, mail, domain].map((option) => Object.keys(option))) : [];
  for (const [first = '', second = '', third = ''] of triples) {
    const accepted = stages
      .flatMap((stage) => tails.map((tail) => [stage, first, second, third, ...tail]))
      .flatMap((names) => {
        const combination = combine(names);
        return combination ? [{ names, combination, gain: gain(names) }] : [];
      });
    if (accepted.length === 0) continue;
    const best = accepted.reduce((a, b) => (b.gain > a.gain ? b : a));
    for (const part of parts(best.names)) covered.add(part);
    result.push(best.combination);
  }
  // Each pass of the loop adds the combination that contains the most values (or pairs of values) that the result does not contain yet. The
  // loop ends when no accepted combination contains such a value or pair.
  const all = product([stages, ...[region, mail, domain, ...others].map((option) => Object.keys(option))]).filter((names) =>
    combine(names),
  );
  for (;;) {
    const best = all.reduce((a, b) => (gain(b) > gain(a) ? b : a));
    const combination = gain(best) > 0 ? combine(best) : undefined;
    if (!combination) return result;
    for (const part of parts(best)) covered.add(part);
    result.push(combination);
  }
}
