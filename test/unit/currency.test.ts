import { money } from '../../admin-site/src/currency';

test.each([
  ['HUF', 490_000, '4,900.00'],
  ['COP', 490_000, '4,900.00'],
  ['IDR', 490_000, '4,900.00'],
  ['USD', 4900, '49.00'],
  ['JPY', 4900, '4,900'],
  ['KWD', 4900, '4.900'],
  ['CLF', 49_000, '4.9000'],
])('an amount in %s is shown with the digits of ISO 4217, whichever digits the browser displays', (currency, amount, shown) =>
  expect(money(amount, currency).replace(/[^\d.,]/g, '')).toBe(shown),
);
