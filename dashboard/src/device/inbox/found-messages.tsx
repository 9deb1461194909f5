/** The messages of all chats that a search finds. */
import { useAccount } from '../../account/account.tsx';
import { ApiError } from '../../api/client.ts';
import type { Answer } from '../../api/schemas.ts';
import type { Message } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import { shortTime } from '../../base/format.ts';
import { type Loaded, useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { Action } from '../../ui/parts.tsx';
import type { NameOf } from '../shown/people.ts';
import { summaryOf } from '../message/summary.ts';

const words = texts.inbox.found;

const pageSize = 20;
/** A single letter is in nearly every message. */
const fewest = 2;
const before = 24;

type Page = Answer<'listMessages'>;

/** The parameter with which the search goes on; null when everything has been searched. */
const parameterOf = ({ nextCursor, searchedSince }: Page): string | null => {
  if (nextCursor !== null) return `cursor=${encodeURIComponent(nextCursor)}`;
  return searchedSince === null ? null : `until=${encodeURIComponent(searchedSince)}`;
};

/** The operator can turn the search off. */
const isOff = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 400 && error.message.includes('HANDSET_SEARCH=off');

const useFound = (device: Device, query: string) => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/messages?limit=${pageSize}&q=${encodeURIComponent(query)}`;
  const page = useLoad<Page | 'off'>(
    async () => {
      try {
        return await client.get<Page>(path);
      } catch (error) {
        if (isOff(error)) return 'off';
        throw error;
      }
    },
    query.length < fewest ? null : path,
  );
  const more = async (from: string): Promise<void> => {
    const next = await client.get<Page>(`${path}&${from}`);
    page.change((old) =>
      old !== 'off' && parameterOf(old) === from ? { ...next, messages: [...old.messages, ...next.messages] } : old,
    );
  };
  return { page, more };
};

/** The summary, starting a little before the first match. */
const excerptOf = (summary: string, query: string): string => {
  const [word = ''] = query.toLowerCase().split(/\s+/);
  const at = summary.toLowerCase().indexOf(word);
  return at <= before ? summary : `…${summary.slice(at - before)}`;
};

interface Props {
  readonly device: Device;
  readonly query: string;
  readonly nameOf: NameOf;
  /** The title of the chat of a message. */
  readonly titleOf: (message: Message) => string;
  readonly open: (message: Message) => void;
}

const Status = ({ page }: { readonly page: Loaded<Page | 'off'> }) => {
  const { value, error } = page;
  const nothing = value !== null && value !== 'off' && value.messages.length === 0;
  return (
    <p className="hint no-chats" role="status">
      {error}
      {value === null && error === null && texts.loading}
      {value === 'off' && words.off}
      {nothing && (value.searchedSince === null ? words.none : words.noneSince(shortTime(value.searchedSince)))}
    </p>
  );
};

export const FoundMessages = ({ device, query, nameOf, titleOf, open }: Props) => {
  const { page, more } = useFound(device, query);
  if (query.length < fewest) return null;
  const found = page.value === 'off' ? null : page.value;
  const messages = found?.messages ?? [];
  const next = found === null ? null : parameterOf(found);
  return (
    <>
      <h2 className="found-title">{words.title}</h2>
      <Status page={page} />
      <ul aria-label={words.title}>
        {messages.map((message) => (
          <li key={`${message.chat} ${message.id}`}>
            <button type="button" onClick={() => open(message)}>
              <span className="conversation-title">{titleOf(message)}</span>
              <time dateTime={message.timestamp}>{shortTime(message.timestamp)}</time>
              <span className="conversation-text">{excerptOf(summaryOf(message, nameOf), query)}</span>
            </button>
          </li>
        ))}
      </ul>
      {next !== null && (
        <Action className="quiet" act={() => more(next)}>
          {words.more}
        </Action>
      )}
    </>
  );
};
