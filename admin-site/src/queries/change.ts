import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, asCurl, call, newIdempotencyKey } from '../api';
import { isIdempotent, type Name, type RequestOf, type ResponseOf } from '../routes';
import { t } from '../texts';
import { toast, toastFailure } from '../ui/toast';

/** Changes that the pages request. */

export interface Change<N extends Name> {
  /** The queries that the change makes stale: all whose query key begins with one of these entries. */
  readonly stale?: readonly (readonly unknown[])[];
  readonly done?: (response: ResponseOf<N>) => string;
  /** Returns the message that is shown if the form was closed before it could show the result itself. */
  readonly unseen?: (response: ResponseOf<N>) => string;
  /** Takes the change back. The message about the change then has a button for it. */
  readonly undo?: (() => void) | undefined;
  readonly onSuccess?: (response: ResponseOf<N>) => void;
  readonly apiKey?: string | undefined;
  /** Runs before each request; if it throws, the request is not sent. */
  readonly before?: (request: RequestOf<N>) => Promise<void>;
}

/**
 * Makes sure that a value is still the one that a form was filled with, because the form's request replaces the whole value.
 *
 * @throws Error if somebody else has changed the value
 */
export function expectUnchanged(known: unknown, present: unknown): void {
  if (JSON.stringify(known) !== JSON.stringify(present))
    throw new Error(
      t('Not saved, because somebody else has changed the same data in the meantime. Reload the page, then repeat your change.'),
    );
}

/** The statuses of responses after which the page's data is reloaded, because the data may be outdated. */
const OUTDATED: readonly number[] = [403, 404, 409];

/**
 * Calls an endpoint that changes something, shows a message and reloads the changed data. The data is also reloaded if the change was
 * refused because of somebody else's change. A response may get lost after the service has made the change. Therefore a repeated request
 * has the same `Idempotency-Key` until it succeeds, so that the service does not make the change twice. Only one request is sent at a time.
 */
export function useChange<N extends Name>(name: N, { stale = [], done, unseen, undo, onSuccess, apiKey, before }: Change<N> = {}) {
  const client = useQueryClient();
  const [idempotencyKeys] = useState(() => new Map<string, string>());
  const running = useRef(false);
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  const refresh = (): Promise<unknown> => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })));
  const keyOf = (request: RequestOf<N>): string => {
    const content = JSON.stringify(request);
    const key = idempotencyKeys.get(content) ?? newIdempotencyKey();
    idempotencyKeys.set(content, key);
    return key;
  };
  const mutation = useMutation({
    mutationFn: async (request: RequestOf<N>) => {
      await before?.(request);
      return call(name, request, {
        ...(isIdempotent(name) && { idempotencyKey: keyOf(request) }),
        ...(apiKey !== undefined && { apiKey }),
      });
    },
    onSuccess: async (response, request) => {
      idempotencyKeys.clear();
      // Reloads before the message appears, so that the operator then sees the result.
      await refresh();
      const curl = apiKey === undefined ? asCurl(name, request) : undefined;
      if (done) toast(done(response), curl, undo);
      else if (unseen && !shown.current) toast(unseen(response), curl);
      if (shown.current) onSuccess?.(response);
    },
    onError: (error) => {
      if (!shown.current) toastFailure(error.message);
      if (error instanceof ApiError && OUTDATED.includes(error.status)) void refresh();
    },
    onSettled: () => {
      running.current = false;
    },
  });
  // A second click may arrive before the button is drawn as busy.
  const mutate = (request: RequestOf<N>): void => {
    if (running.current) return;
    running.current = true;
    mutation.mutate(request);
  };
  return { ...mutation, mutate, call: name };
}
