/** Labels: created, changed and deleted, and put on chats and messages (docs/spec/labels.md). */
import type { LabelMutation } from '../../domain/app-state.ts';
import {
  customListType,
  isGiven,
  type KeptLabel,
  LabelIdTaken,
  type Label,
  labelsIn,
  labelTypeOf,
  lastLabelIn,
  lastLabelKey,
  type Labelled,
  shownLabel,
} from '../../domain/chats/label.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { makeWriteAppState, type WriteAppState } from '../sending/readiness.ts';
import { type Idempotency, SendOnce } from '../sending/send-once.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';

interface LabelFields {
  readonly name: string;
  readonly color: number;
}

type LabelPatch = { readonly [Name in keyof LabelFields]?: LabelFields[Name] | undefined };

/** How often another device may take the next id first. */
const maxTries = 5;
/** More than any account has. */
const maxSearched = 1_000;
const maxId = 999_999_999_999_999;

/** Custom and active, like other clients (whatsmeow-based ones set both, 2026). */
const newLabel = (id: number, fields: LabelFields): KeptLabel => ({
  id: String(id),
  ...fields,
  listType: customListType,
  predefinedId: null,
  orderIndex: null,
  isImmutable: false,
});

const sameLabel = (one: KeptLabel | null, other: KeptLabel): boolean =>
  one !== null && one.name === other.name && one.color === other.color;

/** Throws InvalidRequest for an unknown label, or one of the app's own. */
export const labelMutations = async (
  { stores: { labels } }: Pick<LiveParts, 'stores'>,
  deviceId: number,
  of: Labelled,
  wanted: readonly string[],
): Promise<readonly LabelMutation[]> => {
  const [marks = []] = await labels.marks(deviceId, [of]);
  const present = labelsIn(marks);
  const changed = [
    ...[...new Set(wanted)].filter((id) => !present.includes(id)).map((label) => ({ label, labeled: true })),
    ...present.filter((id) => !wanted.includes(id)).map((label) => ({ label, labeled: false })),
  ];
  const mutations: LabelMutation[] = [];
  for (const { label, labeled } of changed) {
    const known = await labels.find(deviceId, label);
    if (known === null) throw invalidRequest(`labels names ${label}, and the account has no such label`);
    if (!isGiven(known))
      throw invalidRequest(
        `labels: ${label} is a list that the app keeps by itself; only its owner’s phone changes it`,
      );
    const times = marks.filter((mark) => mark.label === label).map(({ at }) => at);
    const newestAt = times.length === 0 ? null : Math.max(...times);
    mutations.push({ kind: 'labelMark', chat: of.chat, messageId: of.id ?? null, label, labeled, newestAt });
  }
  return mutations;
};

/** One at a time, so that each gets its own id. */
const makeCreate = (parts: LiveParts, write: WriteAppState) => {
  const { labels, credentials } = parts.stores;
  const repeats = new SendOnce(parts);
  const nextId = async (deviceId: number): Promise<number> => {
    const { type, id } = lastLabelKey;
    const next = lastLabelIn((await credentials.readKeys(deviceId, type, [id])).get(id)) + 1;
    if (next > maxId) throw new HandsetError('Conflict', 'The account has no ids left for labels');
    return next;
  };

  const create = async (scope: DeviceScope, fields: LabelFields): Promise<Label> => {
    for (let tries = 1; ; tries += 1) {
      const label = newLabel(await nextId(scope.id), fields);
      try {
        await write(scope, [{ kind: 'label', label, isNew: true, deleted: false }]);
        return shownLabel(label);
      } catch (error) {
        if (!(error instanceof LabelIdTaken)) throw error;
        // Written before the connection was lost, and again after it.
        if (sameLabel(await labels.find(scope.id, label.id), label)) return shownLabel(label);
        if (tries === maxTries) throw error;
      }
    }
  };

  const making = new Map<number, Promise<unknown>>();

  const createInTurn = async (scope: DeviceScope, fields: LabelFields): Promise<Label> => {
    const before = making.get(scope.id);
    const made = (async () => {
      await before?.catch(() => undefined);
      return create(scope, fields);
    })();
    making.set(scope.id, made);
    try {
      return await made;
    } finally {
      if (making.get(scope.id) === made) making.delete(scope.id);
    }
  };

  /** Made by an earlier request with this key, whose answer was lost: labels do not say who made them. */
  const madeBefore = async (deviceId: number, { name, color }: LabelFields): Promise<Label | null> => {
    const { items } = await labels.list(deviceId, { limit: maxSearched, cursor: null });
    const alike = items.map(shownLabel).filter((label) => label.name === name && label.color === color);
    return alike.findLast(({ type }) => type === 'custom') ?? null;
  };

  return (scope: DeviceScope, fields: LabelFields, idempotency?: Idempotency): Promise<Label> =>
    repeats.make(scope.id, idempotency, async (_, since) => {
      const earlier = since === null ? null : await madeBefore(scope.id, fields);
      return earlier ?? createInTurn(scope, fields);
    });
};

/** All throw InvalidRequest, NotFound, Conflict, DeviceNotConnected, DeviceNotAuthenticated and RequestTimeout. */
export const makeLabels = (parts: LiveParts) => {
  const { labels } = parts.stores;
  const write = makeWriteAppState(parts);

  const changeable = async (deviceId: number, id: string): Promise<KeptLabel> => {
    const label = await labels.find(deviceId, id);
    if (label === null) throw notFound('Label');
    if (labelTypeOf(label) !== 'custom')
      throw invalidRequest(
        'This label is the app’s own: only labels that were made by the owner of the account can be changed or deleted',
      );
    return label;
  };

  return {
    create: makeCreate(parts, write),
    async change(scope: DeviceScope, id: string, { name, color }: LabelPatch): Promise<Label> {
      const before = await changeable(scope.id, id);
      const label = { ...before, name: name ?? before.name, color: color ?? before.color };
      await write(scope, [{ kind: 'label', label, isNew: false, deleted: false }]);
      return shownLabel(label);
    },
    async remove(scope: DeviceScope, id: string): Promise<void> {
      const label = await changeable(scope.id, id);
      await write(scope, [{ kind: 'label', label, isNew: false, deleted: true }]);
    },
    async setOfMessage(
      scope: DeviceScope,
      { id, chat, chatLid }: Pick<MessageRecord, 'id' | 'chat' | 'chatLid'>,
      wanted: readonly string[],
    ): Promise<void> {
      const mutations = await labelMutations(parts, scope.id, { chat, chatLid, id }, wanted);
      if (mutations.length > 0) await write(scope, mutations);
    },
  };
};

export type Labels = ReturnType<typeof makeLabels>;
