/** The sign-in page, for an API key or the operator's admin token. */
import { type FormEvent, useEffect, useState } from 'react';
import { signIn } from '../account/sign-in.ts';
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

const Switches = () => (
  <div className="row">
    <ThemeSwitch />
    <LanguageSwitch />
  </div>
);

const Stay = ({ stay, change }: { readonly stay: boolean; readonly change: (stay: boolean) => void }) => (
  <label className="check">
    <input type="checkbox" checked={stay} onChange={(input) => change(input.target.checked)} />
    {words.stay}
  </label>
);

export const SignIn = ({ notice, enter }: Props) => {
  const [role, setRole] = useState<SignedIn['role']>('user');
  const [error, setError] = useState<string | null>(null);
  const [secret, setSecret] = useState('');
  const [stay, setStay] = useState(false);
  const [busy, setBusy] = useState(false);
  // The next user of this tab must not see unsent messages.
  useEffect(forgetOutbox, []);
  const submit = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    setBusy(true);
    const entered = await signIn({ role, secret: secret.trim(), stay });
    setBusy(false);
    setError(typeof entered === 'string' ? entered : null);
    if (typeof entered !== 'string') enter(entered);
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
        {role === 'user' && <Stay stay={stay} change={setStay} />}
        <button type="submit" className="primary" disabled={busy}>
          {words.submit}
        </button>
        <p className="hint">{role === 'user' ? words.privacy : words.tokenPrivacy}</p>
      </form>
      <Switches />
    </main>
  );
};
