/** Percent-encoding of paths and queries (RFC 3986, section 2.1), of UTF-8. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type HandsetError, invalidRequest } from '../../errors.ts';

/** The bundler leaves out a call whose result is not used. */
const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

const maxShown = 12;

/** Names the first part of `text` that cannot be decoded; null: all of it can. */
const malformed = (what: string, text: string): HandsetError | null => {
  if (decoded(text) !== null) return null;
  for (const [part] of text.matchAll(/(?:%[\da-f]{2})+|%.{0,2}/gi))
    if (decoded(part) === null) {
      const shown = JSON.stringify(part.slice(0, maxShown));
      return invalidRequest(`${what} has a malformed percent-encoding, ${shown}: a percent sign is written as %25`);
    }
  return null;
};

export const malformedPath = (url: string): HandsetError | null => malformed('The path', url.split('?', 1)[0]!);

/** The framework would take what it cannot decode as it is. */
export const checkQuery = ({ url }: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
  const start = url.indexOf('?');
  done((start === -1 ? null : malformed('The query', url.slice(start + 1))) ?? undefined);
};
