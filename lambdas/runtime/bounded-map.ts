/** Adds an entry as the newest one. If the map then has more than `most` entries, the oldest entry is removed. */
export function putBounded<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
