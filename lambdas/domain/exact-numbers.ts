/**
 * Finds numbers in JSON that JavaScript cannot represent exactly. Such numbers are refused, because otherwise the operator's data would
 * change without notice.
 */

// The closing quote of a string is optional. If it were required, a match could fail at the end of a string without a closing quote. The
// search would then start again at each escaped quote in the string, which takes too long.
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[{}[\]:,]/g;

/** A number in a canonical form: its significant digits and their exponent. */
function valueOf(number: string): string | undefined {
  const [matches, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (matches === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 ? '0' : `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}

/**
 * Whether a number stays the same if it is parsed and written again. Integers beyond 2^53 − 1 are not safe to use (RFC 8259, section 6).
 */
const isExact = (number: string): boolean => {
  const parsed = Number(number);
  return /^-?\d+$/.test(number) ? Number.isSafeInteger(parsed) : valueOf(number) === valueOf(String(parsed));
};

/**
 * Searches one field of a JSON object for numbers that would change if they were parsed and written again. Returns the first such number,
 * or undefined if there is none.
 *
 * @param json a valid JSON object
 * @param field the name of the field; all other fields are ignored
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
      // If a field name occurs twice, the last occurrence counts.
      if (inField) found = undefined;
    } else if (token.startsWith('"')) name = depth === 1 ? token : name;
    else if (inField && found === undefined && !isExact(token)) found = token;
  }
  return found;
}
