/** The sign-in page, for an API key or the operator's admin token. */
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError, makeClient, messageOf } from '../api/client.ts';
import { forgetOutbox } from '../outbox/storage.ts';
import type { SignedIn } from '../signed-in.ts';
import { texts } from '../texts.ts';
import { Logo } from '../ui/icons.tsx';
import { Choice, Field } from '../ui/parts.tsx';
import { ThemeSwitch } from '../ui/theme.tsx';

const words = texts.signIn;

const wrong = (role: SignedIn['role'], error: unknown): string => {
  if (!(error instanceof ApiError)) return messageOf(error);
  if (role === 'operator' && (error.code === 401 || error.code === 404)) return words.wrongToken;
  return error.code === 401 ? words.wrongKey : error.message;
};

/** HTTP headers can carry no other characters. */
const isSendable = (secret: string): boolean => /^[\x21-\x7e]+$/.test(secret);

const check = async ({ role, secret }: SignedIn): Promise<string | null> => {
  if (secret === '') return role === 'user' ? words.emptyKey : words.emptyToken;
  if (!isSendable(secret)) return role === 'user' ? words.wrongKey : words.wrongToken;
  try {
    await makeClient(secret, () => undefined).get(role === 'user' ? '/v1/me' : '/admin/v1/users');
    return null;
  } catch (error) {
    return wrong(role, error);
  }
};

interface Props {
  readonly notice: string | null;
  readonly enter: (signedIn: SignedIn) => void;
}

export const SignIn = ({ notice, enter }: Props) => {
  const [role, setRole] = useState<SignedIn['role']>('user');
  const [error, setError] = useState<string | null>(null);
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  // The next user of this tab must not see them.
  useEffect(forgetOutbox, []);
  const submit = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    setBusy(true);
    const signedIn = { role, secret: secret.trim() };
    const problem = await check(signedIn);
    setBusy(false);
    setError(problem);
    if (problem === null) enter(signedIn);
  };
  const choose = (next: SignedIn['role']): void => {
    setRole(next);
    setError(null);
  };
  return (
    <main className="sign-in">
      <form className="card sign-in-card" onSubmit={(form) => void submit(form)} noValidate>
        <div className="brand large">
          <Logo />
          <span>{texts.product}</span>
        </div>
        <h1>{words.title}</h1>
        <p className="lead">{words.lead}</p>
        {notice !== null && <p role="alert">{notice}</p>}
        <Choice
          label={words.title}
          value={role}
          options={[
            ['user', words.asUser],
            ['operator', words.asOperator],
          ]}
          choose={choose}
        />
        <Field
          label={role === 'user' ? words.key : words.token}
          hint={role === 'user' ? words.keyHint : words.tokenHint}
          error={error}
          type="password"
          name="secret"
          value={secret}
          autoFocus
          onChange={(change) => setSecret(change.target.value)}
        />
        <button type="submit" className="primary" disabled={busy}>
          {words.submit}
        </button>
        <p className="hint">{words.privacy}</p>
      </form>
      <ThemeSwitch />
    </main>
  );
};
