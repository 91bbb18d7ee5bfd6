import { pageHeaders } from '../../domain/unsubscribe-page';
import { Reply } from './response';

/** A response whose body is an HTML page. */
export const pageReply = (html: string): Reply<string> => new Reply(html, { headers: pageHeaders });
