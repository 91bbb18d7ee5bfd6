import { downloadFeedFile } from '../contract/downloads';
import { serveLicensed } from '../runtime/http/serve-licensed';
import { download } from '../use-cases/releases/download';

export const handler = serveLicensed(downloadFeedFile, ({ app, event, input }) => download(app, event, input));
