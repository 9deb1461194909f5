/** What each person has done to a message (docs/spec/messages.md, Message log). The latest of each kind and person is kept. */
import type { EventResponse, Vote } from '../event.ts';
import type { Jid } from '../jid.ts';
import { type Person, type Poll, isSamePerson, namesOf } from './parts.ts';

export const receiptKinds = ['delivered', 'read', 'played'] as const;

export type ReceiptKind = (typeof receiptKinds)[number];

export type Deed =
  | { readonly kind: ReceiptKind }
  | { readonly kind: 'reaction'; readonly reaction: string | null }
  | { readonly kind: 'vote'; readonly votes: readonly Vote[] }
  | { readonly kind: 'star'; readonly starred: boolean }
  | { readonly kind: 'response'; readonly response: EventResponse; readonly guests: number };

export type AnnotationKind = Deed['kind'];

export interface Annotation {
  readonly messageId: string;
  readonly chat: Jid;
  /** The chat's other address, under which the message may be stored. */
  readonly chatLid: Jid | null;
  readonly from: Person;
  readonly at: number;
  readonly deed: Deed;
}

export const shownKinds: readonly AnnotationKind[] = ['reaction', 'star'];

export type Kept = Pick<Annotation, 'from' | 'at' | 'deed'>;

const newestOfEach = (all: readonly Kept[]): readonly Kept[] => {
  const newest: Kept[] = [];
  const known = new Set<string>();
  for (const each of all.toSorted((a, b) => b.at - a.at)) {
    const names = namesOf(each.from);
    if (names.some((name) => known.has(name))) continue;
    newest.push(each);
    for (const name of names) known.add(name);
  }
  return newest.toReversed();
};

export interface Reaction {
  readonly from: Person;
  readonly reaction: string;
  readonly at: number;
}

export const reactionsIn = (all: readonly Kept[]): readonly Reaction[] =>
  newestOfEach(all.filter(({ deed }) => deed.kind === 'reaction')).flatMap(({ from, at, deed }) =>
    deed.kind === 'reaction' && deed.reaction !== null ? [{ from, reaction: deed.reaction, at }] : [],
  );

export const isStarred = (all: readonly Kept[]): boolean =>
  newestOfEach(all.filter(({ deed }) => deed.kind === 'star')).some(({ deed }) => deed.kind === 'star' && deed.starred);

export interface PersonReceipt {
  readonly person: Person;
  readonly deliveredAt: number | null;
  readonly readAt: number | null;
  readonly playedAt: number | null;
}

const timeColumns = { delivered: 'deliveredAt', read: 'readAt', played: 'playedAt' } as const;

export const receiptsIn = (all: readonly Kept[]): readonly PersonReceipt[] => {
  const receipts: { -readonly [K in keyof PersonReceipt]: PersonReceipt[K] }[] = [];
  for (const { from: person, at, deed } of all.toSorted((a, b) => a.at - b.at)) {
    if (deed.kind !== 'delivered' && deed.kind !== 'read' && deed.kind !== 'played') continue;
    let receipt = receipts.find((each) => isSamePerson(each.person, person));
    if (receipt === undefined) receipts.push((receipt = { person, deliveredAt: null, readAt: null, playedAt: null }));
    receipt[timeColumns[deed.kind]] ??= at;
  }
  return receipts;
};

export interface Tally extends Pick<Poll, 'question' | 'maxAnswers'> {
  readonly options: readonly { readonly option: string; readonly votes: number; readonly voters: readonly Person[] }[];
  readonly voters: number;
}

export const tallyOf = ({ question, options, maxAnswers }: Poll, all: readonly Kept[]): Tally => {
  const ballots = newestOfEach(all.filter(({ deed }) => deed.kind === 'vote')).flatMap(({ from, deed }) =>
    deed.kind === 'vote' && deed.votes.length > 0 ? [{ from, chosen: deed.votes.map(({ option }) => option) }] : [],
  );
  return {
    question,
    maxAnswers,
    options: options.map((option) => {
      const voters = ballots.filter(({ chosen }) => chosen.includes(option)).map(({ from }) => from);
      return { option, votes: voters.length, voters };
    }),
    voters: ballots.length,
  };
};
