import { email } from '../../../lambdas/contract/resources';
import { comparableEmail } from '../../../lambdas/domain/email';
import { emailList } from '../../../lambdas/store/keys';

const same = (a: string, b: string): boolean => comparableEmail(a) === comparableEmail(b) && emailList(1, a) === emailList(1, b);

test.each([
  ['ADA@Example.COM', 'ada@example.com'],
  ['JÜRGEN@MÜLLER.example', 'jürgen@müller.example'],
  ['Ju\u0308rgen@example.com', 'Jürgen@example.com'],
  ['\u{10400}@example.com', '\u{10428}@example.com'],
  ['info@XN--Mller-KVA.example', 'info@müller.example'],
  ['info@ｍüller.example', 'info@MU\u0308LLER.example'],
  ['info@xn--fa-hia.de', 'info@faß.de'],
])('the licenses of %s are found by %s', (a, b) => expect(same(a, b)).toBe(true));

test.each([
  ['\u0130@example.com', 'i\u0307@example.com'],
  ['\u0130@example.com', 'i@example.com'],
  ['\u0131@example.com', 'i@example.com'],
  ['ada@example.com', 'ada@example.org'],
  ['info@müller.example', 'info@mueller.example'],
  ['info@faß.de', 'info@fass.de'],
])('%s is not shown what %s bought', (a, b) => expect(same(a, b)).toBe(false));

test.each([
  ['Info@Example.COM', 'Info@Example.COM'],
  ['info@xn--mller-kva.example', 'info@müller.example'],
  ['info@MÜLLER.xn--p1ai', 'info@müller.рф'],
  ['info@ｅxample.com', 'info@example.com'],
  // An address must not have an emoji, so its domain stays in ASCII. Otherwise the stored address could not be sent back.
  ['info@xn--ls8h.example', 'info@xn--ls8h.example'],
])('%s is stored and shown as %s, which is a valid address too', (given, stored) =>
  expect([email.parse(given), email.parse(stored)]).toEqual([stored, stored]),
);

test.each(['info@xn--a.example', 'info@xn--zzzzzz.example', 'info@xn--a-.example', `info@${'a'.repeat(59)}ü.example`, 'info@\u2488com'])(
  'no mail can be sent to %s',
  (given) => expect(email.safeParse(given).success).toBe(false),
);
