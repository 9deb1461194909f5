/** The frame around a user's pages: navigation, connection state and, in sandbox mode, the phone. */
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { useAccount, useMay } from './account/account.tsx';
import { KeyLimits } from './account/key-limits.tsx';
import { DevicePage } from './device/page.tsx';
import { CreateDevice } from './pages/create-device.tsx';
import { Devices } from './pages/devices.tsx';
import { Keys } from './pages/keys.tsx';
import { Suppressions } from './pages/suppressions.tsx';
import { Usage } from './pages/usage.tsx';
import { Webhooks } from './pages/webhooks.tsx';
import { useRoute } from './base/route.ts';
import { links, needs, Search } from './search.tsx';
import { PhonePanel } from './sandbox/panel.tsx';
import { texts } from './base/texts.ts';
import { icons, Logo } from './ui/icons.tsx';
import { LanguageSwitch } from './ui/language.tsx';
import { ThemeSwitch } from './ui/theme.tsx';

const words = texts.nav;

const pageOf = (route: readonly string[]): ReactNode => {
  const [first = 'devices', second, third] = route;
  if (first === 'keys') return <Keys />;
  if (first === 'usage') return <Usage />;
  if (first === 'suppressions') return <Suppressions />;
  if (first === 'webhooks') return <Webhooks />;
  if (first === 'devices' && second === 'new') return <CreateDevice />;
  if (first === 'devices' && second !== undefined && /^\d+$/.test(second)) {
    return <DevicePage key={second} id={Number(second)} tab={third ?? 'chat'} />;
  }
  return <Devices />;
};

const linkOf = ([first]: readonly string[]) => links.find((name) => name === first) ?? 'devices';

const titleOf = (route: readonly string[]): string =>
  linkOf(route) === 'devices' && route[1] === 'new' ? texts.create.title : words[linkOf(route)];

const Navigation = ({ current }: { readonly current: string }) => {
  const may = useMay();
  return (
    <nav aria-label={words.label}>
      {links
        .filter((name) => may(needs[name]))
        .map((name) => (
          <a key={name} href={`#/${name}`} aria-current={name === current ? 'page' : undefined}>
            {icons[name]}
            <span>{words[name]}</span>
          </a>
        ))}
      <a href="./docs" target="_blank" rel="noreferrer">
        {icons.docs}
        <span>{words.docs}</span>
      </a>
    </nav>
  );
};

const Limits = () => {
  const key = useAccount().me.value?.key;
  return key && <KeyLimits {...key} />;
};

const recheckMs = 60_000;

/** Why the service does not reach the network; looked at again each minute until it does. */
const NetworkProblem = () => {
  const { me } = useAccount();
  const problem = me.value?.service.reach.problem ?? null;
  const { reload } = me;
  useEffect(() => {
    if (problem === null) return;
    const timer = setInterval(reload, recheckMs);
    return () => clearInterval(timer);
  }, [problem, reload]);
  return problem === null ? null : (
    <p className="notice bad" role="alert">
      {texts.unreachable(problem)}
    </p>
  );
};

const SkipLink = () => (
  <a className="skip" href="#main" onClick={(click) => focusMain(click)}>
    {texts.skip}
  </a>
);

interface SideProps {
  readonly route: readonly string[];
  readonly deviceId: number | null;
  readonly isSandbox: boolean;
}

const Side = ({ route, deviceId, isSandbox }: SideProps) => {
  const { live, generation, signOut } = useAccount();
  return (
    <header className="side">
      <a className="brand" href="#/devices">
        <Logo />
        <span>{texts.product}</span>
        {isSandbox && (
          <span className="sandbox-mark" title={texts.sandboxNotice}>
            {texts.sandbox}
          </span>
        )}
      </a>
      <Search deviceId={deviceId} />
      <Navigation current={linkOf(route)} />
      <div className="side-foot">
        {generation > 0 && (
          <p className={`live ${live ? 'on' : ''}`} role="status">
            <span className="dot" aria-hidden="true" />
            {live ? texts.live.on : texts.live.off}
          </p>
        )}
        <Limits />
        <ThemeSwitch />
        <LanguageSwitch />
        <button type="button" className="quiet" onClick={signOut}>
          {words.signOut}
        </button>
      </div>
    </header>
  );
};

export const Shell = () => {
  const { me } = useAccount();
  const route = useRoute();
  const [phoneOpen, setPhoneOpen] = useState(false);
  const [, second] = route;
  const deviceId = linkOf(route) === 'devices' && second !== undefined && /^\d+$/.test(second) ? Number(second) : null;
  const title = titleOf(route);
  // A layout effect, so that it runs before the device page sets its own title.
  useLayoutEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title, second]);
  const isSandbox = me.value?.service.network === 'sandbox';
  const may = useMay();
  const beside = isSandbox && linkOf(route) === 'devices' && may('create');
  return (
    <div className={`shell ${beside ? 'with-phone' : ''} ${phoneOpen ? 'phone-open' : ''}`}>
      <SkipLink />
      <Side {...{ route, deviceId, isSandbox }} />
      <main id="main" tabIndex={-1}>
        <NetworkProblem />
        {pageOf(route)}
      </main>
      {beside && (
        <>
          <button
            type="button"
            className="phone-toggle primary"
            aria-expanded={phoneOpen}
            onClick={() => setPhoneOpen(!phoneOpen)}
          >
            {icons.phone}
            {phoneOpen ? texts.close : texts.phone.show}
          </button>
          <PhonePanel deviceId={deviceId} />
        </>
      )}
    </div>
  );
};

/** Moves the focus without changing the hash, which names the page. */
const focusMain = (click: { readonly preventDefault: () => void }): void => {
  click.preventDefault();
  document.getElementById('main')?.focus();
};
