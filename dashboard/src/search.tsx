/** Ctrl+K: a search over devices, chats and pages. */
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { createPortal } from 'react-dom';
import { useAccount, useAccounts, useMay } from './account/account.tsx';
import type { Answer } from './api/schemas.ts';
import { useDelayed, useLoad } from './api/hooks.ts';
import type { Device } from './api/types.ts';
import { nameAndNumber } from './base/format.ts';
import { go } from './base/route.ts';
import { texts } from './base/texts.ts';
import { plainNumber } from './base/typed-number.ts';
import { titleOf } from './device/shown/conversations.ts';
import { tabsFor } from './device/page.tsx';
import { Dialog } from './ui/dialog.tsx';
import { icons } from './ui/icons.tsx';

const words = texts.search;

export const links = ['devices', 'webhooks', 'suppressions', 'keys', 'usage'] as const;

/** What a key must be permitted for a page. */
export const needs = {
  devices: 'read',
  webhooks: 'admin',
  suppressions: 'read',
  keys: 'admin',
  usage: 'read',
} as const;

/** Results of each kind, and devices whose chats are searched: each is a request. */
const maxFound = 6;
const delayMs = 250;

interface Found {
  readonly kind: 'devices' | 'chats' | 'pages';
  readonly title: string;
  readonly under: string;
  readonly path: string;
}

const includes = (text: string, query: string): boolean => text.toLowerCase().includes(query);

const pagesFor = (query: string, device: Device | undefined, may: ReturnType<typeof useMay>): readonly Found[] =>
  [
    ...(device === undefined ? [] : tabsFor(may)).map((tab) => ({
      title: texts.device.tabs[tab],
      under: device!.name,
      path: `/devices/${device!.id}/${tab}`,
    })),
    ...links
      .filter((name) => may(needs[name]))
      .map((name) => ({ title: texts.nav[name], under: '', path: `/${name}` })),
    ...(may('create') ? [{ title: texts.create.title, under: '', path: '/devices/new' }] : []),
  ]
    .filter(({ title }) => includes(title, query))
    .map((page) => ({ kind: 'pages', ...page }));

const useDevices = (query: string): readonly Found[] => {
  const { devices } = useAccount();
  const accounts = useAccounts();
  const digits = plainNumber(query);
  const matches = ({ id, name }: Device): boolean => {
    const account = accounts.get(id);
    const isNumber = /^\d+$/.test(digits) && (account?.phoneNumber.includes(digits) === true || String(id) === digits);
    return isNumber || includes(`${name} ${account?.name ?? ''}`, query);
  };
  return (devices.value ?? [])
    .filter(matches)
    .slice(0, maxFound)
    .map(({ id, name }) => {
      const account = accounts.get(id);
      const under = account === undefined ? texts.devices.id(id) : nameAndNumber(account.name, account.phoneNumber);
      return { kind: 'devices', title: name, under, path: `/devices/${id}` };
    });
};

/** Of the open device first, once the typing pauses. */
const useChatsFor = (query: string, current: Device | undefined): readonly Found[] => {
  const { client, devices } = useAccount();
  const searched = useDelayed(query, delayMs);
  const connected = (devices.value ?? []).filter((one) => one !== current && one.status === 'connected');
  const asked = [...(current === undefined ? [] : [current]), ...connected].slice(0, maxFound);
  const load = async (): Promise<readonly Found[]> => {
    const answers = asked.map(async ({ id, name }): Promise<readonly Found[]> => {
      const path = `/v1/devices/${id}/chats?limit=${maxFound}&q=${encodeURIComponent(searched)}`;
      const { chats } = await client.get<Answer<'listChats'>>(path);
      return chats.map((chat) => ({
        kind: 'chats',
        title: titleOf(chat),
        under: name,
        path: `/devices/${id}/chat/${encodeURIComponent(chat.chatNumber ?? chat.chat)}`,
      }));
    });
    const settled = await Promise.allSettled(answers);
    return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])).slice(0, 2 * maxFound);
  };
  const found = useLoad(load, searched === '' ? null : searched);
  return searched === '' || query === '' ? [] : (found.value ?? []);
};

interface ResultsProps {
  readonly id: string;
  readonly found: readonly Found[];
  readonly at: number;
  readonly open: (one: Found) => void;
}

const Results = ({ id, found, at, open }: ResultsProps) => (
  <div className="search-results" role="listbox" id={id} aria-label={words.title}>
    {[...Map.groupBy(found, ({ kind }) => kind)].map(([kind, those]) => (
      <div key={kind} role="group" aria-label={words[kind]}>
        <p className="hint" aria-hidden="true">
          {words[kind]}
        </p>
        {those.map((one) => {
          const index = found.indexOf(one);
          return (
            <div
              key={`${one.path} ${one.title}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              ref={(element) => {
                if (index === at) element?.scrollIntoView({ block: 'nearest' });
              }}
              onClick={() => open(one)}
            >
              <span className="one-line">{one.title}</span>
              <span className="under one-line">{one.under}</span>
            </div>
          );
        })}
      </div>
    ))}
  </div>
);

const SearchDialog = ({ deviceId, close }: { readonly deviceId: number | null; readonly close: () => void }) => {
  const { devices } = useAccount();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const may = useMay();
  const query = typed.trim().toLowerCase();
  const device = devices.value?.find((one) => one.id === deviceId);
  const found = [...useDevices(query), ...useChatsFor(query, device), ...pagesFor(query, device, may)];
  const open = ({ path }: Found): void => {
    close();
    go(path);
  };
  const press = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    const chosen = found[at];
    if (event.key === 'Enter' && chosen !== undefined) open(chosen);
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    setAt((at + step + found.length) % found.length);
  };
  return (
    <Dialog title={words.title} close={close}>
      <input
        // Not a search field, which Escape would empty before it closes the dialog.
        type="text"
        role="combobox"
        aria-label={words.title}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${at}`}
        autoComplete="off"
        maxLength={100}
        value={typed}
        onKeyDown={press}
        onChange={(input) => {
          setTyped(input.target.value);
          setAt(0);
        }}
      />
      <p className="hint" role="status">
        {found.length === 0 && words.none}
      </p>
      <Results id={id} found={found} at={at} open={open} />
    </Dialog>
  );
};

/** `deviceId`: of the page, whose tabs and chats come first. */
export const Search = ({ deviceId }: { readonly deviceId: number | null }) => {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      // Another dialog holds what somebody is writing.
      if (document.querySelector('dialog[open]') === null) setOpen(true);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button type="button" className="search-all" aria-keyshortcuts="Control+K" onClick={() => setOpen(true)}>
        {icons.search}
        <span>{words.open}</span>
        <kbd>{words.keys}</kbd>
      </button>
      {/* Not inside the header of the page. */}
      {open && createPortal(<SearchDialog deviceId={deviceId} close={() => setOpen(false)} />, document.body)}
    </>
  );
};
