/** The screen of a sandbox phone: its messages, live, and a field to write as its owner. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useAccount } from '../account/account.tsx';
import { clockTime, nameAndNumber } from '../base/format.ts';
import { texts } from '../base/texts.ts';
import { useForm } from '../ui/form.ts';
import { Action, Empty, ErrorText } from '../ui/parts.tsx';
import { MessageContent } from './message-content.tsx';
import type { Phone, PhoneGroup, PhoneMessage } from './types.ts';

const words = texts.phone;
const pollMs = 20_000;
const maxShown = 60;

/** Long-polls the sandbox for new and changed messages, which does not count against the rate limit. */
const useMessages = (number: string) => {
  const { client } = useAccount();
  const [messages, setMessages] = useState<readonly PhoneMessage[]>([]);
  const [groups, setGroups] = useState<readonly PhoneGroup[]>([]);
  const phone = `/sandbox/phones/${number}`;
  const path = `${phone}/messages`;
  /** Gives how often messages have been added or changed. */
  const load = useCallback(async () => {
    const [all, joined] = await Promise.all([
      client.get<{ messages: readonly PhoneMessage[]; changes: number }>(path),
      client.get<{ groups: readonly PhoneGroup[] }>(`${phone}/groups`),
    ]);
    setMessages(all.messages.slice(-maxShown));
    setGroups(joined.groups);
    return all.changes;
  }, [client, path, phone]);
  useEffect(() => {
    const abort = new AbortController();
    const watch = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        try {
          const changed = await load();
          await client.raw(`${path}?changed=${changed}&limit=1&waitMs=${pollMs}`, { signal: abort.signal });
        } catch {
          if (abort.signal.aborted) return;
          await new Promise((resolve) => {
            setTimeout(resolve, 3000);
          });
        }
      }
    };
    void watch();
    return () => abort.abort();
  }, [client, path, load]);
  return { messages, groups, load };
};

interface LineProps {
  readonly message: PhoneMessage;
  readonly phones: readonly Phone[];
  readonly groups: readonly PhoneGroup[];
  readonly read: () => Promise<unknown>;
}

/** The group of a message, and who wrote it there; null for a message between two people. */
const groupLine = ({ chat, from, fromMe, pushName }: PhoneMessage, { phones, groups }: LineProps): string | null => {
  if (!chat.endsWith('@g.us')) return null;
  const subject = groups.find(({ jid }) => jid === chat)?.subject ?? texts.chat.group;
  const author = phones.find(({ jid }) => jid === from)?.name ?? pushName;
  return fromMe || author === null ? subject : `${author}, ${subject}`;
};

const Line = (props: LineProps) => {
  const { message, read } = props;
  const group = groupLine(message, props);
  return (
    <li className={`bubble ${message.fromMe ? 'out' : 'in'}`} data-state={message.state}>
      {group !== null && <strong className="author">{group}</strong>}
      <MessageContent message={message} />
      <span className="bubble-foot">
        {!message.fromMe && message.state === 'received' && (
          <Action className="link" act={read}>
            {words.read}
          </Action>
        )}
        {!message.fromMe && message.state === 'read' && <span>{words.readMark}</span>}
        <time dateTime={message.timestamp}>{clockTime(message.timestamp)}</time>
      </span>
    </li>
  );
};

interface WriterProps {
  readonly phone: Phone;
  readonly others: readonly Phone[];
  readonly groups: readonly PhoneGroup[];
  /** The number of the device on display. */
  readonly account: string | null;
  /** Looks again for groups of the phone. */
  readonly refresh: () => Promise<unknown>;
}

const Writer = ({ phone, others, groups, account, refresh }: WriterProps) => {
  const { client } = useAccount();
  const [picked, setTo] = useState<string | null>(null);
  const [text, setText] = useState('');
  const usual =
    others.find(({ number }) => number === account) ??
    others.find(({ linkedDevices }) => linkedDevices.length > 0) ??
    others[0];
  const known = [...others.map(({ number }) => number), ...groups.map(({ jid }) => jid)];
  const to = known.find((one) => one === picked) ?? usual?.number;
  const { busy, error, submit } = useForm([], async () => {
    if (text.trim() === '') return;
    await client.post(`/sandbox/phones/${phone.number}/messages`, { to, text });
    setText('');
  });
  if (to === undefined) return null;
  return (
    <form className="phone-write" onSubmit={submit}>
      <label className="inline">
        <span>{words.to}</span>
        <select value={to} onFocus={() => void refresh()} onChange={(change) => setTo(change.target.value)}>
          {others.map(({ number, name }) => (
            <option key={number} value={number}>
              {nameAndNumber(name, number)}
            </option>
          ))}
          {groups.length > 0 && (
            <optgroup label={words.groups}>
              {groups.map(({ jid, subject }) => (
                <option key={jid} value={jid}>
                  {subject}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      <div className="write">
        <input
          aria-label={words.write}
          placeholder={words.write}
          autoComplete="off"
          value={text}
          onChange={(change) => setText(change.target.value)}
        />
        <button type="submit" disabled={busy} aria-busy={busy}>
          {texts.chat.send}
        </button>
      </div>
      <ErrorText error={error} />
    </form>
  );
};

export const Screen = ({ phone, others, account }: Pick<WriterProps, 'phone' | 'others' | 'account'>) => {
  const { client } = useAccount();
  const { messages, groups, load } = useMessages(phone.number);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.scrollTo(0, list.current.scrollHeight);
  }, [messages]);
  return (
    <>
      <div className="screen" ref={list} role="log" tabIndex={0} aria-label={words.screen(phone.name)}>
        {messages.length === 0 && <Empty title={words.empty} />}
        <ol className="bubbles">
          {messages.map((message) => (
            <Line
              key={`${message.seq}-${message.id}`}
              message={message}
              phones={others}
              groups={groups}
              read={async () => {
                await client.post(`/sandbox/phones/${phone.number}/messages/${message.id}/read`, {});
                await load();
              }}
            />
          ))}
        </ol>
      </div>
      <Writer phone={phone} others={others} groups={groups} account={account} refresh={load} />
    </>
  );
};
