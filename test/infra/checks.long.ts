import { combinations } from '../support/stage-options';
import { expectNoFindings } from '../support/stage-synth';

const all = combinations('all');

test('there are 27 combinations of region, mail and domain', () => expect(all.length).toBeGreaterThanOrEqual(27));

test.each(all.map(({ name, config }) => [name, config] as const))(
  "%s: breaks no rule of CloudFormation's or of AWS Solutions, warnings included, that no written reason accepts",
  (_name, config) => expectNoFindings(config),
);
