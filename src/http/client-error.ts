/** Answers to what never became a request: a broken or too slow head. Well-formed, and in the shape of all errors. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Reason } from '../errors.ts';
import { errorBody, reasonHeader } from './wire/errors.ts';
import { headersOn } from './wire/security-headers.ts';

const verdicts: Readonly<Record<string, readonly [number, string, string, Reason]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'Request timeout', 'request_timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'Request header fields too large', 'payload_too_large'],
};

const malformed = [400, 'Bad Request', 'Malformed HTTP request', 'invalid_request'] as const;

export const answerClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, phrase, message, reason] = verdicts[error.code ?? ''] ?? malformed;
  const body = JSON.stringify(errorBody(code, message));
  const headers = {
    ...headersOn(socket),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': randomUUID(),
    [reasonHeader]: reason,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${code} ${phrase}`, ...lines, '', body].join('\r\n'));
};
