import { createElement, Fragment, type ReactNode } from 'react';

/**
 * The texts of the page in the operator's language. The English text is the key of its translations, so English needs no catalogue. A text
 * has placeholders in braces: `Signed in with {name}`.
 */

/** A translation, or one translation for each plural category of the language (`Intl.PluralRules`). */
type Translation = string | ({ readonly other: string } & { readonly [Category in Intl.LDMLPluralRule]?: string });
/** The translations of a language. The key is the English text; if the text has plural forms, the key is the English plural. */
export type Catalogue = Readonly<Record<string, Translation>>;

let catalogue: Catalogue = {};
/** Created when they are first needed, because their creation delays the start of the page. */
let plurals: Intl.PluralRules | undefined;
let numbers: Intl.NumberFormat | undefined;
let percents: Intl.NumberFormat | undefined;
let lists: Intl.ListFormat | undefined;

/** The language of the page, for example `de`. */
export let language: string;

/** Sets the language. The page calls this before it loads any module with texts. */
export function setLanguage(tag: string, translations: Catalogue = {}): void {
  language = tag;
  catalogue = translations;
  plurals = undefined;
  numbers = undefined;
  percents = undefined;
  lists = undefined;
}
setLanguage('en');

/** The names of the placeholders in a text. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
/** The argument with a value for each placeholder. A text without placeholders has no such argument. */
type Values<Name extends string, Value> = [Name] extends [never] ? [] : [values: { readonly [N in Name]: Value }];

/** Divides a text at its placeholders: every second part is a name. */
const parts = (text: string): string[] => text.split(/\{(\w+)\}/);

const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  parts(text)
    .map((part, place) => (place % 2 === 0 ? part : (values[part] ?? '')))
    .join('');

/** The translation of a text, or of its plural form for a number. */
function translated(text: string, count?: number): string {
  const translation = catalogue[text] ?? text;
  if (typeof translation === 'string') return translation;
  if (count === undefined) return translation.other;
  plurals ??= new Intl.PluralRules(language);
  return translation[plurals.select(count)] ?? translation.other;
}

/** A number in the format of the page's language. */
export const number = (value: number): string => {
  numbers ??= new Intl.NumberFormat(language);
  return numbers.format(value);
};

/** `a, b, and c`, in the page's language. */
export const listed = (items: readonly string[]): string => {
  lists ??= new Intl.ListFormat(language);
  return lists.format(items);
};

/** A share between 0 and 1 as a percentage with two digits, in the format of the page's language. */
export const percent = (share: number): string => {
  percents ??= new Intl.NumberFormat(language, { style: 'percent', maximumSignificantDigits: 2 });
  return percents.format(share);
};

/**
 * A text in the page's language.
 *
 * @param text the English text. It must be a literal, because a test finds all texts in the source and compares them with the catalogues
 */
export const t = <const Text extends string>(text: Text, ...[values]: Values<Names<Text>, string>): string =>
  filled(translated(text), values ?? {});

/**
 * A text about a number, such as `1 seat` or `3 seats`. The placeholder for the number is `{count}`.
 *
 * @param one the English text for 1
 * @param many the English text for other numbers, which is also the key of the translations
 */
export const plural = <const One extends string, const Many extends string>(
  count: number,
  one: One,
  many: Many,
  ...[values]: Values<Exclude<Names<One | Many>, 'count'>, string>
): string => {
  const text = count === 1 && !(many in catalogue) ? one : translated(many, count);
  return filled(text, { ...values, count: number(count) });
};

/** A text with elements: `<T text="Signed in with {name}" values={{ name: <bdi>…</bdi> }} />`. */
export function T<const Text extends string>({
  text,
  values,
}: {
  text: Text;
  values: { readonly [Name in Names<Text>]: ReactNode };
}): ReactNode {
  const given = values as Readonly<Record<string, ReactNode>>;
  return parts(translated(text)).map((part, place) => createElement(Fragment, { key: place }, place % 2 === 0 ? part : given[part]));
}
