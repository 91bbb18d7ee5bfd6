import { createHash, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { errors, type ErrorName } from '../../lambdas/contract/errors';
import { writeDurably } from './data-dir';
import type { LocalRoute } from './gateway';

/**
 * The clock to test with (licenses.md): moves the time by which every function judges, so that expiry, grace and
 * leases can be seen in a second. Only the local run has one: the functions are given their `Date.now` by it, and
 * know nothing of it. What sends webhooks keeps the real time: delays, leases and signatures are of the real world.
 */

/** Where the clock is read and moved. */
export const CLOCK_PATH = '/_local/clock';
/** A hundred years: further than any license runs, and short of where dates end. */
const FURTHEST_MS = 100 * 365 * 86_400_000;
/** Longest request body, in characters. */
const BODY_LIMIT = 1000;

const kept = z.object({ advanced_ms: z.number().int().min(0) });
const move = z.object({ advance_ms: z.number().int().min(0) });

export interface TestClock {
  /** How far ahead of the real time it is, in ms. */
  advancedMs(): number;
  /**
   * Moves it. It never goes back: what is stored lies in its past, also after a restart.
   *
   * @returns false if that is further than it goes
   */
  advance(ms: number): boolean;
}

/** @param file where its position is kept; undefined keeps it in memory */
export function start(file: string | undefined): TestClock {
  let advancedMs = file !== undefined && existsSync(file) ? kept.parse(JSON.parse(readFileSync(file, 'utf8'))).advanced_ms : 0;
  return {
    advancedMs: () => advancedMs,
    advance: (ms) => {
      const moved = advancedMs + ms;
      if (moved > FURTHEST_MS) return false;
      if (file !== undefined && ms > 0) writeDurably(file, JSON.stringify({ advanced_ms: moved }));
      advancedMs = moved;
      return true;
    },
  };
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Serves the clock to whoever has the admin token. Errors have the form of the API's. */
export function route(clock: TestClock, adminToken: string): LocalRoute {
  return async (request, response) => {
    const token = request.headers['x-svc-admin-token'];
    const body = await readText(request);
    if (typeof token !== 'string' || !timingSafeEqual(hash(token), hash(adminToken))) return refuse(response, 'unauthorized');
    if (request.method === 'POST') {
      const parsed = move.safeParse(parseJson(body));
      if (!parsed.success) return refuse(response, 'invalid_request', 'advance_ms: a whole number of milliseconds, 0 or more, is required');
      if (!clock.advance(parsed.data.advance_ms)) return refuse(response, 'invalid_request', 'advance_ms: the clock cannot be moved further than 100 years ahead');
    } else if (request.method !== 'GET') return refuse(response, 'not_found');
    send(response, 200, { now: new Date(Date.now() + clock.advancedMs()).toISOString(), advanced_ms: clock.advancedMs() });
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Refused like everything else that is no such object.
    return undefined;
  }
}

/** The body of a request; empty if it is longer than any that is valid. */
async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) if (text.length <= BODY_LIMIT) text += chunk as string;
  return text.length <= BODY_LIMIT ? text : '';
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, name: ErrorName, detail: string = errors[name].detail): void {
  response.setHeader('X-Svc-Error-Code', errors[name].code);
  send(response, errors[name].status, { detail });
}
