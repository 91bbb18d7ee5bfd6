import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lambda from '../../../infra/local/lambda';
import * as logs from '../../../infra/local/logs';
import { Template } from '../../../infra/local/template';
import { until as poll } from '../../support/until';

export type Resources = Record<string, { Type: string; Properties?: object; Metadata?: object; Condition?: string }>;

const folders: string[] = [];
const users: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of users) await stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder that is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lks-local-test-'));
  folders.push(folder);
  return folder;
}

/**
 * Registers a function that stops everything that uses a temporary folder. It is called after the tests of the file, before the folders are
 * deleted.
 */
export const stopBeforeRemoval = (stop: () => Promise<void>): void => void users.push(stop);

/** A template's function resource with the given source code. */
export function functionResource(source: string, properties: object = {}, file = 'index.js'): Resources[string] {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), source);
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { Handler: 'index.handler', Runtime: 'nodejs24.x', Code: {}, ...properties },
    Metadata: { 'aws:asset:path': folder },
  };
}

/** The URI with which API Gateway invokes a function of the template. */
export const invocationUri = (id: string): object => ({
  'Fn::Join': ['', ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/', { 'Fn::GetAtt': [id, 'Arn'] }, '/invocations']],
});

/** A REST API that is defined by an OpenAPI document. */
export const restApi = (paths: object, more: object = {}): Resources[string] => ({
  Type: 'AWS::ApiGateway::RestApi',
  Properties: { Body: { openapi: '3.0.1', paths, ...more } },
});

export const templateOf = (Resources: Resources, rest: object = {}): Template => new Template({ Resources, ...rest }, '/');

const nowhere = { dynamodb: 'http://127.0.0.1:1', sqs: 'http://127.0.0.1:2', secretsManager: 'http://127.0.0.1:3' };

/** Runs a template's functions without any AWS services. */
export function startFunctions(template: Template, options: Partial<lambda.FunctionOptions> = {}): lambda.Functions {
  lambda.defineFunctions(template);
  return lambda.start(template, { endpoints: nowhere, logs: logs.start({}), ...options });
}

/** The payload of a result; throws an error if the function failed. */
export function payloadOf<Payload = unknown>(result: lambda.InvokeResult): Payload {
  if ('error' in result) throw new Error(`The function failed: ${JSON.stringify(result.error)}`);
  return JSON.parse(result.payload) as Payload;
}

/** The error of a result; throws an error if the function succeeded. */
export function errorOf(result: lambda.InvokeResult): lambda.FunctionError {
  if ('error' in result) return result.error;
  throw new Error(`The function answered ${result.payload}`);
}

/** Polls until the condition is true. Fails after a time limit in ms, with the source of the condition. */
export const until = (condition: () => boolean | Promise<boolean>, limit = 10_000): Promise<boolean> =>
  poll(condition.toString(), condition, limit);

/** Sends bytes to a server, and returns everything that the server sends until it closes the connection. */
export function rawExchange(baseUrl: string, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => {
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', (error) => (answer === '' ? reject(error) : undefined));
    socket.setTimeout(10_000, () => socket.destroy(new Error(`The connection hung after: ${answer}`)));
  });
}
