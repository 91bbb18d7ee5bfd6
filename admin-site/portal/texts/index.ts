import { de } from './de';
import { en } from './en';
import type { Texts } from './model';

/** The languages of the page: another language is one more file and its name here. */
const all: readonly Texts[] = [en, de];

/** The texts in the first language of the browser that the page has; otherwise English. */
export const texts: Texts =
  navigator.languages.flatMap((tag) => all.find(({ language }) => language === tag.split('-')[0]?.toLowerCase()) ?? [])[0] ?? en;
