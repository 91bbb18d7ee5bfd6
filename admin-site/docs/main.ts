import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import { accessible, complete } from './accessible';
import './docs.css';

/** Dark and light by the system, also when it changes its mind. */
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const root = document.getElementById('docs');
if (!root) throw new Error('The page has no #docs');
complete(root);

/** Swagger UI over this service's own document; requests go to where the page came from. */
SwaggerUI({
  url: '/openapi.json',
  domNode: root,
  plugins: [accessible],
  syntaxHighlight: { theme: 'tomorrow-night' },
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  // Neither the document nor credentials leave this origin: no validator service, nothing kept in the browser.
  validatorUrl: null,
  persistAuthorization: false,
});
