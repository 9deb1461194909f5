/** Signs in by a key or the operator's token, and out. */
import { ApiError, makeClient, messageOf } from '../api/client.ts';
import { credentialsOf, forget, remember, remembered, type SignedIn } from '../base/signed-in.ts';
import { texts } from '../base/texts.ts';

const words = texts.signIn;

export interface Given {
  readonly role: SignedIn['role'];
  readonly secret: string;
  /** Over the end of the browser. */
  readonly stay: boolean;
}

const wrong = ({ role }: Given, error: unknown): string => {
  if (!(error instanceof ApiError)) return messageOf(error);
  if (role === 'operator' && (error.code === 401 || error.code === 404)) return words.wrongToken;
  return error.code === 401 ? words.wrongKey : error.message;
};

/** Other characters are not allowed in HTTP headers. */
const isSendable = (secret: string): boolean => /^[\x21-\x7e]+$/.test(secret);

const shownCharacters = 7;

/** The last sign-out: its answer would take a newer cookie away. */
let ending: Promise<unknown> = Promise.resolve();

const enter = async ({ role, secret, stay }: Given): Promise<SignedIn> => {
  await ending;
  const client = makeClient(credentialsOf({ token: secret }), () => undefined);
  const name = secret.slice(0, shownCharacters);
  if (role === 'operator') {
    await client.get('/admin/v1/users');
    return { role, name, keyId: null, token: secret };
  }
  const { session } = await client.post<{ session: { keyId: number } }>(`/session${stay ? '?stay=true' : ''}`);
  return { role, name, keyId: session.keyId, token: null };
};

/** Who is signed in then, or why not. */
export const signIn = async (given: Given): Promise<SignedIn | string> => {
  const { role, secret, stay } = given;
  if (secret === '') return role === 'user' ? words.emptyKey : words.emptyToken;
  if (!isSendable(secret)) return role === 'user' ? words.wrongKey : words.wrongToken;
  try {
    const signedIn = await enter(given);
    remember(signedIn, stay && role === 'user');
    return signedIn;
  } catch (error) {
    return wrong(given, error);
  }
};

export const signOut = (): void => {
  const signedIn = remembered();
  forget();
  if (signedIn?.role !== 'user') return;
  // Without an answer the cookie ends with its time, or with the key.
  ending = makeClient(credentialsOf(signedIn), () => undefined)
    .delete('/session')
    .catch(() => undefined);
};
