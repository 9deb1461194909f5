/** Words that opt a person out of further messages (docs/spec/users.md, Suppressions). */
import type { SessionChanges } from '../changes.ts';
import type { MessageRecord } from '../message.ts';
import { lettersOf } from '../messages/letters.ts';
import type { StopWord } from './suppressions.ts';

/** A stop word has at most 100 characters, plus punctuation. */
const maxLength = 1_000;

const stopWordOf = (message: MessageRecord, words: readonly string[], arrived: boolean): readonly StopWord[] => {
  const { id, chatNumber, chatLid, direction, isGroup, text, historic = false } = message;
  if (direction !== 'in' || isGroup || historic || (chatNumber ?? chatLid) === null) return [];
  if (text === null || text.length > maxLength) return [];
  const said = lettersOf(text);
  const word = said === '' ? undefined : words.find((each) => lettersOf(each) === said);
  return word === undefined ? [] : [{ messageId: id, arrived, number: chatNumber, lid: chatLid, word }];
};

/** Adds stop words of received messages to the same transaction. */
export const withStopWords = (changes: SessionChanges, words: readonly string[]): SessionChanges => {
  const { messages = [], messageChanges = [] } = changes;
  const found = [
    ...messages.flatMap((message) => stopWordOf(message, words, false)),
    ...messageChanges.flatMap(({ arrived }) => (arrived === undefined ? [] : stopWordOf(arrived, words, true))),
  ];
  return found.length === 0 ? changes : { ...changes, stopWords: found };
};
