/** Answers to what never became a request: a broken or too slow head. Well-formed, and in the shape of all errors. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { errorBody } from './errors.ts';
import { headersOn } from './security-headers.ts';

const verdicts: Readonly<Record<string, readonly [number, string, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'Request timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'Request header fields too large'],
};

export const answerClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, phrase, message] = verdicts[error.code ?? ''] ?? [400, 'Bad Request', 'Malformed HTTP request'];
  const body = JSON.stringify(errorBody(code, message));
  const headers = {
    ...headersOn(socket),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': randomUUID(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${code} ${phrase}`, ...lines, '', body].join('\r\n'));
};
