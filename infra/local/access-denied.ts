import type { Service } from '../../test/support/permissions';

/** The error response of an AWS service that denies access, in the format of that service's protocol. */
export function accessDenied(service: Service, message: string): { status: number; type: string; body: string } {
  if (service === 'ses') {
    const text = message.replace(/[<>&]/g, ' ');
    return {
      status: 403,
      type: 'text/xml',
      body: `<ErrorResponse xmlns="http://ses.amazonaws.com/doc/2010-12-01/"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${text}</Message></Error></ErrorResponse>`,
    };
  }
  const code = service === 'sqs' ? 'com.amazonaws.sqs#AccessDenied' : 'com.amazon.coral.service#AccessDeniedException';
  return { status: 400, type: 'application/x-amz-json-1.0', body: JSON.stringify({ __type: code, message, Message: message }) };
}
