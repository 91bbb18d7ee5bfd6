import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CoverageVectors } from '../../../client/vectors/coverage-cases';
import { covers, limitsOf } from '../../../lambdas/domain/coverage';
import { DAY, license, NOW } from './fixtures';

/**
 * A buyer can use the versions that they bought, and no other versions. The service and the clients in every language must decide this in
 * the same way.
 */

const file = resolve(__dirname, '../../../client/vectors/coverage.json');
const { cases } = JSON.parse(readFileSync(file, 'utf8')) as CoverageVectors;

const instant = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text));

test.each(cases.map((vector) => [vector.name, vector] as const))(
  '%s',
  (_name, { updates_until, max_major, version, released_at, covered }) => {
    const limits = { updates_until: instant(updates_until), max_major: max_major ?? null };
    expect(covers(limits, { version, released_at: instant(released_at) })).toBe(covered);
  },
);

test('a waiting term is treated as if it started now, so that the first activation is not refused', () => {
  const waiting = license({ expires_at: null, term: { days: 365, updates_days: 30 }, max_major: 1 });
  expect(limitsOf(waiting, NOW)).toEqual({ updates_until: NOW + 30 * DAY, max_major: 1 });
});
