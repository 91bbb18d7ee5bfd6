import type { License } from '../api';
import { json } from '../format';
import { t } from '../texts';

const EXAMPLE = '{"order": "A-1001"}';

/** Parses a text as a JSON object. Returns a problem if the text is anything else. */
function parseMetadata(text: string): { readonly value?: Record<string, unknown>; readonly problem?: string } {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as Record<string, unknown> };
    return { problem: t('This must be a JSON object, such as {example}.', { example: EXAMPLE }) };
  } catch {
    return { problem: t('This is not valid JSON: names and texts need double quotes, as in {example}.', { example: EXAMPLE }) };
  }
}

/** A text in the metadata of a license; undefined if the metadata has no such text. */
export function textIn(metadata: License['metadata'], field: string): string | undefined {
  const value = metadata[field];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The buyer's name and company in the metadata of a license: `Ada King · Example GmbH`. Empty if the metadata has neither. */
export const personIn = (metadata: License['metadata']): string =>
  [textIn(metadata, 'name'), textIn(metadata, 'company')].filter(Boolean).join(' · ');

/** The input for a license's metadata. The texts `name` and `company`, by which a search finds the license, have fields of their own. */
export type MetadataInput = Readonly<Record<'name' | 'company' | 'metadata', string>>;

const named = ['name', 'company'] as const;

/** The value of a field. A text with white space at its ends stays in the JSON, because the field would change it. */
const fieldOf = (metadata: License['metadata'], name: string): string | undefined => {
  const text = textIn(metadata, name);
  return text === text?.trim() ? text : undefined;
};

export function metadataInput(metadata: License['metadata']): MetadataInput {
  const [name, company] = named.map((field) => fieldOf(metadata, field) ?? '') as [string, string];
  const others = Object.entries(metadata).filter(([field]) => !named.some((one) => one === field && fieldOf(metadata, one) !== undefined));
  return { name, company, metadata: others.length === 0 ? '' : json(Object.fromEntries(others)) };
}

/** The metadata of an input. Returns a problem if its JSON is no object, or contains a name or company that has been given in its field, too. */
export function metadataIn(input: MetadataInput): ReturnType<typeof parseMetadata> {
  const { value = {}, problem } = parseMetadata(input.metadata);
  if (problem !== undefined) return { problem };
  const texts = named.map((field) => [field, input[field].trim()] as const).filter(([, text]) => text !== '');
  const twice = texts.find(([field]) => Object.hasOwn(value, field));
  if (twice) return { problem: t('The metadata already contains “{field}”. Remove it there, or empty its field.', { field: twice[0] }) };
  return { value: { ...value, ...Object.fromEntries(texts) } };
}
