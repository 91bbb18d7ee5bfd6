import { languages, type Language } from '../../contract/languages';

/** The language that an `Accept-Language` header prefers (RFC 9110, section 12.5.4). English if the header names no supported language. */
export function languageOf(accepted: string | undefined): Language {
  const ranges = (accepted ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return { language: tag.split('-')[0], quality: weight === undefined ? 1 : Number(weight.slice(2)) || 0 };
  });
  const [best] = ranges
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .flatMap(({ language }) => languages.filter((known) => known === language));
  return best ?? 'en';
}
