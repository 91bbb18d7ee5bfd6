/**
 * The changes of a table's indexes that CloudFormation would have to make, and whether they are possible (docs/operations.md, Changing an
 * index).
 */

/** An index as a template describes it. */
export interface IndexDescription {
  readonly IndexName: string;
  readonly KeySchema: unknown;
  readonly Projection: unknown;
}

/**
 * A sentence for each reason why one deployment cannot change the released indexes into the new indexes. The list is empty if the change is
 * possible.
 */
export function indexProblems(released: readonly IndexDescription[], indexes: readonly IndexDescription[]): readonly string[] {
  const named = (list: readonly IndexDescription[]): ReadonlyMap<string, IndexDescription> =>
    new Map(list.map((index) => [index.IndexName, index]));
  const [before, after] = [named(released), named(indexes)];
  const differing = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !before.has(name) || !after.has(name));
  const changed = [...before.values()].filter((index) => {
    const now = after.get(index.IndexName);
    return now !== undefined && JSON.stringify(now) !== JSON.stringify(index);
  });
  return [
    ...changed.map(({ IndexName }) => `The index ${IndexName} has changed: add an index with another name instead`),
    ...(differing.length > 1 ? [`Add or remove one index per deployment, not ${differing.length}: ${differing.join(', ')}`] : []),
  ];
}
