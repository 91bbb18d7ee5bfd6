import { currentPreferences, prefer } from '../preferences';
import { setLanguage, type Catalogue } from '.';

interface Language {
  /** In the language itself. */
  readonly name: string;
  /** Loads its catalogue. English has none. */
  readonly load?: () => Promise<Catalogue>;
}

/** The languages of the page, by their tags. Another language is one more catalogue and its entry here. */
export const languages: Readonly<Record<string, Language>> = {
  en: { name: 'English' },
  de: { name: 'Deutsch', load: async () => (await import('./de')).de },
};

/** The chosen language, or else the first language of the browser that the page has, or else English. */
export const preferredLanguage = (chosen: string | null, browser: readonly string[]): string =>
  [chosen ?? '', ...browser].map((tag) => tag.split('-')[0]?.toLowerCase() ?? '').find((tag) => Object.hasOwn(languages, tag)) ?? 'en';

/** Sets the language of the page. If its catalogue can't be loaded, the page is in English. */
export async function loadLanguage(): Promise<void> {
  const tag = preferredLanguage(currentPreferences().language, navigator.languages);
  try {
    const catalogue = await languages[tag]?.load?.();
    setLanguage(tag, catalogue);
    document.documentElement.lang = tag;
  } catch (error) {
    console.error(error);
  }
}

/** Loads the page again in another language, which this browser remembers. */
export function chooseLanguage(tag: string): void {
  prefer({ language: tag });
  window.location.reload();
}
