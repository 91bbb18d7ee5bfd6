/** Items in groups of `size`, in their order; the last group has what is left. Calls of the table for each end with the request's time. */
export function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
