import { currentPreferences, prefer } from '../preferences';
import { setLanguage, type Catalogue } from '.';

interface Language {
  /** The name of the language in the language itself. */
  readonly name: string;
  /** Loads the catalogue of the language. English has no catalogue. */
  readonly load?: () => Promise<Catalogue>;
}

/** The languages of the page, by their tags. To add a language, write its catalogue and add an entry here. */
export const languages: Readonly<Record<string, Language>> = {
  en: { name: 'English' },
  de: { name: 'Deutsch', load: async () => (await import('./de')).de },
};

/** The chosen language; otherwise the first of the browser's languages for which the page has texts; otherwise English. */
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

/** Loads the page again in another language. The browser stores the choice. */
export function chooseLanguage(tag: string): void {
  prefer({ language: tag });
  window.location.reload();
}
