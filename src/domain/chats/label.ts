/** Labels of chats and messages, which personal accounts show as lists (docs/spec/labels.md). */
import { HandsetError } from '../../errors.ts';
import type { Jid } from '../jid.ts';

/** `custom`: made by the owner. The others are the app's own; of them only `predefined` ones are put on chats by hand. */
export const labelTypes = ['custom', 'predefined', 'unread', 'groups', 'favorites', 'community', 'other'] as const;

export type LabelType = (typeof labelTypes)[number];

export const maxLabelName = 100;
/** From 0 (Baileys `LabelColor`, 7.0.0-rc14). */
export const maxLabelColor = 19;
export const maxLabelsOf = 50;

/** As the apps store it: a change leaves the other members unchanged. */
export interface KeptLabel {
  /** Chosen by the creating device: decimal, one more than the highest id ever seen. */
  readonly id: string;
  readonly name: string;
  readonly color: number | null;
  readonly listType: number | null;
  readonly predefinedId: number | null;
  readonly orderIndex: number | null;
  readonly isImmutable: boolean;
}

export interface Label extends Pick<KeptLabel, 'id' | 'name' | 'color'> {
  readonly type: LabelType;
}

/** `LabelEditAction.ListType` (whatsmeow waSyncAction, 2026-11-23). */
const listTypes: Readonly<Record<number, LabelType>> = {
  0: 'custom',
  1: 'unread',
  2: 'groups',
  3: 'favorites',
  4: 'predefined',
  5: 'custom',
  6: 'community',
};

export const customListType = 5;

export const labelTypeOf = ({ listType, isImmutable }: KeptLabel): LabelType => {
  const type = listTypes[listType ?? 0] ?? 'other';
  return type === 'custom' && isImmutable ? 'other' : type;
};

export const shownLabel = (label: KeptLabel): Label => {
  const { id, name, color } = label;
  return { id, name, color, type: labelTypeOf(label) };
};

export const isGiven = (label: KeptLabel): boolean => ['custom', 'predefined'].includes(labelTypeOf(label));

export interface LabelChange {
  readonly id: string;
  readonly label: KeptLabel | null;
}

export interface LabelMark {
  /** Either address of a person, or a group, as the writer named it: each has its own entry, and the newest counts. */
  readonly chat: Jid;
  /** Null: the chat itself. */
  readonly messageId: string | null;
  readonly label: string;
  readonly labeled: boolean;
  readonly at: number;
}

export type Mark = Pick<LabelMark, 'label' | 'labeled' | 'at'>;

export const labelsIn = (marks: readonly Mark[]): readonly string[] => {
  const newest = new Map<string, Mark>();
  for (const mark of marks) if ((newest.get(mark.label)?.at ?? -1) < mark.at) newest.set(mark.label, mark);
  const labels = [...newest.values()].filter(({ labeled }) => labeled).map(({ label }) => label);
  return labels.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
};

export interface LabelEvent {
  readonly type: 'label.updated';
  readonly data: {
    /** As it is now, or was when it was deleted. */
    readonly label: Label;
    readonly deleted: boolean;
  };
}

/** Key of the highest label id ever seen, in decimal. */
export const lastLabelKey = { type: 'label-id', id: 'last' } as const;

export const lastLabelIn = (value: Uint8Array | undefined): number =>
  value === undefined ? 0 : Number(new TextDecoder().decode(value));

export class LabelIdTaken extends HandsetError {
  constructor() {
    super('Conflict', 'Another device of the account is making labels; try again');
  }
}

export interface Labelled {
  readonly chat: Jid;
  readonly chatLid: Jid | null;
  readonly id?: string;
}

/** Written through `SessionChanges`: `labels`, `labelMarks`. */
export interface LabelStore {
  find(deviceId: number, id: string): Promise<KeptLabel | null>;
  /** In order of creation. */
  list(
    deviceId: number,
    page: { readonly limit: number; readonly cursor: string | null },
  ): Promise<{ readonly items: readonly KeptLabel[]; readonly nextCursor: string | null }>;
  /** Marks of existing labels for each of these messages, or chats if `id` is absent. */
  marks(deviceId: number, of: readonly Labelled[]): Promise<readonly (readonly Mark[])[]>;
}
