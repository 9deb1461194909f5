/** The webhook of a device: its URL, events, signing secret and health. */
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account.tsx';
import { messageOf } from '../api/client.ts';
import { type Device, eventKinds, type Webhook, type WebhookTest } from '../api/types.ts';
import { snippets, type SnippetLanguage } from '../api/verification-snippets.ts';
import { fullTime } from '../format.ts';
import { type Loaded, useLoad } from '../hooks.ts';
import { texts } from '../texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Action, Await, Badge, Choice, CopyButton, Field } from '../ui/parts.tsx';
import { useNotify } from '../ui/notices.tsx';

const words = texts.webhook;
const tones = { healthy: 'good', failing: 'bad', disabled: 'calm' } as const;

const Kinds = ({
  chosen,
  change,
}: {
  readonly chosen: readonly string[];
  readonly change: (kinds: readonly string[]) => void;
}) => (
  <fieldset className="kinds">
    <legend>{words.events}</legend>
    <div className="row">
      <button type="button" className="quiet small" onClick={() => change(eventKinds)}>
        {words.all}
      </button>
      <button type="button" className="quiet small" onClick={() => change([])}>
        {words.noneOf}
      </button>
    </div>
    <div className="kinds-list">
      {eventKinds.map((kind) => (
        <label key={kind} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(kind)}
            onChange={(input) =>
              change(eventKinds.filter((one) => (one === kind ? input.target.checked : chosen.includes(one))))
            }
          />
          {kind}
        </label>
      ))}
    </div>
  </fieldset>
);

const TestButton = ({ device }: { readonly device: Device }) => {
  const { client } = useAccount();
  const notify = useNotify();
  const test = async (): Promise<void> => {
    const answer = await client.post<{ test: WebhookTest }>(`/v1/devices/${device.id}/webhook/test`);
    const { delivered, status, durationMs, error } = answer.test;
    if (delivered && status !== null) notify.good(words.testOk(status, durationMs));
    else notify.bad(words.testFailed(error ?? String(status)));
  };
  return (
    <Action className="quiet" act={test} disabled={device.webhookUrl === null}>
      {words.test}
    </Action>
  );
};

const Form = ({ device, saved }: { readonly device: Device; readonly saved: () => void }) => {
  const { client, devices } = useAccount();
  const notify = useNotify();
  const [url, setUrl] = useState(device.webhookUrl ?? '');
  const [kinds, setKinds] = useState<readonly string[]>(device.webhookEvents);
  const [error, setError] = useState<string | null>(null);
  const save = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    setError(null);
    try {
      const body = { webhookUrl: url.trim() === '' ? null : url.trim(), webhookEvents: kinds };
      const changed = await client.put<{ device: Device }>(`/v1/devices/${device.id}`, body);
      devices.change((all) => all.map((one) => (one.id === device.id ? changed.device : one)));
      notify.good(words.saved);
      saved();
    } catch (failure) {
      setError(messageOf(failure));
    }
  };
  return (
    <form onSubmit={(form) => void save(form)} noValidate>
      <Field
        label={words.url}
        hint={words.urlHint}
        error={error}
        type="url"
        placeholder="https://"
        value={url}
        onChange={(change) => setUrl(change.target.value)}
      />
      <Kinds chosen={kinds} change={setKinds} />
      <div className="row">
        <button type="submit" className="primary">
          {texts.save}
        </button>
        <TestButton device={device} />
      </div>
    </form>
  );
};

const Secret = ({ device, webhook }: { readonly device: Device; readonly webhook: Loaded<Webhook> }) => {
  const { client } = useAccount();
  const [shown, setShown] = useState(false);
  const [asking, setAsking] = useState(false);
  const { value } = webhook;
  if (value === null) return null;
  const rotate = async (): Promise<void> => {
    await client.post(`/v1/devices/${device.id}/webhook/rotate-secret`);
    webhook.reload();
  };
  return (
    <>
      <h3>{words.secret}</h3>
      <div className="row secret">
        <code>{shown ? value.secret : `${value.secret.slice(0, 6)}${'•'.repeat(16)}`}</code>
        <button type="button" className="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? texts.hide : texts.show}
        </button>
        <CopyButton text={value.secret} />
        <button type="button" className="quiet" onClick={() => setAsking(true)}>
          {words.rotate}
        </button>
      </div>
      {value.previousSecretUntil !== null && (
        <p className="hint">{words.previous(fullTime(value.previousSecretUntil))}</p>
      )}
      {asking && (
        <ConfirmDialog
          title={words.rotateTitle}
          text={words.rotateText}
          action={words.rotate}
          done={words.rotated}
          act={rotate}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
};

const Verification = () => {
  const [language, setLanguage] = useState<SnippetLanguage>('node');
  return (
    <section className="card" aria-labelledby="verify-title">
      <h2 id="verify-title">{words.verify}</h2>
      <p className="hint">{words.verifyHint}</p>
      <div className="row between">
        <Choice
          label={words.language}
          value={language}
          options={[
            ['node', words.languages.node],
            ['python', words.languages.python],
            ['go', words.languages.go],
          ]}
          choose={setLanguage}
        />
        <CopyButton text={snippets[language]} />
      </div>
      <pre tabIndex={0} aria-label={words.verify}>
        {snippets[language]}
      </pre>
    </section>
  );
};

export const WebhookTab = ({ device }: { readonly device: Device }) => {
  const { client } = useAccount();
  const webhook = useLoad(
    async () => (await client.get<{ webhook: Webhook }>(`/v1/devices/${device.id}/webhook`)).webhook,
    String(device.id),
  );
  return (
    <div className="stack">
      <section className="card" aria-labelledby="webhook-title">
        <div className="row between">
          <h2 id="webhook-title">{words.title}</h2>
          {webhook.value !== null && (
            <Badge tone={tones[webhook.value.health]}>{words.health[webhook.value.health]}</Badge>
          )}
        </div>
        <Form device={device} saved={webhook.reload} />
        <Await of={webhook}>{() => <Secret device={device} webhook={webhook} />}</Await>
      </section>
      <Verification />
    </div>
  );
};
