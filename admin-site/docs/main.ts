import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';

/** Dark and light by the system, also when it changes its mind. */
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** Swagger UI over this service's own document; requests go to where the page came from. */
SwaggerUI({
  url: '/openapi.json',
  dom_id: '#docs',
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
