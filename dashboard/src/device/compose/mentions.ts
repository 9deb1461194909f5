/** Mentions of members in what is written: by name in the field, by their digits in the message. */
import { useState } from 'react';
import type { Person } from '../../api/message.ts';

export interface Mentioned {
  readonly name: string;
  /** Null: everybody in the group. */
  readonly person: Person | null;
}

/** As the apps write it in every language. */
export const everybody: Mentioned = { name: 'all', person: null };

/** The name being typed before the caret; null for none. */
export const typedMention = (text: string, caret: number): string | null =>
  /(?:^|\s)@([^\s@]{0,30})$/u.exec(text.slice(0, caret))?.[1] ?? null;

const userOf = (jid: string): string => jid.split('@')[0]?.split(':')[0] ?? jid;

export interface Written {
  readonly text: string;
  /** Numbers and JIDs, as the service takes them. */
  readonly mentions: readonly string[];
  readonly mentionAll: boolean;
}

/** Replaces the names by digits, longer names first. */
const written = (text: string, chosen: readonly Mentioned[]): Written => {
  const mentions: string[] = [];
  let replaced = text;
  let mentionAll = false;
  for (const { name, person } of chosen.toSorted((one, other) => other.name.length - one.name.length)) {
    if (!replaced.includes(`@${name}`)) continue;
    if (person === null) {
      mentionAll = true;
      continue;
    }
    replaced = replaced.replaceAll(`@${name}`, `@${person.number ?? userOf(person.jid)}`);
    mentions.push(person.number ?? person.jid);
  }
  return { text: replaced, mentions, mentionAll };
};

export const useMentions = () => {
  const [chosen, setChosen] = useState<readonly Mentioned[]>([]);
  return {
    add: (mentioned: Mentioned): void =>
      setChosen((old) => [...old.filter(({ name }) => name !== mentioned.name), mentioned]),
    clear: (): void => setChosen([]),
    written: (text: string): Written => written(text, chosen),
  };
};

export type Mentions = ReturnType<typeof useMentions>;
