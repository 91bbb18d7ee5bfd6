/** Characters that change the direction of the text around them. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** Maximum number of characters. A longer name could look like a text of the page or mail that shows it. */
const MAX_CHARACTERS = 60;

/**
 * A name that an app has reported about its device, as pages and mails show it in quotation marks. The app may belong to a stranger who wants
 * to deceive the reader (docs/spec/sign-in.md, The page).
 */
export const reportedName = (name: string): string => Array.from(name.replace(DIRECTION, '')).slice(0, MAX_CHARACTERS).join('');
