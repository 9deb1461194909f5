/** Words with which people say that they are not to be written to any more (docs/spec/users.md, Suppressions). */
import type { SessionChanges } from '../changes.ts';
import type { MessageRecord } from '../message.ts';
import type { StopWord } from './suppressions.ts';

/** Case, accents and outer blanks make no difference. */
const folded = (text: string): string => text.trim().toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').trim();

const stopWordOf = (message: MessageRecord, words: readonly string[], arrived: boolean): readonly StopWord[] => {
  const { id, chatNumber, chatLid, direction, isGroup, text, historic = false } = message;
  if (direction !== 'in' || isGroup || historic || text === null || (chatNumber ?? chatLid) === null) return [];
  const said = folded(text);
  const word = words.find((each) => folded(each) === said);
  return word === undefined ? [] : [{ messageId: id, arrived, number: chatNumber, lid: chatLid, word }];
};

/** The changes with what received messages say by stop words: written in one transaction with them. */
export const withStopWords = (changes: SessionChanges, words: readonly string[]): SessionChanges => {
  const { messages = [], messageChanges = [] } = changes;
  const found = [
    ...messages.flatMap((message) => stopWordOf(message, words, false)),
    ...messageChanges.flatMap(({ arrived }) => (arrived === undefined ? [] : stopWordOf(arrived, words, true))),
  ];
  return found.length === 0 ? changes : { ...changes, stopWords: found };
};
