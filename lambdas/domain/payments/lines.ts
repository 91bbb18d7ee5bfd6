import type { Line } from './model';
import { WHOLE_ORDER } from './model';
import { isOtherBinding, type Sold } from './sold-as';

/**
 * Computes the lines of an order from all reports of its lines. The reports are evaluated in the order of their own times, so the result
 * does not depend on the order in which they arrived. Times are epoch ms.
 */

/** A reported line, and how it is sold; null if no plan matches it. */
export interface SoldLine extends Line {
  readonly sold: Sold | null;
}

/** A report of the recurring lines of an order. */
export interface LineSet {
  readonly at: number;
  /**
   * A sale shows the lines of the order. A renewal shows them as long as the sale is not known. A change replaces them; if `isComplete` is
   * set, the lines that are missing from the change were removed.
   */
  readonly of: 'sale' | 'renewal' | 'change';
  readonly isComplete: boolean;
  /** Decides between two changes at the same time: the larger text counts as later. */
  readonly id: string;
  readonly lines: readonly SoldLine[];
}

/** A line that was sold once with a payment. */
export interface Item extends SoldLine {
  readonly at: number;
  /** Whether the item belongs to the sale. Two notifications may report such an item. Other items are only equal if their ids are. */
  readonly isOfSale: boolean;
  /** The ids of the payment (`idKey`). */
  readonly payment: readonly string[];
}

/** The state of a line. */
export interface LineState extends SoldLine {
  /** Previous ids of the line. The licenses that were issued for the line may have one of these ids. */
  readonly formerly: readonly string[];
  /** The times of changes between plans that extend the license and plans that extend its updates, oldest first. */
  readonly switchedAt: readonly number[];
  /**
   * One entry for each license that was ever bought with the line, oldest first: null if the buyer has the license, otherwise the time at
   * which it was given up.
   */
  readonly slots: readonly (number | null)[];
  /** The ids of the payment, for a line that was sold once. */
  readonly payment: readonly string[];
}

/** Maximum number of licenses of one line that are counted: one more than an order can have. */
const MAX_SLOTS = 26;

/** Maximum number of changes between the kinds of plans that are kept. */
const MAX_SWITCHES = 12;

/** Whether payments extended only the updates of the line's licenses at a time. A line without a plan may get such a plan later. */
export function extendsUpdates({ sold, oneOff, switchedAt }: LineState, at: number): boolean {
  const isNow = !oneOff && sold?.extends !== 'license';
  return switchedAt.filter((time) => time > at).length % 2 === 0 ? isNow : !isNow;
}

/** The number of licenses for a quantity of a line. */
export const countOf = ({ sold, quantity }: Pick<SoldLine, 'sold' | 'quantity'>): number =>
  sold === null ? 0 : Math.min(sold.mode === 'licenses' ? quantity : 1, quantity, MAX_SLOTS);

const resized = (slots: LineState['slots'], count: number, at: number): LineState['slots'] =>
  Array.from({ length: Math.max(slots.length, count) }, (_, place) => (place < count ? null : (slots[place] ?? at)));

const started = (line: SoldLine, payment: readonly string[] = []): LineState => ({
  ...line,
  formerly: [],
  switchedAt: [],
  slots: resized([], countOf(line), 0),
  payment,
});

/**
 * The line after a change of its quantity or plan. If no plan matches the new ref, or the new plan sells another binding, the line stays as
 * it is.
 */
function changed(known: LineState, line: SoldLine, at: number): LineState {
  const [ref] = line.refs;
  const isSame = ref === undefined || known.refs.includes(ref);
  const isByDefault = (sold: Sold | null): boolean => sold !== null && sold.ref === null;
  const formerly = known.id === line.id ? known.formerly : [...new Set([...known.formerly, known.id])].filter((id) => id !== line.id);
  const isDefault = isByDefault(line.sold);
  if (!isSame && (line.sold === null || (isDefault && known.sold !== null && !isByDefault(known.sold))))
    return { ...known, id: line.id, formerly };
  if (!isSame && isOtherBinding(known.sold, line.sold)) return { ...known, id: line.id, formerly };
  const sold = isSame || (isDefault && known.sold !== null) ? known.sold : line.sold;
  const isOtherKind = known.sold !== null && sold !== null && known.sold.extends !== sold.extends;
  const next = { ...known, id: line.id, formerly, refs: isSame ? known.refs : line.refs, quantity: line.quantity, sold };
  const switchedAt = isOtherKind ? [...known.switchedAt, at].slice(-MAX_SWITCHES) : known.switchedAt;
  return { ...next, switchedAt, slots: resized(known.slots, countOf(next), at) };
}

/**
 * Applies a change to the lines. Two lines match if they have the same id, or else a common ref. If the change is complete and exactly one
 * line was added and exactly one removed, the added line replaces the removed one. A line for the whole order matches every line.
 */
function apply(known: readonly LineState[], { lines, isComplete, at }: LineSet): readonly LineState[] {
  const after = new Map<LineState, LineState>();
  let gone = known;
  let added = lines;
  const pair = (matches: (one: LineState, line: SoldLine) => boolean): void => {
    for (const line of added) {
      const found = gone.find((one) => matches(one, line));
      if (!found) continue;
      after.set(found, changed(found, line, at));
      gone = gone.filter((one) => one !== found);
      added = added.filter((other) => other !== line);
    }
  };
  pair((one, line) => one.id === line.id);
  // A line that was removed earlier returns only under its own id.
  const isPresent = ({ quantity }: LineState): boolean => quantity > 0;
  pair((one, line) => isPresent(one) && one.refs.some((ref) => line.refs.includes(ref)));
  const left = gone.filter(isPresent);
  const isWhole = [...left, ...added].some(({ id }) => id === WHOLE_ORDER);
  if (isWhole || (isComplete && left.length === 1 && added.length === 1)) pair(isPresent);
  if (isWhole) added = [];
  const isRemoved = (one: LineState): boolean => isComplete && !isWhole && gone.includes(one) && isPresent(one);
  return [
    ...known.map((one) => (isRemoved(one) ? { ...one, quantity: 0, slots: resized(one.slots, 0, at) } : (after.get(one) ?? one))),
    ...added.map((line) => started(line)),
  ];
}

const byAge = (a: LineSet, b: LineSet): number => a.at - b.at || (a.id < b.id ? -1 : Number(a.id > b.id));
const isPaid = ({ of }: LineSet): boolean => of !== 'change';

/** The payment whose lines are the order's: the earliest sale, or else the earliest renewal. */
export const firstPaid = (sets: readonly LineSet[]): LineSet | undefined =>
  sets.filter(isPaid).sort((a, b) => Number(a.of !== 'sale') - Number(b.of !== 'sale') || byAge(a, b))[0];

/** The lines at a time from which the evaluation continues, because earlier reports are no longer stored. */
export interface Base {
  readonly at: number;
  readonly lines: readonly LineState[];
}

/** The recurring lines after all reports; undefined if no payment has shown them yet. */
export function recurringLines(base: Base | null, sets: readonly LineSet[]): Base | undefined {
  const first = firstPaid(sets);
  const start = base ?? (first && { at: first.at, lines: first.lines.map((line) => started(line)) });
  if (!start) return undefined;
  const later = sets.filter((set) => set.of === 'change' && set.at >= start.at).sort(byAge);
  return { at: later.at(-1)?.at ?? start.at, lines: later.reduce(apply, start.lines) };
}

/** The lines that were sold once. Two notifications about one sale may name the same line, or one of them only the whole order. */
export function onceSoldLines(items: readonly Item[], hasOthers: boolean): readonly LineState[] {
  const sorted = items.toSorted((a, b) => a.at - b.at || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const named = sorted.filter(({ id }) => id !== WHOLE_ORDER);
  const kept: { line: LineState; isOfSale: boolean }[] = [];
  for (const item of named.length > 0 ? named : hasOthers ? [] : sorted) {
    const { at: _, isOfSale, payment, ...line } = item;
    const same = kept.find(
      (one) => one.line.id === item.id || (isOfSale && one.isOfSale && one.line.refs.some((ref) => item.refs.includes(ref))),
    );
    if (same) same.line = { ...same.line, payment: [...new Set([...same.line.payment, ...payment])] };
    else kept.push({ line: started(line, payment), isOfSale });
  }
  const [first, ...others] = kept.map(({ line }) => line);
  const isWholeKnown = sorted.some(({ id }) => id === WHOLE_ORDER);
  if (!first || !isWholeKnown || first.id === WHOLE_ORDER) return first ? [first, ...others] : [];
  return [{ ...first, formerly: [WHOLE_ORDER] }, ...others];
}
