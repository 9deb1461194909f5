/** The message being written, and how it is handed to the outbox. */
import { useEffect, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import { useLatest } from '../../api/hooks.ts';
import { ApiError, messageOf } from '../../api/client.ts';
import type { Device } from '../../api/types.ts';
import { addressOf, type Entry, type NewEntry, type Recipient, recipientOf } from '../../outbox/entry.ts';
import { texts } from '../../base/texts.ts';
import { pathOf } from '../actions/use-change.ts';
import type { Conversation } from '../shown/conversations.ts';
import type { Subject } from '../shown/shown.ts';
import { type Mentions, useMentions } from './mentions.ts';
import { entryOf, type FileKind, hasCaption, kindOf, kindsOf, problemWith } from './kinds.ts';

const words = texts.compose;
const maxFiles = 10;

export interface Attachment {
  readonly id: number;
  readonly file: File;
  readonly kind: FileKind;
}

export interface DraftProps {
  readonly device: Device;
  readonly conversation: Conversation | null;
  /** Chooses the conversation by its JID or number; null for a new one. */
  readonly choose: (chat: string | null) => void;
  /** The message that is answered or edited. */
  readonly subject: Subject | null;
  readonly leaveSubject: () => void;
  /** A refused message that is to be written again. */
  readonly corrected: Entry | null;
}

/** The general place is above the message field, also for fields that are not shown. */
export interface Problem {
  readonly field: string | null;
  readonly text: string;
}

type Fail = (problem: Problem | null) => void;

/** A message without its recipient. */
export type Content = Pick<NewEntry, 'path' | 'type' | 'text' | 'body'>;

const useAttachments = (fail: Fail) => {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  /** `as`: overrides the usual kind. */
  const take = (files: Iterable<File>, as?: FileKind): void => {
    const given = [...files];
    if (given.length === 0) return;
    const good = given.filter((file) => problemWith(file) === null);
    const problem = given.map(problemWith).find((one) => one !== null) ?? null;
    const added = good.flatMap((file): readonly Attachment[] => {
      const [usual] = kindsOf(file);
      const kind = as ?? usual;
      return kind === undefined ? [] : [{ id: Math.random(), file, kind }];
    });
    const all = [...attachments, ...added];
    const text = all.length > maxFiles ? words.tooMany(maxFiles) : problem;
    fail(text === null ? null : { field: 'file', text });
    setAttachments(all.slice(0, maxFiles));
  };
  const change = (id: number, kind: FileKind): void =>
    setAttachments((old) => old.map((one) => (one.id === id ? { ...one, kind } : one)));
  const remove = (id: number): void => setAttachments((old) => old.filter((one) => one.id !== id));
  return { attachments, take, change, remove, clear: () => setAttachments([]) };
};

interface Parcel {
  readonly content: Content;
  readonly file: File | null;
}

const textParcel = (text: string, named: object): Parcel => ({
  content: { path: 'text', type: 'text', text, body: { message: text, ...named } },
  file: null,
});

/** Several files become several messages; the first that can have one gets the text as its caption. */
const parcelsOf = (given: string, attachments: readonly Attachment[], names: Mentions): readonly Parcel[] => {
  const { text, mentions } = names.written(given);
  const named = mentions.length === 0 ? {} : { mentions };
  if (attachments.length === 0) return [textParcel(text, named)];
  const captioned = attachments.find(({ kind }) => hasCaption(kind));
  const parcels = attachments.map((one) => {
    if (one !== captioned) return { content: entryOf(one.kind, one.file, ''), file: one.file };
    const content = entryOf(one.kind, one.file, text);
    return { content: { ...content, body: { ...content.body, ...named } }, file: one.file };
  });
  return captioned === undefined && text !== '' ? [...parcels, textParcel(text, named)] : parcels;
};

/** The recipient, typed or of the conversation, and the way into the outbox. */
const useHandOver = ({ device, conversation, choose, subject, leaveSubject }: DraftProps) => {
  const { outbox } = useAccount();
  const [to, setTo] = useState('');
  const recipient = (): Recipient | null => {
    if (conversation === null) return to.trim() === '' ? null : recipientOf(to);
    return conversation.chat.includes('@') ? { to: conversation.chat } : { toNumber: conversation.chat };
  };
  /** The first one is the reply to the quoted message. False without a recipient. */
  const hand = (parcels: readonly Parcel[]): boolean => {
    const target = recipient();
    if (target === null) return false;
    parcels.forEach(({ content, file }, index) => {
      const quoted = index === 0 && subject !== null ? { quotedMessageId: subject.message.id } : {};
      const body = { ...content.body, ...quoted };
      outbox.add({ ...content, body, deviceId: device.id, recipient: target }, file);
    });
    setTo('');
    leaveSubject();
    choose(addressOf(target));
    return true;
  };
  return { to, setTo, hand };
};

/** The text of an edit; the text of the draft stays beside it. */
const useEdit = ({ device, subject, leaveSubject }: DraftProps, fail: Fail) => {
  const { client } = useAccount();
  const edited = subject?.kind === 'edit' ? subject.message : null;
  const [text, setText] = useState('');
  const [begun, begin] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const id = edited?.id ?? null;
  if (id !== begun) {
    begin(id);
    setText(edited?.text ?? '');
  }
  const save = async (): Promise<void> => {
    if (edited === null || busy || text.trim() === '') return;
    setBusy(true);
    fail(null);
    try {
      await client.put(pathOf(device.id, edited), { message: text });
      leaveSubject();
    } catch (failure) {
      fail({ field: failure instanceof ApiError ? failure.field : null, text: messageOf(failure) });
    } finally {
      setBusy(false);
    }
  };
  return { isEdit: edited !== null, text, setText, busy, save };
};

/** Puts a refused message back into the form, with what is wrong with it. */
const useCorrection = (corrected: Entry | null, show: (entry: Entry, file: File | undefined) => void): void => {
  const { outbox } = useAccount();
  const start = useLatest(show);
  useEffect(() => {
    if (corrected === null) return;
    const load = async (): Promise<void> => {
      const file = corrected.file === null ? undefined : await outbox.file(corrected);
      outbox.drop(corrected.key);
      start(corrected, file);
    };
    void load();
  }, [corrected, outbox, start]);
};

export const useDraft = (props: DraftProps) => {
  const [text, setText] = useState('');
  const [problem, fail] = useState<Problem | null>(null);
  const files = useAttachments(fail);
  const mentions = useMentions();
  const { to, setTo, hand } = useHandOver(props);
  const edit = useEdit(props, fail);
  useCorrection(props.corrected, (entry, file) => {
    const { text: written, recipient, error, field = null } = entry;
    setText(written ?? '');
    if (file !== undefined) files.take([file], kindOf(entry));
    fail({ field, text: error ?? '' });
    if (field !== 'to') return;
    setTo(addressOf(recipient));
    props.choose(null);
  });
  const handAll = (parcels: readonly Parcel[]): boolean => {
    const handed = hand(parcels);
    fail(handed ? null : { field: 'to', text: words.needsTo });
    return handed;
  };
  const send = (): void => {
    if (edit.isEdit) return void edit.save();
    const written = text.trim() === '' ? '' : text;
    if (written === '' && files.attachments.length === 0) return;
    if (!handAll(parcelsOf(written, files.attachments, mentions))) return;
    setText('');
    mentions.clear();
    files.clear();
  };
  return {
    ...files,
    ...(edit.isEdit ? { text: edit.text, setText: edit.setText } : { text, setText }),
    isEdit: edit.isEdit,
    busy: edit.busy,
    fail,
    mention: mentions.add,
    to,
    setTo,
    problem,
    send,
    /** For content of dialogs; false without a recipient. */
    sendContent: (content: Content, file: File | null = null): boolean => handAll([{ content, file }]),
  };
};

export type Draft = ReturnType<typeof useDraft>;
