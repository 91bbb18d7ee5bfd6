import { downloadArtifact } from '../contract/downloads';
import { serveLicensed } from '../runtime/http/serve-licensed';
import { download } from '../use-cases/releases/download';

export const handler = serveLicensed(downloadArtifact, ({ app, event, input }) => download(app, event, input));
