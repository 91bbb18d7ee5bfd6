/** Numbers in JSON that JavaScript cannot keep: what is stored for the operator must not change silently on its way. */

// The quote at the end is optional: without it, the rest of the text would be read again from each quote within it.
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[{}[\]:,]/g;

/** A number's value in one form: its digits without those that carry no value, and their exponent. */
function valueOf(number: string): string | undefined {
  const [matches, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (matches === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 ? '0' : `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/**
 * True if the number is the same after it was parsed and written again. Integers beyond 2^53 − 1 are not safe to use (RFC 8259, section 6).
 */
const isExact = (number: string): boolean => {
  const parsed = Number(number);
  return /^-?\d+$/.test(number) ? Number.isSafeInteger(parsed) : valueOf(number) === valueOf(String(parsed));
};

/**
 * The first number in a field of a JSON object that would come back as another one; undefined if there is none.
 *
 * @param json a valid JSON object
 * @param field the name of one of its fields; the others don't matter
 */
export function inexactNumber(json: string, field: string): string | undefined {
  let depth = 0;
  let name = '""';
  let inField = false;
  let found: string | undefined;
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token === ',') inField &&= depth > 1;
    else if (token === ':') {
      if (depth > 1) continue;
      inField = JSON.parse(name) === field;
      // Of a name that comes twice, the last one counts.
      if (inField) found = undefined;
    } else if (token.startsWith('"')) name = depth === 1 ? token : name;
    else if (inField && found === undefined && !isExact(token)) found = token;
  }
  return found;
}
