import { combinations } from '../support/stage-options';
import { expectNoFindings } from '../support/stage-synth';

const all = combinations('all');

test('there are at least 27 combinations of region, mail and domain', () => expect(all.length).toBeGreaterThanOrEqual(27));

test.each(all.map(({ name, config }) => [name, config] as const))(
  '%s: the template breaks no rule of CloudFormation or AWS Solutions, not even with a warning, without a written reason',
  (_name, config) => expectNoFindings(config),
);
