import { Fragment, memo, useState, type FormEvent } from 'react';
import { Code, Inline, Markdown } from './markdown';
import { objectIn, typeOf, type Document, type Operation, type Parameter, type Schema } from './openapi';
import { addressOf, headersOf, languageNames, sample, usual, type Filled } from './samples';

/** Maximum nesting level of the fields that are shown for a schema. */
const MAX_DEPTH = 4;

function Fields({ document, schema, depth = 0 }: { document: Document; schema: Schema; depth?: number }) {
  const object = objectIn(document, schema);
  if (!object?.properties || depth > MAX_DEPTH) return null;
  return (
    <dl className="fields">
      {Object.entries(object.properties).map(([name, property]) => {
        const inner = objectIn(document, property);
        return (
          <div key={name}>
            <dt>
              <code>{name}</code> <span className="type">{typeOf(document, property)}</span>
              {object.required?.includes(name) ? (
                <span className="required">required</span>
              ) : (
                property.default !== undefined && <span className="dim">default {JSON.stringify(property.default)}</span>
              )}
            </dt>
            <dd>
              {property.description && <Inline text={property.description} />}
              {inner?.properties && (
                <details>
                  <summary>
                    Fields of <code>{name}</code>
                  </summary>
                  <Fields document={document} schema={property} depth={depth + 1} />
                </details>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const places: readonly { readonly where: Parameter['in']; readonly title: string }[] = [
  { where: 'path', title: 'Path' },
  { where: 'query', title: 'Query' },
  { where: 'header', title: 'Headers' },
];

function Parameters({ document, parameters }: { document: Document; parameters: readonly Parameter[] }) {
  return (
    <>
      {places.map(({ where, title }) => {
        const here = parameters.filter((parameter) => parameter.in === where);
        return (
          here.length > 0 && (
            <div key={where}>
              <h4>{title}</h4>
              <dl className="fields">
                {here.map(({ name, description, required, schema = {} }) => (
                  <div key={name}>
                    <dt>
                      <code>{name}</code> <span className="type">{typeOf(document, schema)}</span>
                      {required && <span className="required">required</span>}
                    </dt>
                    <dd>{(description ?? schema.description) && <Inline text={description ?? schema.description ?? ''} />}</dd>
                  </div>
                ))}
              </dl>
            </div>
          )
        );
      })}
    </>
  );
}

function Responses({ document, responses }: Pick<Operation, 'responses'> & { document: Document }) {
  return (
    <div>
      <h4>Responses</h4>
      {responses.map(({ status, description, schema }) => (
        <details key={status} className="response">
          <summary>
            <code className={/^2/.test(status) ? 'good' : 'bad'}>{status}</code> <Inline text={description} />
          </summary>
          {schema && <Fields document={document} schema={schema} />}
        </details>
      ))}
    </div>
  );
}

interface Result {
  readonly status: number;
  readonly text: string;
  readonly ms: number;
  readonly headers: readonly (readonly [string, string])[];
}

const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

const SHOWN_HEADERS = ['x-svc-error-code', 'x-request-id', 'link', 'x-svc-verdict'];

/** A form that sends an operation's request to the service from which the page was loaded. */
function Try({
  operation,
  filled,
  onFilled,
  header,
  secret,
}: {
  operation: Operation;
  filled: Filled;
  onFilled: (filled: Filled) => void;
  header: string | undefined;
  secret: string;
}) {
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | Error>();
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const begun = performance.now();
    const headers = new Headers();
    void fetch(addressOf(operation, filled), {
      method: operation.method,
      headers: headersOf(operation, filled, header).reduce(
        (all, { name, variable, value }) => (all.set(name, variable === undefined ? value : secret), all),
        headers,
      ),
      credentials: 'omit',
      ...(filled.body !== undefined && { body: filled.body }),
    })
      .then(
        async (response): Promise<Result> => ({
          status: response.status,
          text: pretty(await response.text()),
          ms: performance.now() - begun,
          headers: [...response.headers].filter(([name]) => SHOWN_HEADERS.includes(name)),
        }),
      )
      .catch((error: Error) => error)
      .then((shown) => {
        setResult(shown);
        setBusy(false);
      });
  };
  return (
    <form className="try" onSubmit={onSubmit}>
      {header !== undefined && secret === '' && (
        <p className="dim">
          Enter your <code>{header}</code> under <a href="#credentials">Credentials</a> first.
        </p>
      )}
      {operation.parameters.map(({ name, required, in: where }) => (
        <label key={name}>
          <span>
            <code>{name}</code> <span className="dim">{where}</span>
          </span>
          <input
            aria-label={name}
            required={required}
            value={filled.parameters[name] ?? ''}
            onChange={(event) => onFilled({ ...filled, parameters: { ...filled.parameters, [name]: event.currentTarget.value } })}
            autoComplete="off"
            spellCheck={false}
          />
        </label>
      ))}
      {filled.body !== undefined && (
        <label>
          Body
          <textarea
            aria-label="Request body"
            rows={Math.min(14, filled.body.split('\n').length + 1)}
            value={filled.body}
            onChange={(event) => onFilled({ ...filled, body: event.currentTarget.value })}
            spellCheck={false}
          />
        </label>
      )}
      <button type="submit" disabled={busy}>
        {busy ? 'Sending…' : `Send ${operation.method}`}
      </button>
      {result instanceof Error && (
        <p role="alert" className="bad">
          No response: {result.message}
        </p>
      )}
      {result && !(result instanceof Error) && (
        <div role="status" aria-label="Response">
          <p>
            <code className={result.status < 400 ? 'good' : 'bad'}>{result.status}</code> in {Math.round(result.ms)} ms
          </p>
          {result.headers.map(([name, value]) => (
            <p key={name} className="dim">
              <code>
                {name}: {value}
              </code>
            </p>
          ))}
          <Code label="Response body">{result.text}</Code>
        </div>
      )}
    </form>
  );
}

function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button type="button" className="quiet" onClick={copy}>
      {copied ? 'Copied' : 'Copy'}
    </button>
  );
}

/** An operation or an event. The component is memoized, because the page has more than a hundred of them. */
export const OperationBlock = memo(function OperationBlock({
  document,
  operation,
  language,
  onLanguage,
  secret,
}: {
  document: Document;
  operation: Operation;
  language: string;
  onLanguage: (language: string) => void;
  /** The value of the operation's credential; empty if the reader has not entered it. */
  secret: string;
}) {
  const { id, method, path, summary, description, credential, scopes, parameters, body, responses } = operation;
  const [trying, setTrying] = useState(false);
  const [filled, setFilled] = useState(() => usual(operation));
  const header = credential === undefined ? undefined : document.components.securitySchemes?.[credential]?.name;
  const isEvent = method === 'EVENT';
  const code = isEvent ? '' : sample(language, operation, filled, header, window.location.origin);
  const [success] = responses.filter(({ examples }) => examples.length > 0);
  return (
    <article id={id} className="operation" aria-label={summary}>
      <div className="about">
        <h3>{isEvent ? <code>{summary}</code> : summary}</h3>
        {!isEvent && (
          <p className="route">
            <span className={`method ${method}`}>{method}</span> <code>{path}</code>
          </p>
        )}
        <Markdown text={description} />
        {!isEvent && (
          <p className="dim">
            {header === undefined ? (
              'No credential.'
            ) : (
              <>
                Credential: <code>{header}</code>
                {scopes.map((scope, place) => (
                  <Fragment key={scope}>
                    {place === 0 ? ', scope ' : ' or '}
                    <code>{scope}</code>
                  </Fragment>
                ))}
              </>
            )}
          </p>
        )}
        <Parameters document={document} parameters={parameters} />
        {body && (
          <div>
            <h4>Body {!body.required && <span className="dim">may be left out</span>}</h4>
            <Fields document={document} schema={body.schema} />
          </div>
        )}
        <Responses document={document} responses={responses} />
      </div>
      <div className="samples">
        {!isEvent && (
          <>
            <div className="bar">
              <select aria-label="Language" value={language} onChange={(event) => onLanguage(event.currentTarget.value)}>
                {languageNames.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
              <Copy text={code} />
              <button type="button" className="quiet" aria-expanded={trying} onClick={() => setTrying(!trying)}>
                Try it
              </button>
            </div>
            <Code label={`${summary} in ${language}`}>{code}</Code>
            {trying && <Try operation={operation} filled={filled} onFilled={setFilled} header={header} secret={secret} />}
          </>
        )}
        {isEvent && body?.example !== undefined && (
          <>
            <div className="bar">
              <span className="dim">Payload</span>
              <Copy text={JSON.stringify(body.example, null, 2)} />
            </div>
            <Code label={`Payload of ${summary}`}>{JSON.stringify(body.example, null, 2)}</Code>
          </>
        )}
        {!isEvent && success && (
          <>
            <div className="bar">
              <span className="dim">
                Response <code>{success.status}</code>
              </span>
            </div>
            <Code label={`Response of ${summary}`}>{JSON.stringify(success.examples[0]?.value, null, 2)}</Code>
          </>
        )}
      </div>
    </article>
  );
});
