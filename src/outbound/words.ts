/** Messages about network failures for whoever set the URL. Addresses are never named. */
import { errors } from 'undici';
import { ForbiddenAddress } from './connect.ts';

export class DeadlineExceeded extends Error {}

const known: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the TLS certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const firstOf = (error: unknown): unknown =>
  error instanceof AggregateError ? (error.errors.find((one) => codeOf(one) !== '') ?? error) : error;

export const inWords = (thrown: unknown, timeoutMs: number): string => {
  const error = firstOf(thrown);
  if (error instanceof DeadlineExceeded) return `no complete answer within ${Math.round(timeoutMs / 1000)} s`;
  if (error instanceof ForbiddenAddress) return error.message;
  const code = codeOf(error) || codeOf(error instanceof Error ? error.cause : null);
  const words = known[code];
  if (words !== undefined) return words;
  if (error instanceof errors.HTTPParserError) return 'the answer is not valid HTTP';
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_)/.test(code)) return 'the TLS handshake failed';
  return 'the connection failed';
};
