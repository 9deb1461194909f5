/** The form to send a text or an image, which can be chosen, pasted or dropped. */
import { type FormEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useAccount } from '../account.tsx';
import { messageOf } from '../api/client.ts';
import type { Device } from '../api/types.ts';
import { texts } from '../texts.ts';
import { icons } from '../ui/icons.tsx';
import { Field } from '../ui/parts.tsx';
import type { Conversation } from './conversations.ts';

const words = texts.chat;
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const mostBytes = 10_485_760;

const problemWith = (file: File): string | null => {
  if (!imageTypes.includes(file.type)) return words.notImage;
  return file.size > mostBytes ? words.tooLarge : null;
};

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error(words.notImage)));
    reader.readAsDataURL(file);
  });

/** Digits with common separators are a phone number, anything else is a JID. */
const recipientOf = (to: string): { readonly toNumber: string } | { readonly to: string } => {
  const plain = to.replaceAll(/[\s()+.-]/g, '');
  return /^\d+$/.test(plain) ? { toNumber: plain } : { to: to.trim() };
};

const Preview = ({ file, remove }: { readonly file: File; readonly remove: () => void }) => {
  const url = useMemo(() => URL.createObjectURL(file), [file]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <div className="preview">
      <img src={url} alt={words.preview} />
      <span>{file.name}</span>
      <button type="button" className="icon" aria-label={words.removeImage} onClick={remove}>
        ×
      </button>
    </div>
  );
};

const AttachButton = ({
  take,
  disabled,
}: {
  readonly take: (file: File | undefined) => void;
  readonly disabled: boolean;
}) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        className="visually-hidden"
        accept={imageTypes.join(',')}
        tabIndex={-1}
        aria-label={words.attach}
        onChange={(change) => {
          take(change.target.files?.[0]);
          change.target.value = '';
        }}
      />
      <button
        type="button"
        className="icon attach"
        disabled={disabled}
        aria-label={words.attach}
        onClick={() => input.current?.click()}
      >
        {icons.image}
      </button>
    </>
  );
};

interface Props {
  readonly device: Device;
  readonly conversation: Conversation | null;
  /** Chooses the conversation by its JID or number; null for a new one. */
  readonly choose: (chat: string | null) => void;
}

/** The draft being written, and how it is sent. */
const useDraft = ({ device, conversation, choose }: Props) => {
  const { client } = useAccount();
  const [to, setTo] = useState('');
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const take = (given: File | undefined): void => {
    if (given === undefined) return;
    const problem = problemWith(given);
    setError(problem);
    if (problem === null) setFile(given);
  };
  const post = async (): Promise<void> => {
    const recipient = conversation === null ? recipientOf(to) : { to: conversation.chat };
    const path = `/v1/devices/${device.id}/messages`;
    if (file === null) await client.post(`${path}/text`, { ...recipient, message: text });
    else {
      const caption = text === '' ? {} : { mediaCaption: text };
      await client.post(`${path}/media`, { ...recipient, mediaBase64: await dataUrlOf(file), ...caption });
    }
    choose('to' in recipient ? recipient.to : recipient.toNumber);
  };
  const send = async (): Promise<void> => {
    if (busy || (text.trim() === '' && file === null)) return;
    if (conversation === null && to.trim() === '') return setError(words.needsTo);
    setBusy(true);
    setError(null);
    try {
      await post();
      setText('');
      setFile(null);
      setTo('');
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  return { to, setTo, text, setText, file, setFile, take, error, busy, send };
};

interface WriteRowProps {
  readonly draft: ReturnType<typeof useDraft>;
  readonly isConnected: boolean;
}

/** Enter sends, Shift+Enter starts a new line. */
const WriteRow = ({ draft, isConnected }: WriteRowProps) => {
  const id = useId();
  return (
    <div className="write">
      <AttachButton take={draft.take} disabled={!isConnected} />
      <label className="visually-hidden" htmlFor={id}>
        {words.message}
      </label>
      <textarea
        id={id}
        rows={Math.min(6, draft.text.split('\n').length)}
        placeholder={draft.file === null ? words.placeholder : words.caption}
        value={draft.text}
        disabled={!isConnected}
        onChange={(change) => draft.setText(change.target.value)}
        onPaste={(paste) => draft.take(paste.clipboardData.files[0])}
        onKeyDown={(key) => {
          if (key.key !== 'Enter' || key.shiftKey || key.nativeEvent.isComposing) return;
          key.preventDefault();
          void draft.send();
        }}
      />
      <button type="submit" className="primary" disabled={!isConnected || draft.busy} aria-busy={draft.busy}>
        {words.send}
      </button>
    </div>
  );
};

export const Composer = (props: Props) => {
  const { device, conversation, choose } = props;
  const draft = useDraft(props);
  const [over, setOver] = useState(false);
  const isConnected = device.status === 'connected';
  const submit = (form: FormEvent): void => {
    form.preventDefault();
    void draft.send();
  };
  return (
    <form
      className={`composer ${over ? 'over' : ''}`}
      onSubmit={submit}
      // A new conversation stays on display from its first input on.
      onFocus={() => conversation === null && choose(null)}
      onDragOver={(drag) => {
        drag.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(drop) => {
        drop.preventDefault();
        setOver(false);
        if (conversation === null) choose(null);
        draft.take(drop.dataTransfer.files[0]);
      }}
    >
      {over && <p className="drop-here">{words.drop}</p>}
      {!isConnected && <p className="hint">{words.notConnected}</p>}
      {conversation === null && (
        <Field
          label={words.to}
          hint={words.toHint}
          value={draft.to}
          onChange={(change) => draft.setTo(change.target.value)}
        />
      )}
      {draft.file !== null && <Preview file={draft.file} remove={() => draft.setFile(null)} />}
      {draft.error !== null && (
        <p className="error" role="alert">
          {draft.error}
        </p>
      )}
      <WriteRow draft={draft} isConnected={isConnected} />
    </form>
  );
};
