/**
 * Names a license by a part of its key: `7ZQ4K…`. It is the first group, because a search finds a key by its beginning only. The keys of
 * other systems have no groups, and often all begin with the same characters, so their end is shown, too.
 */
export function keyHint(key: string): string {
  const [group = '', ...others] = key.split('-');
  return others.length > 0 ? `${group}…` : `${key.slice(0, 5)}…${key.slice(-5)}`;
}
