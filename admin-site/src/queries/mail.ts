import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api';
import type { RequestOf } from '../routes';

/** Queries about mails and the buyers' portal. */

export const useMailSettings = (productId: number) =>
  useQuery({
    queryKey: ['mail-settings', productId],
    queryFn: ({ signal }) => call('getMailSettings', { params: { id: productId } }, { signal }),
  });

/** The preview of a mail. The parameter is the request as JSON text, so that equal requests are made only once. */
export const useMailPreview = (productId: number, request: string) =>
  useQuery({
    queryKey: ['mail-preview', productId, request],
    queryFn: ({ signal }) =>
      call('previewMail', { params: { id: productId }, body: JSON.parse(request) as RequestOf<'previewMail'>['body'] }, { signal }),
    placeholderData: keepPreviousData,
  });

export const usePortal = (productId: number) =>
  useQuery({
    queryKey: ['portal', productId],
    queryFn: ({ signal }) => call('getPortal', { params: { id: productId } }, { signal }),
  });

export const useMailStatus = () => useQuery({ queryKey: ['mail'], queryFn: ({ signal }) => call('getMailStatus', {}, { signal }) });
