import { de } from './de';
import { en } from './en';
import type { Texts } from './model';

/** The languages of the page. To add a language, add a file for it and list it here. */
const all: readonly Texts[] = [en, de];

/** The texts in the first of the browser's preferred languages that the page supports; otherwise in English. */
export const texts: Texts =
  navigator.languages.flatMap((tag) => all.find(({ language }) => language === tag.split('-')[0]?.toLowerCase()) ?? [])[0] ?? en;
