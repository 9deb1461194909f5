/** Events in one line each: whose chat they are about, and what they say. */
import { isRecord, messageIn } from '../../account/apply-to-messages.ts';
import type { HandsetEvent } from '../../api/types.ts';
import { texts } from '../../base/texts.ts';
import { type NameOf, namesIn } from '../shown/people.ts';
import { summaryOf } from './summary.ts';

type Data = Readonly<Record<string, unknown>>;

const textAt = (data: Data, ...names: readonly string[]): string | null => {
  const name = names.find((one) => typeof data[one] === 'string');
  return name === undefined ? null : String(data[name]);
};

/** The chat or group of a message or an event, or who calls; the account itself for a connection. */
const chatIn = (data: Data, nameOf: NameOf): string | null => {
  const jid = textAt(data, 'chat', 'group', 'from', 'jid');
  if (jid === null) return null;
  if (jid.endsWith('@g.us')) return `${texts.chat.group} ${jid.split('@')[0]}`;
  const number = textAt(data, 'chatNumber', 'fromNumber', 'phoneNumber');
  return nameOf({ jid, number, lid: textAt(data, 'chatLid', 'fromLid'), username: textAt(data, 'fromUsername') });
};

const states: Readonly<Record<string, string>> = texts.chat.state;

/** Texts, reactions and receipts of an update; otherwise why or how something happened. */
const detailIn = ({ update, ...data }: Data): string | null => {
  const detail = textAt(isRecord(update) ? update : data, 'text', 'reaction', 'reason', 'status', 'state', 'name');
  return detail !== null && Object.hasOwn(states, detail) ? states[detail]! : detail;
};

const maxLength = 200;

/** Null for an event that is about neither a chat nor a detail. `events` tell the names. */
export const linesOf = (events: Iterable<HandsetEvent>): ((event: HandsetEvent) => string | null) => {
  const nameOf = namesIn(
    [...events].map(messageIn).filter((message) => message !== null),
    null,
    [],
  );
  return (event) => {
    const message = messageIn(event);
    const detail = message === null ? detailIn(event.data) : summaryOf(message, nameOf);
    const line = [chatIn({ ...event.data, ...message }, nameOf), detail].filter(Boolean).join(' · ');
    return line === '' ? null : line.slice(0, maxLength);
  };
};
