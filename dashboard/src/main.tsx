/** Entry point: shows the sign-in page, the user's pages or the operator's page. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { AccountProvider } from './account/account.tsx';
import { signOut } from './account/sign-in.ts';
import { makeClient } from './api/client.ts';
import { copyPlainNumbers, loadNumbers } from './base/format.ts';
import { OperatorShell } from './operator/shell.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Shell } from './shell.tsx';
import { useGroupedNumbers } from './base/use-grouped-numbers.ts';
import { credentialsOf, followTabs, remembered, type SignedIn } from './base/signed-in.ts';
import './styles/index.css';
import './device/message/message.css';
import './device/compose/compose.css';
import './device/groups/groups.css';
import './device/shown/labels.css';
import { mount } from './ui/mount.tsx';
import { texts } from './base/texts.ts';

const App = () => {
  useGroupedNumbers();
  const [signedIn, setSignedIn] = useState(remembered);
  const [ended, setEnded] = useState(false);
  const enter = useCallback((next: SignedIn) => {
    setEnded(false);
    setSignedIn(next);
  }, []);
  const leave = useCallback(() => {
    signOut();
    location.hash = '';
    setSignedIn(null);
  }, []);
  useEffect(
    () =>
      followTabs((next) => {
        setEnded(false);
        setSignedIn(next);
      }),
    [],
  );
  // After the first paint. The sign-in page shows no numbers.
  const isIn = signedIn !== null;
  useEffect(() => {
    if (isIn) void loadNumbers();
  }, [isIn]);
  const client = useMemo(() => {
    if (signedIn === null) return null;
    const refused = (): void => {
      setEnded(true);
      leave();
    };
    return makeClient(credentialsOf(signedIn), refused);
  }, [signedIn, leave]);
  if (signedIn === null || client === null) return <SignIn enter={enter} notice={ended ? texts.errors.ended : null} />;
  if (signedIn.role === 'operator') return <OperatorShell client={client} signOut={leave} />;
  return (
    <AccountProvider key={signedIn.keyId} client={client} signOut={leave}>
      <Shell />
    </AccountProvider>
  );
};

copyPlainNumbers();
void mount(<App />);
