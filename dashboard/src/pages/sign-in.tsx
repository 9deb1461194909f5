/** The sign-in page, for an API key or the operator's admin token. */
import { type FormEvent, useEffect, useState } from 'react';
import { checkSecret } from '../account/check-secret.ts';
import { forgetOutbox } from '../outbox/storage.ts';
import type { SignedIn } from '../base/signed-in.ts';
import { texts } from '../base/texts.ts';
import { Logo } from '../ui/icons.tsx';
import { LanguageSwitch } from '../ui/language.tsx';
import { Choice, Field } from '../ui/parts.tsx';
import { ThemeSwitch } from '../ui/theme.tsx';

const words = texts.signIn;

interface Props {
  readonly notice: string | null;
  readonly enter: (signedIn: SignedIn) => void;
}

export const SignIn = ({ notice, enter }: Props) => {
  const [role, setRole] = useState<SignedIn['role']>('user');
  const [error, setError] = useState<string | null>(null);
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  // The next user of this tab must not see unsent messages.
  useEffect(forgetOutbox, []);
  const submit = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    setBusy(true);
    const signedIn = { role, secret: secret.trim() };
    const problem = await checkSecret(signedIn);
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
      <div className="row">
        <ThemeSwitch />
        <LanguageSwitch />
      </div>
    </main>
  );
};
