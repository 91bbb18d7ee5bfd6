import { useQuery } from '@tanstack/react-query';
import { call, callEvery, callList, type License } from '../api';
import { WATCHED } from './client';
import { useLog } from './deliveries';

/** Queries about one license. */

/** The license that has this key in a product; null if there is none. */
export const useLicenseOfKey = (productId: number, key: string) =>
  useQuery({
    queryKey: ['find', 'key', productId, key],
    queryFn: async ({ signal }) =>
      (await callList('listLicenses', { params: { id: productId }, query: { limit: '1', key } }, { signal })).rows[0] ?? null,
  });

export const useLicense = (id: number) =>
  useQuery({
    queryKey: ['license', id],
    queryFn: ({ signal }) => call('getLicense', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

export const useLicenseEvents = (id: number) =>
  useLog(['license-events', id], (cursor, signal) =>
    callList('listLicenseEvents', { params: { id }, query: { limit: '20', ...(cursor !== undefined && { cursor }) } }, { signal }),
  );

/** The meters of a license, with what was consumed in the current period. */
export const useMeters = (id: number) =>
  useQuery({
    queryKey: ['license-meters', id],
    queryFn: ({ signal }) => call('listLicenseMeters', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

/** All members of a license for named people, of which there are at most 1,000. */
export const useMembers = (id: number, isEnabled: boolean) =>
  useQuery({
    queryKey: ['license-members', id],
    queryFn: ({ signal }) => callEvery('listMembers', { params: { id }, query: { limit: '1000' } }, { signal }),
    enabled: isEnabled,
  });

export const useNotes = (id: number) =>
  useQuery({
    queryKey: ['notes', id],
    queryFn: ({ signal }) => call('listNotes', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

export const useLicenseRefusals = (id: number) =>
  useQuery({
    queryKey: ['license-refusals', id],
    queryFn: ({ signal }) => call('listLicenseRefusals', { params: { id } }, { signal }),
    refetchInterval: WATCHED,
  });

/** The queries that every change of a license makes stale. */
export const licenseKeys = ({ id, product_id }: Pick<License, 'id' | 'product_id'>): readonly (readonly unknown[])[] => [
  ['license', id],
  ['license-events', id],
  ['license-meters', id],
  ['license-members', id],
  ['licenses', product_id],
  ['find'],
  ['overview', product_id],
  ['deliveries', product_id],
];
