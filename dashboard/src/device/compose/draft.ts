/** The message being written, and how it is handed to the outbox. */
import { useEffect, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import { useLatest } from '../../api/hooks.ts';
import { ApiError, messageOf } from '../../api/client.ts';
import type { Device } from '../../api/types.ts';
import {
  addressOf,
  type Entry,
  maxBase64Bytes,
  type NewEntry,
  type Recipient,
  recipientOf,
} from '../../outbox/entry.ts';
import { randomId } from '../../outbox/outbox.ts';
import { post } from '../../outbox/post.ts';
import { FieldError } from '../../ui/form.ts';
import { texts } from '../../base/texts.ts';
import { pathOf } from '../actions/use-change.ts';
import { findRecipient } from '../shown/contacts.tsx';
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
  /** To be opened once, where its kind can be. */
  readonly isOnce: boolean;
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
  const take = (files: Iterable<File>, as?: FileKind, isOnce = false): void => {
    const given = [...files];
    if (given.length === 0) return;
    const good = given.filter((file) => problemWith(file) === null);
    const problem = given.map(problemWith).find((one) => one !== null) ?? null;
    const added = good.flatMap((file): readonly Attachment[] => {
      const [usual] = kindsOf(file);
      const kind = as ?? usual;
      return kind === undefined ? [] : [{ id: Math.random(), file, kind, isOnce }];
    });
    const all = [...attachments, ...added];
    const text = all.length > maxFiles ? words.tooMany(maxFiles) : problem;
    fail(text === null ? null : { field: 'file', text });
    setAttachments(all.slice(0, maxFiles));
  };
  const change = (id: number, changed: Partial<Pick<Attachment, 'kind' | 'isOnce'>>): void =>
    setAttachments((old) => old.map((one) => (one.id === id ? { ...one, ...changed } : one)));
  const remove = (id: number): void => setAttachments((old) => old.filter((one) => one.id !== id));
  return { attachments, take, change, remove, clear: () => setAttachments([]) };
};

interface Parcel {
  readonly content: Content;
  readonly file: File | null;
  /** Those of an album. */
  readonly files?: readonly File[];
}

/** Images and videos that can be sent together; none if there are fewer than two. */
export const albumIn = (attachments: readonly Attachment[]): readonly Attachment[] => {
  const those = attachments.filter(({ kind, isOnce }) => (kind === 'image' || kind === 'video') && !isOnce);
  return those.length < 2 ? [] : those;
};

const textParcel = (text: string, named: object): Parcel => ({
  content: { path: 'text', type: 'text', text, body: { message: text, ...named } },
  file: null,
});

const albumParcel = (text: string, attachments: readonly Attachment[]): Parcel => ({
  content: {
    path: 'album',
    type: 'album',
    text: text === '' ? null : text,
    body: text === '' ? {} : { mediaCaption: text },
  },
  file: null,
  files: attachments.map(({ file }) => file),
});

/** Several files become several messages; the first that can have one gets the text as its caption. With an album, that does. */
const parcelsOf = (
  given: string,
  attachments: readonly Attachment[],
  names: Mentions,
  asAlbum: boolean,
): readonly Parcel[] => {
  const album = asAlbum ? albumIn(attachments) : [];
  if (album.length > 0) {
    const others = attachments.filter((one) => !album.includes(one));
    const { text } = names.written(given);
    return [albumParcel(text, album), ...others.map((one) => ({ content: entryOf(one, ''), file: one.file }))];
  }
  const { text, mentions, mentionAll } = names.written(given);
  const named = { ...(mentions.length > 0 && { mentions }), ...(mentionAll && { mentionAll }) };
  if (attachments.length === 0) return [textParcel(text, named)];
  const captioned = attachments.find(({ kind }) => hasCaption(kind));
  const parcels = attachments.map((one) => {
    if (one !== captioned) return { content: entryOf(one, ''), file: one.file };
    const content = entryOf(one, text);
    return { content: { ...content, body: { ...content.body, ...named } }, file: one.file };
  });
  return captioned === undefined && text !== '' ? [...parcels, textParcel(text, named)] : parcels;
};

/** The recipient, typed or of the conversation, and the way into the outbox. */
const useHandOver = ({ device, conversation, choose, subject, leaveSubject }: DraftProps) => {
  const { client, outbox } = useAccount();
  const [to, setTo] = useState('');
  const recipient = async (): Promise<Recipient> =>
    conversation === null ? findRecipient(client, device, to) : recipientOf(conversation.chat);
  /** The first one is the reply to the quoted message. Throws FieldError without a recipient. */
  const hand = async (parcels: readonly Parcel[]): Promise<void> => {
    const target = await recipient();
    parcels.forEach(({ content, file, files }, index) => {
      const quoted = index === 0 && subject !== null ? { quotedMessageId: subject.message.id } : {};
      const body = { ...content.body, ...quoted };
      outbox.add({ ...content, body, deviceId: device.id, recipient: target }, file, files);
    });
    setTo('');
    leaveSubject();
    choose(addressOf(target));
  };
  /** Kept by the service until their time. Throws ApiError, and FieldError for a file that only the outbox can send. */
  const handAt = async (sendAt: string, parcels: readonly Parcel[]): Promise<void> => {
    if (parcels.some(({ file }) => file !== null && file.size > maxBase64Bytes))
      throw new FieldError('file', words.schedule.large);
    const target = await recipient();
    for (const [index, { content, file }] of parcels.entries()) {
      const quoted = index === 0 && subject !== null ? { quotedMessageId: subject.message.id } : {};
      const body = { ...content.body, ...quoted, sendAt };
      const entry = {
        path: content.path,
        body,
        deviceId: device.id,
        recipient: target,
        key: `dashboard-${randomId()}`,
      };
      await post(client, entry, file ?? undefined, new AbortController().signal);
    }
    leaveSubject();
  };
  return { to, setTo, hand, handAt };
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

const useSchedule = (hand: (sendAt: string) => Promise<void>) => {
  const [scheduled, setScheduled] = useState(0);
  const schedule = async (sendAt: string): Promise<void> => {
    await hand(sendAt);
    setScheduled((count) => count + 1);
  };
  return {
    /** Throws what is wrong. */
    schedule,
    /** How many messages were scheduled here. */
    scheduled,
  };
};

export const useDraft = (props: DraftProps) => {
  const [text, setText] = useState('');
  const [problem, fail] = useState<Problem | null>(null);
  const files = useAttachments(fail);
  const mentions = useMentions();
  const { to, setTo, hand, handAt } = useHandOver(props);
  const edit = useEdit(props, fail);
  useCorrection(props.corrected, (entry, file) => {
    const { text: written, recipient, error, field = null } = entry;
    setText(written ?? '');
    if (file !== undefined) files.take([file], kindOf(entry), 'viewOnce' in entry.body);
    fail({ field, text: error ?? '' });
    if (field !== 'to') return;
    setTo(addressOf(recipient));
    props.choose(null);
  });
  const written = text.trim() === '' ? '' : text;
  const [busy, setBusy] = useState(false);
  const [asAlbum, setAlbum] = useState(false);
  const clear = (): void => {
    fail(null);
    setAlbum(false);
    setText('');
    mentions.clear();
    files.clear();
  };
  const send = async (): Promise<void> => {
    if (edit.isEdit) return edit.save();
    if (busy || (written === '' && files.attachments.length === 0)) return;
    setBusy(true);
    try {
      await hand(parcelsOf(written, files.attachments, mentions, asAlbum));
    } catch (error) {
      return fail({ field: 'to', text: messageOf(error) });
    } finally {
      setBusy(false);
    }
    clear();
  };
  const scheduling = useSchedule((sendAt) =>
    handAt(sendAt, parcelsOf(written, files.attachments, mentions, false)).then(clear),
  );
  return {
    ...files,
    ...(edit.isEdit ? { text: edit.text, setText: edit.setText } : { text, setText }),
    isEdit: edit.isEdit,
    busy: busy || edit.busy,
    fail,
    mention: mentions.add,
    asAlbum,
    setAlbum,
    to,
    setTo,
    problem,
    send: () => void send(),
    ...scheduling,
    isEmpty: written === '' && files.attachments.length === 0,
    /** For content of dialogs. Throws FieldError without a recipient. */
    sendContent: (content: Content): Promise<void> => hand([{ content, file: null }]),
  };
};

export type Draft = ReturnType<typeof useDraft>;
