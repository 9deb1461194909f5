/** The dialog that makes or changes a webhook: where to, which events of which chats, with which headers. */
import { type FormEvent, useId, useState } from 'react';
import { useAccount } from '../account/account.tsx';
import { messageOf } from '../api/client.ts';
import { allKinds, type AnyWebhook, kindsOfDevices } from '../api/types.ts';
import { texts } from '../base/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Choice, Field } from '../ui/parts.tsx';
import { Kinds } from './kinds.tsx';

const words = texts.webhooks;

type Which = 'all' | 'only' | 'except';

interface Draft {
  readonly url: string;
  readonly events: readonly string[];
  readonly which: Which;
  readonly chats: string;
  readonly headers: string;
  readonly ordered: boolean;
  readonly settleSeconds: string;
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const draftOf = (webhook: AnyWebhook | null): Draft => {
  const chats = webhook?.chats ?? null;
  const which = chats === null ? 'all' : 'only' in chats ? 'only' : 'except';
  const listed = chats === null ? [] : 'only' in chats ? chats.only : chats.except;
  return {
    url: webhook?.url ?? '',
    events: webhook?.events ?? ['message.received'],
    which,
    chats: listed.join('\n'),
    headers: '',
    ordered: webhook?.ordered ?? true,
    settleSeconds: String(webhook?.settleSeconds ?? 8),
  };
};

const settled = 'chat.settled';

/** `Name: value` in each line. */
const headersIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim(), value.join(':').trim()];
    }),
  );

const bodyOf = ({ url, events, which, chats, headers, ordered, settleSeconds }: Draft): object => ({
  url: url.trim(),
  events,
  chats: which === 'all' ? null : { [which]: linesOf(chats).map((chat) => chat.replace(/^\+/, '')) },
  ordered,
  ...(headers.trim() === '' ? {} : { headers: headersIn(headers) }),
  ...(events.includes(settled) ? { settleSeconds: Number(settleSeconds) } : {}),
});

interface LinesProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly change: (value: string) => void;
}

const Lines = ({ label, hint, value, change }: LinesProps) => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={(input) => change(input.target.value)}
      />
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
};

interface PartProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
}

const whiches = (): readonly (readonly [Which, string])[] => [
  ['all', words.chats.all],
  ['only', words.chats.only],
  ['except', words.chats.except],
];

const Chats = ({ draft, set }: PartProps) => (
  <>
    <div className="row">
      <Choice label={words.chats.label} value={draft.which} options={whiches()} choose={(which) => set({ which })} />
    </div>
    {draft.which !== 'all' && (
      <Lines label={words.chats.list} hint={words.chats.hint} value={draft.chats} change={(chats) => set({ chats })} />
    )}
  </>
);

const Order = ({ draft, set }: PartProps) => (
  <>
    <div>
      <label className="check">
        <input
          type="checkbox"
          role="switch"
          checked={draft.ordered}
          onChange={(input) => set({ ordered: input.target.checked })}
        />
        {words.ordered}
      </label>
      <p className="hint">{words.orderedHint}</p>
    </div>
    {draft.events.includes(settled) && (
      <Field
        label={words.settle}
        hint={words.settleHint}
        type="number"
        min={1}
        max={60}
        value={draft.settleSeconds}
        onChange={(input) => set({ settleSeconds: input.target.value })}
      />
    )}
  </>
);

interface Props {
  /** The path of the webhooks. */
  readonly path: string;
  /** Null for a new one. */
  readonly webhook: AnyWebhook | null;
  readonly saved: (webhook: AnyWebhook) => void;
  readonly close: () => void;
}

export const Editor = ({ path, webhook, saved, close }: Props) => {
  const { client } = useAccount();
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const [error, setError] = useState<string | null>(null);
  const set = (change: Partial<Draft>): void => setDraft((old) => ({ ...old, ...change }));
  const save = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    setError(null);
    try {
      const body = bodyOf(draft);
      const answer = await (webhook === null
        ? client.post<{ webhook: AnyWebhook }>(path, body)
        : client.put<{ webhook: AnyWebhook }>(`${path}/${webhook.id}`, body));
      saved(answer.webhook);
      close();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  const kinds = path === '/v1/webhooks' ? allKinds : kindsOfDevices;
  return (
    <Dialog title={webhook === null ? words.create : words.edit} close={close}>
      <form onSubmit={(form) => void save(form)} noValidate>
        <Field
          label={texts.webhook.url}
          type="url"
          placeholder="https://"
          error={error}
          value={draft.url}
          onChange={(input) => set({ url: input.target.value })}
        />
        <Kinds kinds={kinds} chosen={draft.events} change={(events) => set({ events })} />
        <Chats draft={draft} set={set} />
        <Lines
          label={words.headers}
          hint={
            webhook === null || webhook.headerNames.length === 0
              ? words.headersHint
              : words.headersKept(webhook.headerNames.join(', '))
          }
          value={draft.headers}
          change={(headers) => set({ headers })}
        />
        <Order draft={draft} set={set} />
        <div className="row end">
          <button type="submit" className="primary">
            {texts.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
