import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/repository';

/** If these tests fail, the table in docs/decisions.md lacks an entry, or an entry is too long. */

const page = readFileSync(join(root, 'docs/decisions.md'), 'utf8');
const entries = [...page.matchAll(/^### (\d+)\. (.+)\n([\s\S]*?)(?=\n##|$(?![\s\S]))/gm)].map(([, number = '', title = '', text = '']) => ({
  number,
  title,
  text,
}));

test('the table lists every entry, by number', () => {
  const listed = [...page.matchAll(/^\| (\d+) \| \[(.+)\]\(/gm)].map(([, number, title]) => `${number}. ${title}`);
  const byNumber = [...entries].sort((a, b) => Number(a.number) - Number(b.number));
  expect(listed).toEqual(byNumber.map(({ number, title }) => `${number}. ${title}`));
});

test.each(entries)('entry $number has at most 120 words', ({ text }) =>
  expect((text.match(/[\w‖]\S*/g) ?? []).length).toBeLessThanOrEqual(120),
);
