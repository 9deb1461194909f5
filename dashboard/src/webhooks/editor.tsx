/** The dialog that makes or changes a webhook: where to, which events of which chats, with which headers. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import { allKinds, type AnyWebhook, kindsOfDevices } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { texts } from '../base/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { type Form, useForm } from '../ui/form.ts';
import { Choice, ErrorText, Field, TextArea } from '../ui/parts.tsx';
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

const fields = ['url', 'events', 'chats', 'headers', 'settleSeconds'] as const;

interface PartProps {
  readonly draft: Draft;
  readonly errorOf: Form<(typeof fields)[number]>['errorOf'];
  readonly set: (change: Partial<Draft>) => void;
}

const whiches = (): readonly (readonly [Which, string])[] => [
  ['all', words.chats.all],
  ['only', words.chats.only],
  ['except', words.chats.except],
];

const Chats = ({ draft, set, errorOf }: PartProps) => (
  <>
    <div className="row">
      <Choice label={words.chats.label} value={draft.which} options={whiches()} choose={(which) => set({ which })} />
    </div>
    {draft.which !== 'all' && (
      <TextArea
        label={words.chats.list}
        hint={words.chats.hint}
        error={errorOf('chats')}
        value={draft.chats}
        onChange={(input) => set({ chats: input.target.value })}
      />
    )}
  </>
);

const Order = ({ draft, set, errorOf }: PartProps) => (
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
        error={errorOf('settleSeconds')}
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
  const set = (change: Partial<Draft>): void => setDraft((old) => ({ ...old, ...change }));
  const { errorOf, error, submit } = useForm(fields, async () => {
    const body = bodyOf(draft);
    const answer = await (webhook === null
      ? client.post<Answer<'createWebhook'>>(path, body)
      : client.put<Answer<'updateWebhook'>>(`${path}/${webhook.id}`, body));
    saved(answer.webhook);
    close();
  });
  const kinds = path === '/v1/webhooks' ? allKinds : kindsOfDevices;
  return (
    <Dialog title={webhook === null ? words.create : words.edit} close={close}>
      <form onSubmit={submit} noValidate>
        <Field
          label={texts.webhook.url}
          type="url"
          placeholder="https://"
          error={errorOf('url')}
          value={draft.url}
          onChange={(input) => set({ url: input.target.value })}
        />
        <Kinds kinds={kinds} chosen={draft.events} error={errorOf('events')} change={(events) => set({ events })} />
        <Chats {...{ draft, set, errorOf }} />
        <TextArea
          label={words.headers}
          hint={
            webhook === null || webhook.headerNames.length === 0
              ? words.headersHint
              : words.headersKept(webhook.headerNames.join(', '))
          }
          error={errorOf('headers')}
          value={draft.headers}
          onChange={(input) => set({ headers: input.target.value })}
        />
        <Order {...{ draft, set, errorOf }} />
        <ErrorText error={error} />
        <div className="row end">
          <button type="submit" className="primary">
            {texts.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
