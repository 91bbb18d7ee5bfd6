import { pageHeaders } from '../../domain/unsubscribe-page';
import { Reply } from './response';

/** The response with a page. */
export const pageReply = (html: string): Reply<string> => new Reply(html, { headers: pageHeaders });
