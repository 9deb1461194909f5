/** Asks the service whether a key or an admin token is valid. */
import { ApiError, makeClient, messageOf } from '../api/client.ts';
import type { SignedIn } from '../base/signed-in.ts';
import { texts } from '../base/texts.ts';

const words = texts.signIn;

const wrong = (role: SignedIn['role'], error: unknown): string => {
  if (!(error instanceof ApiError)) return messageOf(error);
  if (role === 'operator' && (error.code === 401 || error.code === 404)) return words.wrongToken;
  return error.code === 401 ? words.wrongKey : error.message;
};

/** Other characters are not allowed in HTTP headers. */
const isSendable = (secret: string): boolean => /^[\x21-\x7e]+$/.test(secret);

/** Null if it is valid; otherwise why not. */
export const checkSecret = async ({ role, secret }: SignedIn): Promise<string | null> => {
  if (secret === '') return role === 'user' ? words.emptyKey : words.emptyToken;
  if (!isSendable(secret)) return role === 'user' ? words.wrongKey : words.wrongToken;
  try {
    await makeClient(secret, () => undefined).get(role === 'user' ? '/v1/me' : '/admin/v1/users');
    return null;
  } catch (error) {
    return wrong(role, error);
  }
};
