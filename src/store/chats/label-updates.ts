/** Events for changed labels, and for messages whose labels change (`label.updated`, `message.updated`). */
import { isDeepStrictEqual } from 'node:util';
import type { SessionChanges, Report } from '../../domain/changes.ts';
import { type Label, labelsIn, shownLabel } from '../../domain/chats/label.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Context } from '../base/context.ts';
import type { Unit } from '../base/unit.ts';
import type { Resolve } from '../messages/resolve.ts';
import { addressesIn, type Name } from '../sealing/names.ts';
import { allLabels, markReader } from './labels.ts';

interface MarkedMessage {
  readonly chat: Jid;
  readonly messageId: string;
}

const markedIn = ({ labelMarks = [] }: SessionChanges): readonly MarkedMessage[] => {
  const marked = new Map<string, MarkedMessage>();
  for (const { chat, messageId } of labelMarks)
    if (messageId !== null) marked.set(`${chat} ${messageId}`, { chat, messageId });
  return [...marked.values()];
};

const labelReports = (
  before: ReadonlyMap<string, Label>,
  after: ReadonlyMap<string, Label>,
  at: number,
): readonly Report[] => {
  const told = (label: Label, deleted: boolean): Report => ({
    event: { type: 'label.updated', data: { label, deleted } },
    at,
  });
  return [
    ...[...after.values()]
      .filter((label) => !isDeepStrictEqual(label, before.get(label.id)))
      .map((each) => told(each, false)),
    ...[...before.values()].filter(({ id }) => !after.has(id)).map((each) => told(each, true)),
  ];
};

/** Call it before a commit; run the returned unit after all writes. */
export const labelFollower = (context: Context, resolve: Resolve) => {
  const readAll = allLabels(context);
  const readMarks = markReader(context);

  function* labelsOf(deviceId: number): Unit<ReadonlyMap<string, Label>> {
    return new Map((yield* readAll(deviceId)).map((label) => [label.id, shownLabel(label)]));
  }

  function* ofMessages(
    deviceId: number,
    marked: readonly MarkedMessage[],
  ): Unit<ReadonlyMap<string, readonly [Name, readonly string[]]>> {
    const names = yield* resolve(
      deviceId,
      marked.map(({ chat }) => ({ jid: chat })),
    );
    const of = marked.map(({ messageId }, index) => ({
      chat: names[index]!.jid,
      chatLid: names[index]!.lid,
      id: messageId,
    }));
    const marks = yield* readMarks(deviceId, of);
    return new Map(
      of.map(({ chat, id }, index) => [`${chat} ${id}`, [names[index]!, labelsIn(marks[index]!)] as const] as const),
    );
  }

  return function* follow(deviceId: number, changes: SessionChanges): Unit<() => Unit<readonly Report[]>> {
    const isOfLabels = (changes.labels ?? changes.labelsReset) !== undefined;
    const marked = markedIn(changes);
    const before = isOfLabels ? yield* labelsOf(deviceId) : new Map<string, Label>();
    const beforeOf = yield* ofMessages(deviceId, marked);
    return function* updates() {
      const at = context.now();
      const reports = isOfLabels ? [...labelReports(before, yield* labelsOf(deviceId), at)] : [];
      for (const [key, [name, labels]] of yield* ofMessages(deviceId, marked)) {
        if (isDeepStrictEqual(labels, beforeOf.get(key)?.[1] ?? [])) continue;
        const { number, lid } = addressesIn(name);
        const messageId = key.slice(key.indexOf(' ') + 1);
        const data = { messageId, chat: name.jid, chatNumber: number, chatLid: lid, update: { labels } };
        reports.push({ event: { type: 'message.updated', data }, at });
      }
      return reports;
    };
  };
};
