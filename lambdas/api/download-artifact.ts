import { downloadArtifact } from '../contract/downloads';
import { checkedByOperation, serve } from '../runtime/http';
import { parseRequest } from '../runtime/http/request';
import { download } from '../use-cases/releases/download';

export const handler = serve(downloadArtifact, checkedByOperation, ({ app, event }) =>
  download(app, event, parseRequest(downloadArtifact, event)),
);
