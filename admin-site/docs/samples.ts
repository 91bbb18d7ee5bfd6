import type { Operation, Parameter } from './openapi';

/** Code samples that make the same request in several languages. */

/** The credentials for trying requests, by name. They are kept only in this page's memory. */
export type Credentials = Readonly<Record<string, string>>;

/** The values to put into a request: those that the reader has entered, or the examples from the OpenAPI document. */
export interface Filled {
  readonly parameters: Readonly<Record<string, string>>;
  /** The body as text; undefined if there is none. */
  readonly body: string | undefined;
}

export interface Header {
  readonly name: string;
  /** The environment variable that contains the header's value, if the value is a secret. */
  readonly variable?: string;
  readonly value: string;
}

const exampleOf = ({ schema, required }: Parameter): string => {
  const example = schema?.examples?.[0] ?? schema?.enum?.[0];
  return required && (typeof example === 'string' || typeof example === 'number') ? String(example) : '';
};

/** The example values of an operation. The reader only has to add the credential. */
export const usual = ({ parameters, body }: Operation): Filled => ({
  parameters: Object.fromEntries(parameters.map((parameter) => [parameter.name, exampleOf(parameter)])),
  body: body && JSON.stringify(body.example ?? {}, null, 2),
});

/** The path with its parameters and query filled in. */
export function addressOf({ path, parameters }: Operation, filled: Filled): string {
  const value = (name: string): string => filled.parameters[name] ?? '';
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)));
  const query = new URLSearchParams(
    parameters.filter((parameter) => parameter.in === 'query' && value(parameter.name) !== '').map(({ name }) => [name, value(name)]),
  ).toString();
  return query === '' ? place : `${place}?${query}`;
}

/** The headers of a request. @param credential the name of the header for the credential; undefined if none is required */
export function headersOf({ parameters }: Operation, filled: Filled, credential: string | undefined): readonly Header[] {
  return [
    ...(credential === undefined
      ? []
      : [{ name: credential, variable: credential === 'X-API-Key' ? 'API_KEY' : 'SVC_ADMIN_TOKEN', value: '' }]),
    ...parameters.flatMap(({ name, in: where }) =>
      where === 'header' && (filled.parameters[name] ?? '') !== '' ? [{ name, value: filled.parameters[name] ?? '' }] : [],
    ),
    ...(filled.body === undefined ? [] : [{ name: 'Content-Type', value: 'application/json' }]),
  ];
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Header[];
  readonly body: string | undefined;
}

/** The body on one line if it is JSON, otherwise unchanged. */
function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

const languages: Readonly<Record<string, (request: Request) => string>> = {
  curl: ({ method, url, headers, body }) =>
    [
      `curl -sS${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
      ...headers.map(({ name, variable, value }) => (variable === undefined ? `-H '${name}: ${value}'` : `-H "${name}: $${variable}"`)),
      ...(body === undefined ? [] : [`-d '${compact(body).replaceAll("'", "'\\''")}'`]),
    ].join(' \\\n  '),

  JavaScript: ({ method, url, headers, body }) => `const response = await fetch('${url}', {
${method === 'GET' ? '' : `  method: '${method}',\n`}  headers: {
${headers.map(({ name, variable, value }) => `    '${name}': ${variable === undefined ? JSON.stringify(value) : `process.env.${variable}`},\n`).join('')}  },
${body === undefined ? '' : `  body: JSON.stringify(${indented(body, '  ')}),\n`}});
const result = await response.json();
if (!response.ok) throw new Error(result.detail);`,

  Python: ({ method, url, headers, body }) => `import json
import os
from urllib.request import Request, urlopen

request = Request(
    "${url}",
    method="${method}",
    headers={
${headers.map(({ name, variable, value }) => `        "${name}": ${variable === undefined ? JSON.stringify(value) : `os.environ["${variable}"]`},\n`).join('')}    },
${body === undefined ? '' : `    data=json.dumps(json.loads("""${indented(body, '    ')}""")).encode(),\n`})
with urlopen(request) as response:
    result = json.load(response)`,

  Go: ({
    method,
    url,
    headers,
    body,
  }) => `request, err := http.NewRequest("${method}", "${url}", ${body === undefined ? 'nil' : `strings.NewReader(\`${compact(body)}\`)`})
if err != nil {
	return err
}
${headers.map(({ name, variable, value }) => `request.Header.Set("${name}", ${variable === undefined ? JSON.stringify(value) : `os.Getenv("${variable}")`})\n`).join('')}response, err := http.DefaultClient.Do(request)
if err != nil {
	return err
}
defer response.Body.Close()`,

  PHP: ({ method, url, headers, body }) => `$curl = curl_init('${url}');
curl_setopt_array($curl, [
    CURLOPT_CUSTOMREQUEST => '${method}',
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
${headers.map(({ name, variable, value }) => `        ${variable === undefined ? `'${name}: ${value}'` : `'${name}: ' . getenv('${variable}')`},\n`).join('')}    ],
${body === undefined ? '' : `    CURLOPT_POSTFIELDS => '${compact(body).replaceAll("'", "\\'")}',\n`}]);
$result = json_decode(curl_exec($curl), true);`,
};

export const languageNames = Object.keys(languages);

export const sample = (language: string, operation: Operation, filled: Filled, credential: string | undefined, origin: string): string =>
  languages[language]?.({
    method: operation.method,
    url: `${origin}${addressOf(operation, filled)}`,
    headers: headersOf(operation, filled, credential),
    body: filled.body,
  }) ?? '';
