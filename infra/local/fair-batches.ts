/** Collects waiting messages into batches, and distributes the batches fairly among groups of messages. */

export interface FairBatchesOptions<Message> {
  /** Returns the group of a message; undefined if the message has no group. */
  readonly groupOf: (message: Message) => string | undefined;
  /** Maximum number of messages in a batch. */
  readonly batchSize: number;
  /** Maximum number of batches in progress. */
  readonly slots: number;
  /** The time that a batch waits for more messages after its first message, in ms. */
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
 * Creates batches whose messages all belong to one group, so that a slow webhook delays only its own group. A group gets another slot only
 * if the number of free slots is greater than the number of slots that the group already uses. For example, with eight slots, a first group
 * whose batches hang gets four slots, and a second such group gets two. Two slots remain for other groups. Messages without a group may use
 * every slot.
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

  /**
   * Adds a message.
   *
   * @param now milliseconds of a monotonic clock
   */
  add(message: Message, now: number): void {
    const id = this.options.groupOf(message);
    const group = this.groups.get(id) ?? { waiting: [], running: 0 };
    this.groups.set(id, group);
    group.waiting.push({ message, since: now });
    this.count += 1;
  }

  /**
   * Returns the next batch that can start, or undefined if none can. The batch is in progress until the caller passes it to {@link done}.
   */
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
