declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  /** The options that this page sets. */
  export default function SwaggerUI(options: {
    readonly url: string;
    readonly dom_id: string;
    readonly deepLinking?: boolean;
    readonly displayRequestDuration?: boolean;
    readonly defaultModelsExpandDepth?: number;
    readonly docExpansion?: 'list' | 'full' | 'none';
    readonly filter?: boolean;
    readonly tryItOutEnabled?: boolean;
    readonly validatorUrl?: string | null;
    readonly persistAuthorization?: boolean;
  }): unknown;
}
declare module 'swagger-ui-dist/swagger-ui.css';
