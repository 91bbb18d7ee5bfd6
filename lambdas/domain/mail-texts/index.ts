import type { Language } from '../../contract/languages';
import { de } from './de';
import { en } from './en';
import type { MailTexts } from './model';

export const mailTexts: Readonly<Record<Language, MailTexts>> = { en, de };
