import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange, type Change } from '../queries/change';
import type { Name, RequestOf } from '../routes';
import { t } from '../texts';
import { Dialog, DialogForm } from './dialog';
import { useFields } from './use-fields';

interface Question<N extends Name> extends Change<N> {
  readonly call: N;
  /** The request, with the reason that the operator gave; undefined while the dialog is closed. */
  readonly request: ((reason: { readonly reason?: string }) => RequestOf<N>) | undefined;
  readonly submit: string;
  /** Whether the action removes something. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** The maximum length of the reason. Without it, the dialog asks for no reason. */
  readonly reason?: number;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Content<N extends Name>({ call, request, reason, onClose, children, ...rest }: Question<N>) {
  const { submit, danger = false, disabled = false, ...options } = rest;
  const change = useChange(call, {
    ...options,
    onSuccess: (response) => {
      onClose();
      options.onSuccess?.(response);
    },
  });
  const { values, field } = useFields({ reason: '' }, change);
  const given = values.reason.trim();
  return (
    <DialogForm
      change={change}
      onSubmit={() => request && change.mutate(request(given === '' ? {} : { reason: given }))}
      onCancel={onClose}
      submit={submit}
      danger={danger}
      disabled={disabled}
    >
      {children}
      {reason !== undefined && (
        <TextInput
          label={t('Reason (optional)')}
          description={t('Only you and your colleagues see it.')}
          {...field('reason')}
          maxLength={reason}
          autoComplete="off"
          {...(!danger && { 'data-autofocus': true })}
        />
      )}
    </DialogForm>
  );
}

/** A dialog that explains what a request does and sends the request when the operator agrees. It may ask for the reason. */
export const Confirm = <N extends Name>({ title, opened, ...question }: Question<N> & { title: string; opened: boolean }) => (
  <Dialog title={title} opened={opened} onClose={question.onClose}>
    {question.request && <Content {...question} />}
  </Dialog>
);
