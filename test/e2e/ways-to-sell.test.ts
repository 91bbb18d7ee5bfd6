import type { LicenseView } from '../../lambdas/contract/resources';
import { DAY_MS } from '../../lambdas/domain/time';
import { commandsOf, runCommands, SETTING } from '../support/document-commands';
import type { Activation } from '../support/http';

/** The responses of an example, one per line. */
type Response = Partial<Omit<LicenseView, 'license_type'> & Activation & { detail: string }>;
const MARK = '=== ';

/** The document's commands; each example's heading is printed before its responses. */
async function responsesByExample(): Promise<ReadonlyMap<string, readonly Response[]>> {
  const script = commandsOf('docs/ways-to-sell.md');
  expect(script).toMatch(SETTING);
  const { stdout, stderr } = await runCommands(
    script.replace(
      /^sell '\{"name": "([^"]+)"|^admin .*"name": "(Trial)"/gm,
      (line, name: string | undefined, trial: string) => `echo '${MARK}${name ?? trial}'\n${line}`,
    ),
  );
  expect(stderr).toBe('');
  return new Map(
    stdout
      .split(MARK)
      .slice(1)
      .map((text) => {
        const [name = '', ...lines] = text.trim().split('\n');
        return [name, lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Response)];
      }),
  );
}

test('a vendor who pastes an example gets the license that its text promises', async () => {
  const examples = await responsesByExample();
  const of = (name: string): readonly Response[] => examples.get(name) ?? [];
  const days = (at: string | null | undefined): number => Math.round((Date.parse(at ?? '') - Date.now()) / DAY_MS);
  const notCovered = { detail: expect.stringMatching(/cover/) as string };

  expect(of('Perpetual')).toMatchObject([{ expires_at: null, updates: { until: null, max_major: null } }, { seats: { used: 1, max: 3 } }]);

  const [year, covered, later, renewed] = of('Perpetual, a year of updates');
  expect([year?.expires_at, days(year?.updates?.until), days(renewed?.updates?.until)]).toEqual([null, 365, 730]);
  expect([covered, later]).toMatchObject([{ seats: { used: 1, max: 3 } }, notCovered]);

  expect(of('Version 3')).toMatchObject([
    { updates: { until: null, max_major: 3 } },
    { seats: { used: 1, max: 3 } },
    notCovered,
    { updates: { max_major: 4 } },
    { seats: { used: 2, max: 3 } },
  ]);

  const [sold, , paid] = of('Subscription');
  expect([days(sold?.expires_at), days(paid?.expires_at)]).toEqual([30, 60]);

  expect(of('Subscription with a fallback').slice(1)).toMatchObject([
    { expires_at: null, updates: { until: '2026-03-01T00:00:00.000Z' } },
    { status: 'active' },
    notCovered,
  ]);

  const [, first, second] = of('Trial');
  expect([days(first?.license?.expires_at), second?.license?.id]).toEqual([14, first?.license?.id]);

  const [, one, two, three] = of('Floating');
  expect([one, two, three]).toMatchObject([
    { seats: { used: 1, max: 2 } },
    { seats: { used: 2, max: 2 }, device: { lease_expires_at: expect.any(String) as string } },
    { detail: expect.stringMatching(/seat/) as string },
  ]);

  const [boxed, opened, started] = of('Box');
  expect(boxed).toMatchObject({ expires_at: null, term: { starts: 'activation', days: 365 }, updates: { until: null } });
  expect([days(opened?.license?.expires_at), days(started?.updates?.until), started?.term]).toEqual([365, 365, null]);

  expect(of('Exports').slice(2)).toMatchObject([
    { used: 90, remaining: 10 },
    { used: 120, remaining: 0 },
    { used: 120, remaining: 0 },
    [{ meter: 'exports', used: 120, overage: 'allow' }],
  ]);
});
