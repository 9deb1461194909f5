/** One of several webhooks: what it gets, how it does, its secret, and what can be done to it. */
import { type ReactNode, useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { AnyWebhook } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { fullTime } from '../base/format.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Action, Await } from '../ui/parts.tsx';
import { Editor } from './editor.tsx';
import { Health, TestButton, Trouble } from './health.tsx';
import { Secret } from './secret.tsx';

const words = texts.webhooks;

const chatsOf = ({ chats }: AnyWebhook): string => {
  if (chats === null) return words.chats.all;
  return 'only' in chats ? words.onlyOf(chats.only.length) : words.exceptOf(chats.except.length);
};

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Facts = ({ webhook }: { readonly webhook: AnyWebhook }) => (
  <dl className="facts">
    <Fact name={texts.webhook.events}>{webhook.events.join(', ')}</Fact>
    <Fact name={words.chats.label}>{chatsOf(webhook)}</Fact>
    {webhook.headerNames.length > 0 && <Fact name={words.headers}>{webhook.headerNames.join(', ')}</Fact>}
    <Fact name={words.order}>{webhook.ordered ? words.inOrder : words.anyOrder}</Fact>
    <Fact name={words.lastSuccess}>
      {webhook.lastSuccessAt === null ? texts.device.never : fullTime(webhook.lastSuccessAt)}
    </Fact>
  </dl>
);

const SecretOf = ({ path }: { readonly path: string }) => {
  const { client } = useAccount();
  const loaded = useLoad(() => client.get<Answer<'getAdditionalWebhook'>>(path), path);
  const rotate = async (): Promise<void> => {
    await client.post(`${path}/rotate-secret`);
    loaded.reload();
  };
  return (
    <Await of={loaded}>
      {({ webhook, secret }) => <Secret secret={secret} previousUntil={webhook.previousSecretUntil} rotate={rotate} />}
    </Await>
  );
};

interface Props {
  /** The path of the webhooks. */
  readonly path: string;
  readonly webhook: AnyWebhook;
  /** Leads to its deliveries. */
  readonly deliveries: ReactNode;
  readonly changed: (webhook: AnyWebhook) => void;
  readonly removed: () => void;
}

export const OneWebhook = ({ path, webhook, deliveries, changed, removed }: Props) => {
  const { client } = useAccount();
  const [asking, ask] = useState<'edit' | 'remove' | null>(null);
  const [isTestFailed, setTestFailed] = useState(false);
  const [isSecretShown, showSecret] = useState(false);
  const own = `${path}/${webhook.id}`;
  const close = (): void => ask(null);
  const isOn = webhook.enabled && webhook.disabledAt === null;
  const toggle = async (): Promise<void> =>
    changed((await client.put<Answer<'updateWebhook'>>(own, { enabled: !isOn })).webhook);
  return (
    <section className="card" aria-label={words.one(webhook.url ?? '')}>
      <div className="row between">
        <h3 className="webhook-url">{webhook.url}</h3>
        <Health of={webhook} isTestFailed={isTestFailed} />
      </div>
      <Trouble of={webhook} />
      <Facts webhook={webhook} />
      <div className="row">
        <button type="button" onClick={() => ask('edit')}>
          {words.change}
        </button>
        <TestButton
          path={`${own}/test`}
          disabled={!webhook.enabled}
          tested={(delivered) => setTestFailed(!delivered)}
        />
        <Action className="quiet" act={toggle}>
          {isOn ? words.disable : words.enable}
        </Action>
        {deliveries}
        <button type="button" className="danger quiet" onClick={() => ask('remove')}>
          {words.remove}
        </button>
      </div>
      {/* It leaves the service only when somebody wants to see it. */}
      <details onToggle={({ currentTarget }) => showSecret(currentTarget.open)}>
        <summary>{texts.webhook.secret}</summary>
        {isSecretShown && <SecretOf path={own} />}
      </details>
      {asking === 'edit' && <Editor path={path} webhook={webhook} saved={changed} close={close} />}
      {asking === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle}
          text={words.removeText}
          action={words.remove}
          done={words.removed}
          act={async () => {
            await client.delete(own);
            removed();
          }}
          close={close}
        />
      )}
    </section>
  );
};
