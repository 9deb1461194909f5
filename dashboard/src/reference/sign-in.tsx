/** The sign-in of the API reference, which is the dashboard's. */
import { type FormEvent, useEffect, useState } from 'react';
import { signIn, signOut } from '../account/sign-in.ts';
import { followTabs, remembered, type SignedIn } from '../base/signed-in.ts';
import { texts } from '../base/texts.ts';
import { Field } from '../ui/parts.tsx';

const words = texts.reference;

export interface Session {
  readonly signedIn: SignedIn | null;
  readonly change: (signedIn: SignedIn | null) => void;
}

export const useSecret = (): Session => {
  const [signedIn, setSignedIn] = useState(remembered);
  useEffect(() => followTabs(setSignedIn), []);
  return {
    signedIn,
    change: (next) => {
      if (next === null) signOut();
      setSignedIn(next);
    },
  };
};

/** An API key begins like this; anything else is taken for the operator's token. */
const keyStart = 'hs_';

export const SignInForm = ({ session: { signedIn, change } }: { readonly session: Session }) => {
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<string | null>(null);
  const submit = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    const given = secret.trim();
    const role = given === '' || given.startsWith(keyStart) ? 'user' : 'operator';
    const entered = await signIn({ role, secret: given, stay: false });
    if (typeof entered === 'string') return setError(entered);
    setError(null);
    setSecret('');
    change(entered);
  };
  if (signedIn !== null) {
    return (
      <p className="row between">
        <span>{words.signedInAs(signedIn.name)}</span>
        <button type="button" className="quiet small" onClick={() => change(null)}>
          {texts.nav.signOut}
        </button>
      </p>
    );
  }
  return (
    <form onSubmit={(form) => void submit(form)} noValidate>
      <Field
        label={texts.signIn.key}
        hint={words.signInLead}
        error={error}
        type="password"
        name="secret"
        value={secret}
        onChange={(typed) => setSecret(typed.target.value)}
      />
      <div className="row">
        <button type="submit" className="primary">
          {texts.signIn.submit}
        </button>
      </div>
    </form>
  );
};
