const known = new Map<string, readonly string[]>();
/** A secret in each of the encodings in which it could appear. */
export function formsOf(secret: string): readonly string[] {
  const forms = known.get(secret) ?? makeForms(secret);
  known.set(secret, forms);
  return forms;
}
function makeForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // If the secret is a part of a longer text, the base64 form of the secret depends on its offset in the text, modulo 3. The first and last
  // letters of the form also depend on the neighboring text, so they are left out.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset + 1, -4),
  );
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return [...new Set(forms)].filter((form) => form.length >= 8);
}
