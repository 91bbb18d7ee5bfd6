/** Messages that wait to be handled in batches, distributed fairly among groups. */

export interface FairBatchesOptions<Message> {
  /** The group of a message; undefined if it has none. */
  readonly groupOf: (message: Message) => string | undefined;
  /** Maximum number of messages in a batch. */
  readonly batchSize: number;
  /** Maximum number of batches in progress. */
  readonly slots: number;
  /** Milliseconds that a batch waits for more messages, from its first message on. */
  readonly windowMs: number;
}

export interface Batch<Message> {
  readonly messages: readonly Message[];
  readonly group: string | undefined;
}

interface Group<Message> {
  readonly waiting: { readonly message: Message; readonly since: number }[];
  running: number;
}

/**
 * Makes batches of one group each, so that only the group's own receiver can slow down a batch. A group uses at most as many slots as it
 * leaves free: of eight slots, a group that hangs holds four, a second one two, and so on. So several such groups still leave room for a
 * group that has no batch in progress. Messages without a group may use every slot.
 */
export class FairBatches<Message> {
  private readonly groups = new Map<string | undefined, Group<Message>>();
  private running = 0;
  private count = 0;

  constructor(private readonly options: FairBatchesOptions<Message>) {}

  /** The number of waiting messages. */
  get size(): number {
    return this.count;
  }

  /** @param now milliseconds of a monotonic clock */
  add(message: Message, now: number): void {
    const id = this.options.groupOf(message);
    const group = this.groups.get(id) ?? { waiting: [], running: 0 };
    this.groups.set(id, group);
    group.waiting.push({ message, since: now });
    this.count += 1;
  }

  /** The next batch that can start, or undefined. It is in progress until it is {@link done}. */
  take(now: number): Batch<Message> | undefined {
    let next: { id: string | undefined; group: Group<Message> } | undefined;
    for (const [id, group] of this.groups) {
      if (!this.mayStart(id, group, now)) continue;
      if (
        !next ||
        group.running < next.group.running ||
        (group.running === next.group.running && group.waiting[0]!.since < next.group.waiting[0]!.since)
      )
        next = { id, group };
    }
    if (!next) return undefined;
    const messages = next.group.waiting.splice(0, this.options.batchSize).map(({ message }) => message);
    next.group.running += 1;
    this.running += 1;
    this.count -= messages.length;
    return { messages, group: next.id };
  }

  done({ group: id }: Batch<Message>): void {
    const group = this.groups.get(id);
    if (!group) return;
    group.running -= 1;
    this.running -= 1;
    if (group.running === 0 && group.waiting.length === 0) this.groups.delete(id);
  }

  /** All waiting messages. */
  *waiting(): Generator<Message> {
    for (const { waiting } of this.groups.values()) for (const { message } of waiting) yield message;
  }

  private mayStart(id: string | undefined, { waiting, running }: Group<Message>, now: number): boolean {
    const [oldest] = waiting;
    if (!oldest) return false;
    const { slots, batchSize, windowMs } = this.options;
    const free = slots - this.running;
    if (free <= (id === undefined ? 0 : running)) return false;
    return waiting.length >= batchSize || now - oldest.since >= windowMs;
  }
}
