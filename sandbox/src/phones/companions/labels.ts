/** The labels of a phone ("Lists" on personal accounts) in its app state: changes by the phone, by its owner and by companions. */
import { proto } from 'baileys';
import { badRequest, notFound } from '../../base/errors.ts';

const { ListType } = proto.SyncActionValue.LabelEditAction;

export const labelTypes = {
  unread: ListType.UNREAD,
  groups: ListType.GROUPS,
  favorites: ListType.FAVORITES,
  predefined: ListType.PREDEFINED,
  custom: ListType.CUSTOM,
} as const;

export interface PhoneLabel {
  readonly id: string;
  readonly name: string;
  readonly color: number;
  /** Null if its writer gave none. */
  readonly type: string | null;
}

type Kind = 'label_edit' | 'label_jid' | 'label_message';
export type LabelIndex = readonly [Kind, ...string[]];

interface Entries {
  set(index: LabelIndex, value: proto.ISyncActionValue): void;
  all(kind: Kind): readonly (readonly [readonly string[], proto.ISyncActionValue])[];
}

const typeOf = (type: number | null | undefined): string | null =>
  Object.entries(labelTypes).find(([, number]) => number === type)?.[0] ?? null;

export class PhoneLabels {
  readonly #entries: Entries;

  constructor(entries: Entries) {
    this.#entries = entries;
  }

  get all(): readonly PhoneLabel[] {
    return this.#edits()
      .filter(([, edit]) => edit.deleted !== true)
      .map(([id, { name, color, type }]) => ({ id, name: name ?? '', color: color ?? 0, type: typeOf(type) }));
  }

  get messages(): ReadonlySet<string> {
    return new Set(this.#entries.all('label_message').map(([[, , , id = '']]) => id));
  }

  create(name: string, color: number, type: keyof typeof labelTypes): string {
    const highest = this.#edits().reduce((most, [id]) => Math.max(most, Number(id) || 0), 0);
    const id = String(highest + 1);
    const labelEditAction = { name, color, deleted: false, type: labelTypes[type], isActive: true };
    this.#entries.set(['label_edit', id], { labelEditAction });
    return id;
  }

  change(id: string, change: { readonly name?: string; readonly color?: number; readonly deleted?: true }): void {
    this.#entries.set(['label_edit', id], { labelEditAction: { ...this.#edit(id), ...change } });
  }

  /** Of a chat, or of a message in it, under all addresses of the person. */
  of(addresses: readonly string[], messageId?: string): readonly string[] {
    const newest = new Map<string, { readonly at: number; readonly labeled: boolean }>();
    const kind = messageId === undefined ? 'label_jid' : 'label_message';
    for (const [[, id = '', chat = '', message], { labelAssociationAction: mark, timestamp }] of this.#entries.all(
      kind,
    )) {
      if (!addresses.includes(chat) || message !== messageId) continue;
      const at = Number(timestamp ?? 0);
      if ((newest.get(id)?.at ?? -1) < at) newest.set(id, { at, labeled: mark?.labeled === true });
    }
    const known = new Set(this.all.map(({ id }) => id));
    return [...newest]
      .filter(([id, { labeled }]) => labeled && known.has(id))
      .map(([id]) => id)
      .sort();
  }

  set(addresses: readonly string[], wanted: readonly string[], messageId?: string): void {
    const [chat = ''] = addresses;
    for (const id of wanted) this.#edit(id);
    const present = this.of(addresses, messageId);
    const rest = messageId === undefined ? [chat] : [chat, messageId, '0', '0'];
    const mark = (id: string, labeled: boolean): void =>
      this.#entries.set([messageId === undefined ? 'label_jid' : 'label_message', id, ...rest], {
        labelAssociationAction: { labeled },
      });
    for (const id of wanted) if (!present.includes(id)) mark(id, true);
    for (const id of present) if (!wanted.includes(id)) mark(id, false);
  }

  #edits(): readonly (readonly [string, proto.SyncActionValue.ILabelEditAction])[] {
    return this.#entries.all('label_edit').map(([[, id = ''], { labelEditAction }]) => [id, labelEditAction ?? {}]);
  }

  #edit(id: string): proto.SyncActionValue.ILabelEditAction {
    const edit = this.#edits().find(([known]) => known === id)?.[1];
    if (edit === undefined || edit.deleted === true) throw notFound(`there is no label ${id} on this phone`);
    return edit;
  }
}

/** The owner changes only custom labels, as in the app. */
export const assertCustom = (labels: PhoneLabels, id: string): void => {
  const label = labels.all.find((each) => each.id === id);
  if (label === undefined) throw notFound(`there is no label ${id} on this phone`);
  if (label.type !== null && label.type !== 'custom') throw badRequest(`label ${id} is the app's own`);
};
