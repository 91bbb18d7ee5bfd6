import { t } from './texts';

/** Reads a chosen file as text. A file in another encoding is refused, because letters such as `ü` would be lost without a warning. */
export async function readText(file: File): Promise<string> {
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(t('The file could not be read. Choose it again.'));
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(t('The file is not a text in UTF-8. Save it as CSV in UTF-8, then choose it again.'));
  }
}
