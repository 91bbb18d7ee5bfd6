declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  import type * as React from 'react';

  type Wrap<Props> = (original: React.ComponentType<Props>) => React.ComponentType<Props>;
  interface OperationProps {
    set(name: string, value: unknown): OperationProps;
  }

  /** Changes components by their names, with the React that Swagger UI brings along. */
  export type Plugin = (system: { readonly React: typeof React }) => {
    readonly wrapComponents: {
      readonly ServersContainer?: Wrap<object>;
      readonly OperationSummary?: (original: React.ComponentClass) => React.ComponentClass;
      readonly OperationSummaryPath?: Wrap<{ readonly operationProps: OperationProps }>;
      readonly Button?: Wrap<Readonly<Record<string, unknown>>>;
      readonly authorizationPopup?: Wrap<{ readonly authActions: { showDefinitions(shown: false): void } }>;
    };
  };

  /** The options that this page sets. */
  export default function SwaggerUI(options: {
    readonly url: string;
    readonly domNode: HTMLElement;
    readonly plugins?: readonly Plugin[];
    readonly syntaxHighlight?: { readonly theme: string };
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
