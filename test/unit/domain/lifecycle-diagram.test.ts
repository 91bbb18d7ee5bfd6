import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { initialEdge, lifecycle, type Edge } from '../../../lambdas/domain/lifecycle';

const page = readFileSync(resolve(__dirname, '../../../docs/lifecycle.md'), 'utf8');
const diagram = /```mermaid\nstateDiagram-v2\n(.*?)```/s.exec(page)?.[1] ?? '';

/** An edge as Mermaid writes it. */
const edge = (from: string, trigger: string, { to, event }: Edge): string =>
  `${from} --> ${to}: ${trigger}${event === null ? '' : ` / ${event}`}`;

const drawn = diagram
  .split('\n')
  .map((line) => line.trim())
  .filter((line) => line !== '');

const coded = [
  edge('[*]', 'create', initialEdge),
  ...Object.entries(lifecycle).flatMap(([from, triggers]) =>
    Object.entries(triggers).map(([trigger, outcome]) =>
      typeof outcome === 'string' ? `${from} --> ${from}: ${trigger} [${outcome}]` : edge(from, trigger, outcome),
    ),
  ),
];

test('every line of the diagram is an edge, drawn once', () => {
  expect(drawn.filter((line) => !/^(\[\*\]|\w+) --> \w+: \w+( \/ [\w.]+| \[\w+\])?$/.test(line))).toEqual([]);
  expect(drawn).toHaveLength(new Set(drawn).size);
});

test('a reader of the diagram is shown nothing that the service does not do', () => {
  expect(drawn.filter((line) => !coded.includes(line))).toEqual([]);
});

test('a reader of the diagram misses nothing that the service does', () => {
  expect(coded.filter((line) => !drawn.includes(line))).toEqual([]);
});
