import { comparableEmail } from '../../../lambdas/domain/email';
import { emailList } from '../../../lambdas/store/keys';

const same = (a: string, b: string): boolean => comparableEmail(a) === comparableEmail(b) && emailList(1, a) === emailList(1, b);

test.each([
  ['ADA@Example.COM', 'ada@example.com'],
  ['JÜRGEN@MÜLLER.example', 'jürgen@müller.example'],
  ['Ju\u0308rgen@example.com', 'Jürgen@example.com'],
  ['\u{10400}@example.com', '\u{10428}@example.com'],
])('the licenses of %s are found by %s', (a, b) => expect(same(a, b)).toBe(true));

test.each([
  ['\u0130@example.com', 'i\u0307@example.com'],
  ['\u0130@example.com', 'i@example.com'],
  ['\u0131@example.com', 'i@example.com'],
  ['ada@example.com', 'ada@example.org'],
])('%s is not shown what %s bought', (a, b) => expect(same(a, b)).toBe(false));
