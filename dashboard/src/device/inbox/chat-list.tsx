/** The list of conversations, with a search, unread counts and the newest message of each. */
import { shortTime } from '../../format.ts';
import { texts } from '../../texts.ts';
import { Action } from '../../ui/parts.tsx';
import type { Conversation } from '../conversations.ts';
import type { NameOf } from '../message/people.ts';
import { summaryOf } from '../message/summary.ts';

const words = texts.inbox;

/** The newest message in one line; one that is not sent yet comes first. */
const Newest = ({ of: { newest, unsent }, nameOf }: { readonly of: Conversation; readonly nameOf: NameOf }) => {
  const entry = unsent.at(-1);
  const at = entry?.at ?? newest?.timestamp;
  return (
    <>
      {at !== undefined && <time dateTime={at}>{shortTime(at)}</time>}
      <span className="conversation-text">
        {entry !== undefined && `${texts.outbox.state[entry.state]}: ${entry.text ?? texts.chat.type[entry.type]}`}
        {entry === undefined && newest?.direction === 'out' && `${texts.chat.you}: `}
        {entry === undefined && newest !== null && summaryOf(newest, nameOf)}
      </span>
    </>
  );
};

interface Props {
  readonly conversations: readonly Conversation[];
  readonly nameOf: NameOf;
  readonly current: string | null;
  readonly choose: (chat: string | null) => void;
  readonly query: string;
  readonly search: (query: string) => void;
  readonly more: (() => Promise<void>) | null;
}

export const ChatList = ({ conversations, nameOf, current, choose, query, search, more }: Props) => (
  <div className="conversations">
    <button type="button" className="new-chat" aria-pressed={current === null} onClick={() => choose(null)}>
      + {texts.chat.newChat}
    </button>
    <input
      type="search"
      className="search-chats"
      aria-label={words.search}
      placeholder={words.search}
      value={query}
      maxLength={100}
      onChange={(input) => search(input.target.value)}
    />
    {query !== '' && conversations.length === 0 && <p className="hint no-chats">{words.noMatch}</p>}
    <ul aria-label={texts.chat.chats}>
      {conversations.map((one) => (
        <li key={one.chat}>
          <button type="button" aria-pressed={one.chat === current} onClick={() => choose(one.chat)}>
            <span className="conversation-title">{one.title}</span>
            <Newest of={one} nameOf={nameOf} />
            {one.unread > 0 && (
              <span className="unread">
                {one.unread}
                <span className="visually-hidden"> {words.unread}</span>
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
    {more !== null && (
      <Action className="quiet" act={more}>
        {texts.more}
      </Action>
    )}
  </div>
);
