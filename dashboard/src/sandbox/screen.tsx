/** The screen of a sandbox phone: its messages, live, and a field to write as its owner. */
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useAccount } from '../account.tsx';
import { clockTime, phoneNumber } from '../format.ts';
import { texts } from '../texts.ts';
import { Action, Empty } from '../ui/parts.tsx';
import { useNotify } from '../ui/notices.tsx';
import { MessageContent } from './message-content.tsx';
import type { Phone, PhoneMessage } from './types.ts';

const words = texts.phone;
const pollMs = 20_000;
const mostShown = 60;

/** Long-polls the sandbox for new messages, which does not count against the rate limit. */
const useMessages = (number: string) => {
  const { client } = useAccount();
  const [messages, setMessages] = useState<readonly PhoneMessage[]>([]);
  const path = `/sandbox/phones/${number}/messages`;
  const load = useCallback(async () => {
    const all = await client.get<{ messages: readonly PhoneMessage[] }>(path);
    setMessages(all.messages.slice(-mostShown));
    return all.messages.at(-1)?.seq ?? 0;
  }, [client, path]);
  useEffect(() => {
    const abort = new AbortController();
    const watch = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        try {
          const last = await load();
          await client.raw(`${path}?after=${last}&limit=1&waitMs=${pollMs}`, { signal: abort.signal });
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
  return { messages, load };
};

const Line = ({ message, read }: { readonly message: PhoneMessage; readonly read: () => Promise<unknown> }) => (
  <li className={`bubble ${message.fromMe ? 'out' : 'in'}`} data-state={message.state}>
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

const Writer = ({ phone, others }: { readonly phone: Phone; readonly others: readonly Phone[] }) => {
  const { client } = useAccount();
  const notify = useNotify();
  const usual = others.find(({ linkedDevices }) => linkedDevices.length > 0) ?? others[0];
  const [to, setTo] = useState<string | null>(null);
  const [text, setText] = useState('');
  const recipient = others.find(({ number }) => number === to) ?? usual;
  const send = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    if (text.trim() === '' || recipient === undefined) return;
    try {
      await client.post(`/sandbox/phones/${phone.number}/messages`, { to: recipient.number, text });
      setText('');
    } catch (error) {
      notify.bad(error);
    }
  };
  if (recipient === undefined) return null;
  return (
    <form className="phone-write" onSubmit={(form) => void send(form)}>
      <label className="inline">
        <span>{words.to}</span>
        <select value={recipient.number} onChange={(change) => setTo(change.target.value)}>
          {others.map(({ number, name }) => (
            <option key={number} value={number}>
              {name}, {phoneNumber(number)}
            </option>
          ))}
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
        <button type="submit" className="primary">
          {texts.chat.send}
        </button>
      </div>
    </form>
  );
};

export const Screen = ({ phone, others }: { readonly phone: Phone; readonly others: readonly Phone[] }) => {
  const { client } = useAccount();
  const { messages, load } = useMessages(phone.number);
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
              read={async () => {
                await client.post(`/sandbox/phones/${phone.number}/messages/${message.id}/read`, {});
                await load();
              }}
            />
          ))}
        </ol>
      </div>
      <Writer phone={phone} others={others} />
    </>
  );
};
