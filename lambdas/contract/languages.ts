/** The languages of mails. Each language has a file of texts (lambdas/domain/mail-texts). */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
