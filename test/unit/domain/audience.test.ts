import { MAX_AUDIENCE_VALUES } from '../../../lambdas/contract/overview';
import { audienceSince, finished, NO_AUDIENCE, withDevices } from '../../../lambdas/domain/audience';
import { appVersionOf } from '../../../lambdas/domain/license';

const device = (app_version: string | null) => ({ app_version, platform: '', country: null });

test('the most frequent values are listed, and all further devices are counted as other or unknown', () => {
  const versions = Array.from({ length: 300 }, (_, index) => Array.from({ length: 300 - index }, () => device(`1.${index}`))).flat();
  const devices = [...versions, device(null)];
  const chunks = [0, 1, 2, 3].map((part) => devices.filter((_, index) => index % 4 === part));
  const audience = finished(chunks.reduce(withDevices, NO_AUDIENCE), 0);
  expect(audience.devices).toBe(devices.length);
  const { values, other, unknown } = audience.versions;
  expect(values).toHaveLength(MAX_AUDIENCE_VALUES);
  expect(values.slice(0, 2)).toEqual([
    { value: '1.0', devices: 300 },
    { value: '1.1', devices: 299 },
  ]);
  expect([other, unknown]).toEqual([(100 * 101) / 2, 1]);
  expect(audience.platforms).toEqual({ values: [], other: 0, unknown: devices.length });
});

test('seven days begin six days before today', () => {
  expect(audienceSince(Date.parse('2026-03-02T00:00:00Z'))).toBe('2026-02-24');
  expect(audienceSince(Date.parse('2026-03-02T23:59:59Z'))).toBe('2026-02-24');
});

test('a version is stored without its leading v and cut between characters', () => {
  expect(['v2.4.0', 'V2', '2.4.0', 'vista', '', null, undefined].map(appVersionOf)).toEqual([
    '2.4.0',
    '2',
    '2.4.0',
    'vista',
    null,
    null,
    null,
  ]);
  expect(appVersionOf('🚀'.repeat(50))).toBe('🚀'.repeat(40));
});
